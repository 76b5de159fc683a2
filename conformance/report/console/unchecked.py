"""What a run did not check, for a terminal: what is needed, and what blocked it."""

import textwrap
from collections.abc import Iterator, Sequence

from conformance.contract.quantity import quantity
from conformance.report import coverage, needs, unchecked
from conformance.report.console.line import Span
from conformance.report.document_types import BlockerEntry, NeedEntry, Report, UncheckedEntry
from conformance.report.text import short

WIDTH = 80
INDENT = " " * 6
LONGEST_MESSAGE = 300
MOST_WITH_LINES = 3
"""Needs whose lines of a profile are shown, unless everything is."""
FEW_BLOCKERS, FEW_NAMES = 3, 2


def spans(report: Report, *, show_all: bool) -> Iterator[list[Span]]:
    """What is needed for each requirement, line by line; nothing if everything was checked.

    The names of many are left out unless `show_all`.
    """
    rest = unchecked.of(report)
    if not rest["count"]:
        return
    part = coverage.of(report)["part"]
    count = quantity(rest["count"], "requirement") + (f", {part} of them in part" if part else "")
    pronoun = "it" if rest["count"] == 1 else "them"
    yield [("NOT CHECKED", "warn"), (f"  {count}; what is needed to check {pronoun}:", "")]
    for need in rest["needs"]:
        yield [(f"  {needs.label(need)}", "strong"), (f"  {_number(need)}", "")]
        if show_all or need in rest["needs"][:MOST_WITH_LINES]:
            yield from ([(f"{INDENT}{line}", "")] for line in need["lines"] if line)
        if show_all or len(need["requirements"]) <= FEW_NAMES:
            yield from _names(need["requirements"])
    yield from _blockers(rest["blocked-by"], show_all=show_all)
    if not show_all:
        yield [("  (--show-all shows all lines, and names all requirements)", "dim")]
    yield []


def _number(need: NeedEntry) -> str:
    """How many requirements a need adds, by itself and together with others."""
    total, alone = len(need["requirements"]), need.get("adds")
    number = quantity(total, "requirement")
    if alone is None or alone == total:
        return number
    if alone:
        return f"{number}, {alone} of them by itself"
    beside = need.get("beside", ())
    return f"{number}, together with {', and '.join(beside) if beside else 'other keys'}"


def _blockers(blockers: Sequence[BlockerEntry], *, show_all: bool) -> Iterator[list[Span]]:
    if blockers:
        yield [("  Blocked by:", "")]
    most = len(blockers) if show_all else FEW_BLOCKERS
    for blocker in blockers[:most]:
        number = quantity(len(blocker["requirements"]), "requirement")
        yield [(f"  {short(blocker['message'], LONGEST_MESSAGE)}", "strong"), (f"  {number}", "")]
        if show_all or len(blocker["requirements"]) <= FEW_NAMES:
            yield from _names(blocker["requirements"])
    if rest := blockers[most:]:
        yield [(f"  … and {quantity(len(rest), 'other reason')} in report.json", "")]


def _names(requirements: Sequence[UncheckedEntry]) -> Iterator[list[Span]]:
    """The ids of requirements, wrapped; those on the same operations together."""
    by_place: dict[str, list[str]] = {"": []}
    for each in requirements:
        by_place.setdefault(_place(each["operations"]), []).append(each["requirement"])
    for place, ids in by_place.items():
        if not ids:
            continue
        text = f"{place}: {', '.join(ids)}" if place else ", ".join(ids)
        for line in textwrap.wrap(
            text,
            WIDTH,
            initial_indent=INDENT,
            subsequent_indent=INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        ):
            yield [(line, "dim")]


def _place(operations: Sequence[str]) -> str:
    if len(operations) > 1:
        return "on some operations"
    return f"on {operations[0]}" if operations else ""
