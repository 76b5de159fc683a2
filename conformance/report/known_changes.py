"""How a file of known failures has to change after some runs: what is new, flaky, or gone."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from conformance.contract import requirements
from conformance.report import known_failures, known_gaps
from conformance.report.document_types import Report
from conformance.report.known_failures import PLACEHOLDER, Failure, Known
from conformance.report.known_file import Key
from conformance.report.share import Share

Entries = Mapping[Key, Known]
Shares = dict[Failure, Share]


def shares(reports: Sequence[Report]) -> Shares:
    """In how many of the runs that show it each failure appears."""
    fails = Counter(pair for report in reports for pair in _named(report))
    return {
        (requirement, operation): Share(
            count, len(reports) - _holds(Known(requirement, operation, ""), reports).count(None)
        )
        for (requirement, operation), count in fails.items()
    }


def _named(report: Report) -> Iterator[Failure]:
    """The failures of a run; without an operation that no entry can name."""
    catalogue = requirements.load()
    found = (pair for pair in known_failures.failures(report) if pair[0] in catalogue)
    yield from dict.fromkeys(
        (id, name if name in catalogue[id].operations else None) for id, name in found
    )


def new(entries: Entries, found: Shares) -> list[Known]:
    """An entry for each failure that has none, not even an expired one; the flaky ones last."""
    listed = [entry for entry in entries.values() if not entry.is_gap]
    added: list[Known] = []
    for pair in sorted(found, key=lambda pair: (found[pair].is_mixed, pair[1] is not None)):
        if not any(entry.covers(*pair) for entry in (*listed, *added)):
            flaky = str(found[pair]) if found[pair].is_mixed else None
            added.append(Known(*pair, PLACEHOLDER, flaky=flaky))
    return added


def flaky(entries: Entries, found: Shares) -> dict[Key, Share]:
    """The entries that are flaky, or in another share of the runs than they say."""
    shown = {
        key: found.get((entry.requirement, entry.operation))
        for key, entry in entries.items()
        if not entry.is_gap
    }
    return {
        key: share
        for key, share in shown.items()
        if share and share.is_mixed and str(share) != entries[key].flaky
    }


def gone(entries: Entries, reports: Sequence[Report]) -> list[Key]:
    """The entries of which nothing holds any more, in any of the runs."""
    return [key for key, entry in entries.items() if _is_gone(entry, reports)]


def _is_gone(entry: Known, reports: Sequence[Report]) -> bool:
    holds = _holds(entry, reports)
    return True not in holds and holds.count(False) >= passes_needed(entry)


def passes_needed(entry: Known) -> int:
    """The runs without a failure after which it counts as fixed.

    Of a flaky one, so many that it would have been seen again with a probability of 95 %: the rule
    of three.
    """
    share = Share.read(entry.flaky) if entry.flaky else None
    return ceil(3 * share.of / share.fails) if share else 1


def _holds(entry: Known, reports: Sequence[Report]) -> list[bool | None]:
    decide = known_gaps.holds if entry.is_gap else known_failures.fails
    return [decide(entry, report) for report in reports]
