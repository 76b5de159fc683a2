"""How long each check takes: as an earlier run has recorded it, or as this package knows it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from conformance.http.exchange import FACT
from conformance.report import exchange_log
from conformance.runner.scheduling import PAGINATORS, SPENDERS

SHIPPED = Path(__file__).with_name("durations.json")
"""Milliseconds by check, of a run on the reference with 20 ms a response."""

PAGES = f"{FACT}pages["
"""The beginning of the facts that are paginations of lists."""

KINDS = ("access", "cell", "history", "single-steps", "trial", "unusual-keys")
APPROVING = tuple(f"{FACT}{kind}[" for kind in KINDS)
"""The beginnings of the facts that only checks with approvals need."""


class DurationsError(ValueError):
    """A folder has no log of exchanges; str() has the file and the reason."""


def of_pagination(operation: str) -> str:
    """The name under which the paginations of a list stand beside the checks."""
    return f"{PAGINATORS}-{operation}"


@cache
def shipped() -> Mapping[str, float]:
    """The durations that this package knows, by check without its parameters."""
    known: dict[str, float] = json.loads(SHIPPED.read_bytes())
    return known


def of_check(name: str, known: Mapping[str, float]) -> float:
    """The duration of a check; one that is not known takes as long as most."""
    return known.get(name, known.get(name.partition("[")[0], usual(known)))


def usual(known: Mapping[str, float]) -> float:
    """The duration than which as many are shorter as are longer."""
    return sorted(known.values())[len(known) // 2]


def recorded(report: Path) -> Mapping[str, float]:
    """The seconds of each check in an earlier run, from the log beside its report.

    A second in which n requests were under way counts 1/n for each. Raises DurationsError.
    """
    folder = report if report.is_dir() else report.parent
    file = folder / exchange_log.EXCHANGES
    try:
        spans = list(_spans(folder))
    except OSError as problem:
        raise DurationsError(f"{file}: {problem.strerror}") from None
    except (ValueError, LookupError, TypeError):
        raise DurationsError(f"{file}: not the log of a run") from None
    if not spans:
        raise DurationsError(f"{file}: no exchange of a check")
    return shared(spans)


def _spans(folder: Path) -> Iterator[tuple[str, float, float]]:
    """The name, beginning and end of each exchange that tells what a check takes."""
    for line in exchange_log.read(folder):
        item, begin = line["item"], float(line["started"])
        if item.startswith(PAGES):
            item = of_pagination(item.removeprefix(PAGES).partition("-")[0].rstrip("]"))
        elif item.startswith(APPROVING):
            item = SPENDERS
        # Every shard finds the other facts that it needs.
        if not item.startswith(FACT):
            yield item, begin, begin + float(line["elapsed"])


def shared(spans: Iterable[tuple[str, float, float]]) -> dict[str, float]:
    """The time of each name, where those that are under way at once share it equally."""
    moments = sorted(
        (moment, is_end, name)
        for name, begin, end in spans
        for moment, is_end in ((begin, False), (end, True))
    )
    total: dict[str, float] = {}
    active: dict[str, int] = {}
    before = 0.0
    for moment, is_end, name in moments:
        under_way = sum(active.values())
        for each, number in active.items():
            total[each] = total.get(each, 0.0) + (moment - before) * number / under_way
        active[name] = active.get(name, 0) + (-1 if is_end else 1)
        if not active[name]:
            del active[name]
        before = moment
    return {name: round(seconds, 6) for name, seconds in total.items()}
