"""The report as lines for a terminal: what blocked checks, failures, the rest."""

from collections.abc import Iterable, Iterator

from conformance.report import shards
from conformance.report.console import (
    conclusion,
    failures,
    observed,
    rejected,
    unchecked,
    unexercised,
    unscored,
)
from conformance.report.console.line import Span, in_ascii, plain, rows, visible, wrapped
from conformance.report.console.screen import Screen
from conformance.report.document_types import FindingEntry, Report, RequirementEntry

DEFAULT = Screen()


def lines(report: Report, screen: Screen = DEFAULT, *, files: str = "") -> Iterator[str]:
    """The report line by line, without styles."""
    return map(plain, spans(report, screen, files=files))


def spans(report: Report, screen: Screen = DEFAULT, *, files: str = "") -> Iterator[list[Span]]:
    """The report line by line, in styled spans; `files` says where it was written."""
    yield from _fitted(rejected.spans(report), screen)
    yield from _fitted(failures.spans(report, screen.width, show_all=screen.show_all), screen)
    if not shards.is_part(report):  # what it did not check belongs to other shards
        yield from _fitted(unchecked.spans(report, show_all=screen.show_all), screen)
    yield from _fitted(unexercised.spans(report, show_all=screen.show_all), screen)
    yield from _fitted(unscored.spans(report), screen)
    yield from _fitted(observed.spans(report, show_all=screen.show_all), screen)
    yield from _fitted(conclusion.spans(report), screen)
    if files:
        yield from _fitted([[(f"  {files}", "")]], screen)
    yield from _fitted(failures.once_more(report, screen.width), screen)


def finding(
    entry: RequirementEntry, found: FindingEntry, screen: Screen = DEFAULT
) -> Iterator[str]:
    """One finding: requirement, actual and expected behaviour, request and response."""
    return map(plain, _fitted(failures.finding(entry, [found], screen.width), screen))


def _fitted(lines: Iterable[list[Span]], screen: Screen) -> Iterator[list[Span]]:
    """Lines with the width and the characters of a screen."""
    for line in lines:
        shown = in_ascii(visible(line)) if screen.is_ascii else visible(line)
        # Wrapping may put another word at the beginning of a line.
        divided = (rows if screen.is_terminal else wrapped)(shown, screen.width)
        yield from map(visible, divided)
