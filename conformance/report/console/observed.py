"""The observations of a run for a terminal."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.contract.quantity import quantity
from conformance.report.console.line import Span
from conformance.report.document_types import ObservationEntry, Report
from conformance.report.text import short

MOST_VALUES = 4
LONGEST_VALUE = 60
COLUMN = 18


def spans(report: Report, *, show_all: bool) -> Iterator[list[Span]]:
    """The observed values, line by line, or their number."""
    points: dict[str, list[ObservationEntry]] = {}
    for seen in report["observations"]:
        points.setdefault(seen["id"], []).append(seen)
    if not points:
        return
    if not show_all:
        number = quantity(len(points), "point")
        yield [
            ("OBSERVED", "strong"),
            (f"  {number} where the specification is silent (--show-all lists them)", ""),
        ]
        yield []
        return
    yield [("OBSERVED", "strong"), (", where the specification is silent", "")]
    for id, entries in points.items():
        name = id.removeprefix("observe/")
        for entry in entries:
            text = f"  {name:{COLUMN}}{entry['subject']}: "
            yield [(text, ""), (_values(entry["values"]), "dim")]
    yield []


def _values(values: Sequence[Any]) -> str:
    texts = (json.dumps(value, ensure_ascii=False) for value in values[:MOST_VALUES])
    shown = ", ".join(short(text, LONGEST_VALUE) for text in texts)
    return f"{shown} … {len(values)} in all" if len(values) > MOST_VALUES else shown
