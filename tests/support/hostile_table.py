"""What runs against broken behaviours took, as a table and as JSON."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hostile_run import Outcome
from hostile_verdict import LONGEST, MOST_LOG, MOST_MEMORY, flaws

HEAD = ("behaviour", "exit", "s", "MiB", "log MB", "verdict", "what is blamed", "flaws")
LIMITS = ("limit", "not 3", str(LONGEST), str(MOST_MEMORY), str(MOST_LOG), "not conformant", "", "")
MOST_BLAMED = 3


def table(ends: Sequence[Outcome]) -> Iterator[str]:
    """The lines: one for each outcome, then the largest figures, then the limits."""
    rows = [HEAD, *map(_row, ends), _largest(ends), LIMITS]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()


def write(path: Path, ends: Sequence[Outcome]) -> None:
    """Write the figures of each outcome, without its report."""
    limits = {"seconds": LONGEST, "memory": MOST_MEMORY, "log": MOST_LOG}
    found = {"limits": limits, "behaviours": [_entry(end) for end in ends]}
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _entry(end: Outcome) -> dict[str, Any]:
    return {
        "name": end.name,
        "code": end.code,
        "seconds": round(end.seconds, 1),
        "memory": round(end.memory),
        "log": round(end.log, 2),
        "verdict": end.report["verdict"] if end.report else None,
        "blamed": _blamed(end.report),
        "flaws": flaws(end),
    }


def _row(end: Outcome) -> tuple[str, ...]:
    entry = _entry(end)
    blamed, more = entry["blamed"][:MOST_BLAMED], entry["blamed"][MOST_BLAMED:]
    return (
        end.name,
        str(end.code),
        f"{end.seconds:.1f}",
        f"{end.memory:.0f}",
        f"{end.log:.1f}",
        entry["verdict"] or "no report",
        ", ".join(blamed) + (f" and {len(more)} more" if more else ""),
        "; ".join(entry["flaws"]),
    )


def _largest(ends: Sequence[Outcome]) -> tuple[str, ...]:
    seconds, memory = max(end.seconds for end in ends), max(end.memory for end in ends)
    log = max(end.log for end in ends)
    return ("largest", "", f"{seconds:.1f}", f"{memory:.0f}", f"{log:.1f}", "", "", "")


def _blamed(report: Any) -> list[str]:
    """The requirements that failed, or why there is no verdict."""
    if report is None:
        return []
    failed = [entry["id"] for entry in report["requirements"] if entry["verdict"] == "fail"]
    return failed or [
        entry["id"] for entry in report["requirements"] if entry["verdict"] == "error"
    ]
