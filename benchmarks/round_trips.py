"""The requests of a run that waited for one another: its round trips, one after another."""

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import runs, served
from benchmarks.measured import Row
from benchmarks.served import Setting

LATENCY = 0.05
LONGEST = 12
"""Checks and facts that are listed, those with the most round trips of their own."""


@dataclass(frozen=True)
class Span:
    """When an exchange was under way, in seconds since the run began."""

    began: float
    ended: float


def longest_chain(spans: Iterable[Span]) -> int:
    """The length of the longest chain of exchanges that each began when the one before had ended.

    No run takes fewer round trips to a target that is far away.
    """
    length, last = 0, float("-inf")
    for span in sorted(spans, key=lambda span: span.ended):
        if span.began >= last:
            length, last = length + 1, span.ended
    return length


def rows(depth: str) -> Iterator[Row]:
    """The round trips of a run against a target with a latency, and of its longest items."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served.reference(folder, Setting(LATENCY)) as target:
            runs.of(folder, depth, "--target", target.profile)
        spans = by_item(folder / "report" / "exchanges.jsonl")
    yield _row("the run", [span for own in spans.values() for span in own])
    longest = sorted(spans, key=lambda item: -longest_chain(spans[item]))
    for item in longest[:LONGEST]:
        yield _row(item, spans[item])


def by_item(log: Path) -> dict[str, list[Span]]:
    """The spans of the exchanges in a log, by the check or fact that they belong to."""
    spans: defaultdict[str, list[Span]] = defaultdict(list)
    with log.open("rb") as lines:
        for line in lines:
            document: dict[str, Any] = json.loads(line)
            began = document["started"]
            span = Span(began, began + document["elapsed"])
            spans[document["id"].rpartition("#")[0]].append(span)
    return spans


def _row(name: str, spans: list[Span]) -> Row:
    began, ended = min(span.began for span in spans), max(span.ended for span in spans)
    waited = sum(span.ended - span.began for span in spans)
    return Row(
        name,
        {
            "exchanges": len(spans),
            "round trips": longest_chain(spans),
            "began": round(began, 1),
            "seconds": round(ended - began, 1),
            "in flight": round(waited / (ended - began), 1) if ended > began else None,
        },
    )
