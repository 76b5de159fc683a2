"""Two reports side by side: what broke, what was mended, what behaves otherwise where the specification is silent, what became slower."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from conformance.report.document import is_checked

GOOD = {"pass", "not-applicable"}
MUCH_SLOWER = 1.5
"""A ratio of medians from which on an operation counts as slower: single runs differ by less."""

LEAST = 0.005
"""Seconds of a median below which nobody cares."""


@dataclass(frozen=True)
class Comparison:
    """Cases of a requirement and an operation that changed their verdict, observations that differ, operations that became slower."""

    broke: tuple[str, ...]
    mended: tuple[str, ...]
    otherwise: tuple[str, ...]
    observed: tuple[str, ...]
    slower: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """As JSON members."""
        return {name: list(value) for name, value in asdict(self).items()}


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    """What changed between the runs of two reports."""
    one, other = _verdicts(before), _verdicts(after)
    changed = {
        name: (one.get(name, "not known"), other.get(name, "gone"))
        for name in {**one, **other}
        if one.get(name) != other.get(name)
    }
    broke = [name for name, (_, now) in changed.items() if now == "fail"]
    mended = [name for name, (then, now) in changed.items() if then == "fail" and now in GOOD]
    rest = [
        f"{name}: {then}, now {now}"
        for name, (then, now) in changed.items()
        if name not in (*broke, *mended)
    ]
    return Comparison(
        tuple(broke),
        tuple(mended),
        tuple(rest),
        tuple(_observed(before, after)),
        tuple(_slower(before, after)),
    )


def _verdicts(report: Mapping[str, Any]) -> dict[str, str]:
    return {
        f"{entry['id']}[{operation}]" if operation else entry["id"]: verdict
        for entry in report["requirements"]
        if is_checked(entry)
        for operation, verdict in (entry["operations"] or {"": entry["verdict"]}).items()
    }


def _observed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    one, other = (
        {(entry["id"], entry["subject"]): entry["values"] for entry in report["observations"]}
        for report in (before, after)
    )
    for id, subject in {**one, **other}:
        then, now = one.get((id, subject)), other.get((id, subject))
        if then != now:
            yield f"{subject}: {_told(then)}, now {_told(now)}"


def _told(values: list[Any] | None) -> str:
    return "nothing" if not values else ", ".join(map(str, values))


def _slower(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for operation, now in after["latencies"].items():
        then = before["latencies"].get(operation)
        if then and now["median"] > max(then["median"] * MUCH_SLOWER, LEAST):
            yield f"{operation}: median {then['median'] * 1000:.1f} ms, now {now['median'] * 1000:.1f} ms"
