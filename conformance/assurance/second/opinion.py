"""The opinion of the second judge: a verdict on each requirement, and where a report differs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.assurance.second import access, approvals, pages, reads, recording
from conformance.assurance.second.contract import Contract
from conformance.assurance.second.form import Form
from conformance.assurance.second.history import History
from conformance.assurance.second.ruling import Ruling

PASS, FAIL = "pass", "fail"
VERSION = "v1"

Place = tuple[str, str | None]
"""A requirement, and an operation."""


@dataclass(frozen=True)
class Opinion:
    """The result of a second judgement.

    `verdicts` has the requirements that it has judged; `not_judged` are all others. `differences`
    are sentences: the report says pass where a flaw is recorded, or fail where all that it names
    is in order. What a report leaves undecided is none.
    """

    verdicts: Mapping[str, str]
    not_judged: tuple[str, ...]
    differences: tuple[str, ...]

    @property
    def document(self) -> dict[str, Any]:
        """The opinion as JSON values."""
        return {
            "verdicts": dict(self.verdicts),
            "notJudged": list(self.not_judged),
            "differences": list(self.differences),
        }


def of(report: Mapping[str, Any], target: Any, exchanges: bytes) -> Opinion:
    """The opinion on a recorded run, beside its report. Raises Malformed.

    The arguments are the documents of report.json and target.json, and exchanges.jsonl as it is.
    """
    recorded = recording.read(exchanges, target)
    try:
        tally = _Tally(report["requirements"])
        for ruling in _rulings(recorded):
            tally.add(ruling)
        verdicts = dict(tally.verdicts(recorded.contract))
        differences = tuple(tally.differences())
    except (LookupError, TypeError, AttributeError) as problem:
        raise recording.Malformed(f"{type(problem).__name__}: {problem}") from None
    left = tuple(id for id in recorded.contract.requirements if id not in verdicts)
    return Opinion(verdicts, left, differences)


def _rulings(recorded: History) -> Iterator[Ruling]:
    path = recorded.target["base-url"].rstrip("/").split("/")
    flaw = None if path[-1] == VERSION else f"the base address ends with {path[-1]!r:.40}"
    yield Ruling("base/version-segment", None, (), flaw)
    form = Form(recorded.contract)
    for exchange in recorded.exchanges:
        yield from form.rulings(exchange, recorded)
        yield from reads.rulings(exchange, recorded)
        yield from access.rulings(exchange, recorded)
    yield from pages.rulings(recorded)
    yield from approvals.rulings(recorded)


class _Tally:
    """The verdicts of rulings, counted by requirement, beside those of a report."""

    def __init__(self, entries: Iterable[Mapping[str, Any]]) -> None:
        self._entries = {entry["id"]: entry for entry in entries}
        self._met: dict[str, set[str | None]] = {}
        self._violated: set[str] = set()
        self._unseen: dict[Place, Ruling] = {}
        """The first violation of each place that the report knows nothing of."""
        self._named = {
            place: ids for entry in self._entries.values() for place, ids in _named(entry)
        }
        """The exchanges of each failure of the report."""
        self._founded = {place: set(ids) for place, ids in self._named.items()}
        """Those of them that meet no ruling."""

    def add(self, ruling: Ruling) -> None:
        """Count a ruling."""
        place = ruling.requirement, ruling.operation
        self._met.setdefault(ruling.requirement, set()).add(ruling.operation)
        if ruling.flaw is None:
            self._founded.get(place, set()).difference_update(ruling.exchanges)
            return
        self._violated.add(ruling.requirement)
        if self._is_denied(ruling):
            self._unseen.setdefault(place, ruling)

    def verdicts(self, contract: Contract) -> Iterator[tuple[str, str]]:
        """Fail for one flaw; pass where every operation of a requirement was seen to meet it."""
        for id, operations in contract.requirements.items():
            if id in self._violated:
                yield id, FAIL
            elif id in self._met and self._met[id] >= set(operations):
                yield id, PASS

    def differences(self) -> Iterator[str]:
        """What the report denies, and its failures all of whose exchanges meet the requirement."""
        for each in self._unseen.values():
            where = "".join(f" at {exchange}" for exchange in each.exchanges)
            yield (
                f"{each.requirement}: the certificate says pass, the second judge finds"
                f" fail{where}: {each.flaw}"
            )
        for (id, operation), ids in self._named.items():
            if not self._founded[id, operation]:
                yield (
                    f"{id}: the certificate says fail, the second judge finds pass at"
                    f" {', '.join(sorted(ids))}"
                )

    def _is_denied(self, violation: Ruling) -> bool:
        """Whether the report says pass, and that no other requirement of the flaw failed."""
        names = violation.requirement, *violation.otherwise
        found = (_verdict(self._entries.get(name), violation.operation) for name in names)
        first, *others = found
        return first == PASS and FAIL not in others


def _named(entry: Mapping[str, Any]) -> Iterator[tuple[Place, set[str]]]:
    """The exchanges that the failures of a requirement name, by its operation."""
    found: dict[str | None, set[str]] = {}
    for finding in entry.get("findings", ()):
        if finding["verdict"] == FAIL:
            ids = (each["id"] for each in finding["exchanges"])
            found.setdefault(finding["operation"], set()).update(ids)
    return (((entry["id"], operation), ids) for operation, ids in found.items() if ids)


def _verdict(entry: Mapping[str, Any] | None, operation: str | None) -> str | None:
    """The verdict of a report on a requirement, at an operation where it has one for it."""
    return entry["operations"].get(operation, entry["verdict"]) if entry else None
