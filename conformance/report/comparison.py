"""Two reports compared: what fails or is not checked any more, what was fixed, and what else.

An operation counts as slower only where the response times show it: at least SAMPLE of them in both
runs, a median that is MUCH_SLOWER, and no overlap of the middle halves: three of four responses
took longer now than three of four did before.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from math import inf
from typing import Any

from conformance.contract.verdict import Verdict
from conformance.report.cases import cases
from conformance.report.document import is_checked
from conformance.report.document_types import LatencyEntry, Report

GOOD = (Verdict.PASS, Verdict.NOT_APPLICABLE)
MUCH_SLOWER = 1.5
"""The ratio of medians from which an operation counts as slower; single runs differ by less."""

SAMPLE = 20
"""Responses of an operation in a run, from which its response times can be compared."""

FAST = 0.005
"""The median in seconds up to which an operation never counts as slower."""

Observed = Mapping[tuple[str, str], list[Any]]


UNREPORTED = "not in the report"
"""The verdict on what another build, or a run of other classes, has checked."""

LOST = (Verdict.INCONCLUSIVE, Verdict.ERROR, UNREPORTED)
"""What became of a requirement that passed, and was not checked again."""


@dataclass(frozen=True)
class Comparison:
    """Changed verdicts and observations, and slower operations, one text for each.

    `broke` fail now, `lost` passed and were not checked; of these, `known` are known failures and
    gaps. The names of the fields are those of the JSON output.
    """

    broke: tuple[str, ...]
    lost: tuple[str, ...]
    known: tuple[str, ...]
    mended: tuple[str, ...]
    otherwise: tuple[str, ...]
    observed: tuple[str, ...]
    slower: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """As JSON properties."""
        return {name: list(value) for name, value in asdict(self).items()}


def compare(before: Report, after: Report) -> Comparison:
    """What changed between the runs of two reports."""
    earlier, later, accepted = _verdicts(before), _verdicts(after), frozenset(_accepted(after))
    found: dict[str, list[str]] = {name: [] for name in ("broke", "lost", "known", "mended")}
    otherwise = []
    for name in {**earlier, **later}:
        then, now = earlier.get(name, UNREPORTED), later.get(name, UNREPORTED)
        if then == now:
            continue
        is_lost = then == Verdict.PASS and now in LOST
        if name in accepted and (now == Verdict.FAIL or is_lost):
            found["known"].append(f"{name}: {then}, now {now}")
        elif now == Verdict.FAIL:
            found["broke"].append(name)
        elif is_lost:
            found["lost"].append(name)
        elif then == Verdict.FAIL and now in GOOD:
            found["mended"].append(name)
        else:
            otherwise.append(f"{name}: {then}, now {now}")
    observed, slower = tuple(_observed(before, after)), tuple(_slower(before, after))
    changed = {name: tuple(names) for name, names in found.items()}
    return Comparison(**changed, otherwise=tuple(otherwise), observed=observed, slower=slower)


def _accepted(report: Report) -> Iterator[str]:
    """The names of known failures and of accepted gaps."""
    yield from (case.name for case in cases(report) if case.known is not None)
    if "known-failures" in report:
        for id, operation in report["known-failures"].get("accepted", []):
            yield f"{id}[{operation}]" if operation else str(id)


def _verdicts(report: Report) -> dict[str, str]:
    """The verdict of each requirement and operation."""
    verdicts = {}
    for entry in report["requirements"]:
        if is_checked(entry):
            for operation, verdict in (entry["operations"] or {"": entry["verdict"]}).items():
                name = f"{entry['id']}[{operation}]" if operation else entry["id"]
                verdicts[name] = verdict
    return verdicts


def _observed(before: Report, after: Report) -> Iterator[str]:
    earlier, later = _observations(before), _observations(after)
    for point in {**earlier, **later}:
        then, now = earlier.get(point, []), later.get(point, [])
        if then != now:
            _, subject = point
            yield f"{subject}: {_listed(then)}, now {_listed(now)}"


def _observations(report: Report) -> Observed:
    return {(seen["id"], seen["subject"]): seen["values"] for seen in report["observations"]}


def _listed(values: list[Any]) -> str:
    return ", ".join(map(str, values)) or "nothing"


def _slower(before: Report, after: Report) -> Iterator[str]:
    earlier, later = before.get("latencies", {}), after.get("latencies", {})
    for operation, now in later.items():
        then = earlier.get(operation)
        if then and _shows_slower(then, now):
            yield f"{operation}: {_times(then)}, now {_times(now)}"


def _shows_slower(then: LatencyEntry, now: LatencyEntry) -> bool:
    """Whether both samples are large enough, and differ enough, to say so."""
    is_sampled = min(then["count"], now["count"]) >= SAMPLE
    is_apart = now.get("p25", 0.0) > then.get("p75", inf)
    is_slower = now["median"] > max(then["median"] * MUCH_SLOWER, FAST)
    return is_sampled and is_apart and is_slower


def _times(entry: LatencyEntry) -> str:
    low, middle, high = (
        f"{seconds * 1000:.1f}" for seconds in (entry["p25"], entry["median"], entry["p75"])
    )
    return f"median {middle} ms, half of {entry['count']:,} from {low} to {high} ms"
