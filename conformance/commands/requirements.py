"""`conformance requirements`: the catalogue, for people or as JSON."""

import argparse
import textwrap
from collections.abc import Iterator
from dataclasses import asdict

from conformance.contract import requirements
from conformance.contract.exit_codes import CONFORMANT
from conformance.contract.requirements import Requirement
from conformance.report.console import output

WIDTH = 100
LISTED = (*requirements.CLASSES, requirements.CLIENT)
"""The classes in the order of the list."""


def run(arguments: argparse.Namespace) -> int:
    """Write the requirements of the chosen classes, or of all, to standard output."""
    chosen = [
        entry
        for entry in requirements.every().values()
        if entry.conformance_class in (arguments.classes or LISTED)
    ]
    if arguments.json:
        output.document([_document(entry) for entry in chosen])
    else:
        output.lines(lines(chosen))
    return CONFORMANT


def lines(entries: list[Requirement]) -> Iterator[str]:
    """The requirements by class, in the order in which classes are checked, one paragraph each."""
    for name in LISTED:
        of_class = [entry for entry in entries if entry.conformance_class == name]
        if of_class:
            yield f"{name.upper()}: {_tally(of_class)}"
        for entry in of_class:
            yield ""
            yield from _paragraphs(entry)
        if of_class:
            yield ""


def _tally(of_class: list[Requirement]) -> str:
    checked = sum(entry.is_checked for entry in of_class)
    untested = sum(entry.untested is not None for entry in of_class)
    counts = {
        "checked": checked,
        "observed": len(of_class) - checked - untested,
        "not testable from outside": untested,
    }
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number)


def _paragraphs(entry: Requirement) -> Iterator[str]:
    yield f"  {entry.id}  ({entry.level}; {entry.section})"
    yield from _paragraph(entry.statement)
    if entry.needs:
        yield from _paragraph(f"needs {', '.join(entry.needs)}")
    if entry.untested:
        yield from _paragraph(f"not checked: {entry.untested}")


def _paragraph(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _document(entry: Requirement) -> dict[str, object]:
    """An entry with the names of the catalogue file and the report."""
    document = asdict(entry)
    for of_a_revision in ("unscored", "contested"):  # the catalogue belongs to none
        del document[of_a_revision]
    conformance_class = document.pop("conformance_class")
    return {**document, "class": conformance_class}
