"""Two reports compared: what fails now, what was fixed, what is observed differently or slower."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from conformance.contract.verdict import Verdict
from conformance.report.document import is_checked
from conformance.report.document_types import Report

GOOD = (Verdict.PASS, Verdict.NOT_APPLICABLE)
MUCH_SLOWER = 1.5
"""The ratio of medians from which an operation counts as slower; single runs differ by less."""

FAST = 0.005
"""The median in seconds up to which an operation never counts as slower."""

Observed = Mapping[tuple[str, str], list[Any]]


@dataclass(frozen=True)
class Comparison:
    """Changed verdicts and observations, and slower operations, one text for each.

    The names of the fields are those of the JSON output.
    """

    broke: tuple[str, ...]
    mended: tuple[str, ...]
    otherwise: tuple[str, ...]
    observed: tuple[str, ...]
    slower: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """As JSON properties."""
        return {name: list(value) for name, value in asdict(self).items()}


def compare(before: Report, after: Report) -> Comparison:
    """What changed between the runs of two reports."""
    earlier, later = _verdicts(before), _verdicts(after)
    broke, mended, otherwise = [], [], []
    for name in {**earlier, **later}:
        then, now = earlier.get(name, "unknown"), later.get(name, "absent")
        if then == now:
            continue
        if now == Verdict.FAIL:
            broke.append(name)
        elif then == Verdict.FAIL and now in GOOD:
            mended.append(name)
        else:
            otherwise.append(f"{name}: {then}, now {now}")
    observed, slower = tuple(_observed(before, after)), tuple(_slower(before, after))
    return Comparison(tuple(broke), tuple(mended), tuple(otherwise), observed, slower)


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
        if then and now["median"] > max(then["median"] * MUCH_SLOWER, FAST):
            medians = (f"{each['median'] * 1000:.1f} ms" for each in (then, now))
            yield f"{operation}: median {', now '.join(medians)}"
