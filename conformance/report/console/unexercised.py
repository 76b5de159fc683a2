"""What the data of a target did not exercise, for a terminal."""

from collections.abc import Iterator

from conformance.report import unexercised
from conformance.report.console.line import Span, label
from conformance.report.document_types import Report

MOST = 4
"""Conditions that are shown without --show-all."""


def spans(report: Report, *, show_all: bool) -> Iterator[list[Span]]:
    """Each condition, and the data that would meet it."""
    found = list(unexercised.of(report))
    if not found:
        return
    yield [("NOT EXERCISED", "strong"), (", since the data that was read has none of it:", "")]
    for subject, remedy in found if show_all else found[:MOST]:
        yield [(f"  {subject}", "")]
        yield [label("needs"), (remedy, "dim")]
    if not show_all and len(found) > MOST:
        yield [(f"  … and {len(found) - MOST} more (--show-all lists them)", "")]
    yield []
