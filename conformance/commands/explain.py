"""`conformance explain`: what a requirement means, what is accepted, and what proves its check."""

import argparse
import sys
import textwrap
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from conformance.assurance.clients import edited
from conformance.assurance.selftest import catalogue
from conformance.assurance.selftest.population import Mutant, Subject, Variant, shipped
from conformance.commands.outcome import UsageError
from conformance.contract import documentation, interpretations, requirements
from conformance.contract.exit_codes import CONFORMANT
from conformance.contract.interpretations import Interpretation
from conformance.contract.requirements import CLIENT, Requirement
from conformance.contract.verdict import Level
from conformance.report.console import output
from conformance.report.console.screen import Screen

LEVELS = {
    Level.MUST: "must: a violation makes the run non-conformant",
    Level.SHOULD: "should: a violation is a warning",
    Level.OBSERVE: "observe: the report describes what is done, and nothing fails",
}
LABEL = 13
NOTHING = "–"


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation; UsageError with the nearest ids for an unknown one."""
    known = requirements.every()
    if arguments.requirement not in known:
        raise UsageError(_unknown(arguments.requirement, list(known)))
    width = Screen.of(sys.stdout).width
    subjects = (*shipped(), *edited.as_mutants())
    text = lines(known[arguments.requirement], subjects, width)
    output.lines(text)
    return CONFORMANT


def lines(stated: Requirement, subjects: Sequence[Subject], width: int) -> Iterator[str]:
    """The explanation of a requirement, line by line."""
    yield stated.id
    yield from _labelled("requirement", stated.statement, width)
    yield from _labelled("section", f"{stated.section} (of the specification)", width)
    yield from _labelled("level", LEVELS[stated.level], width)
    whole = "the client" if stated.conformance_class == CLIENT else "the deployment"
    yield from _labelled("operations", ", ".join(stated.operations) or whole, width)
    if stated.needs:
        yield from _labelled("needs", ", ".join(stated.needs), width)
    if stated.untested is not None:
        yield from _labelled("not checked", stated.untested, width)
    else:
        yield from _labelled("checked by", ", ".join(catalogue.checks().get(stated.id, ())), width)
    found = interpretations.of(stated.id)
    yield from _interpretations(found, width)
    yield from _proofs(stated.id, found, subjects, width)
    yield ""
    here = f"{documentation.page(stated.id)} of the documentation"
    yield from _labelled("more", documentation.link(stated.id) or here, width)


def _interpretations(found: Sequence[Interpretation], width: int) -> Iterator[str]:
    for each in found:
        yield ""
        yield from _labelled("point", each.point, width)
        yield from _labelled("accepted", each.accepted, width)
        if each.rejected != NOTHING:
            yield from _labelled("never", each.rejected, width)
        if each.reason != NOTHING:
            yield from _labelled("because", each.reason, width)


def _proofs(
    id: str, found: Sequence[Interpretation], subjects: Sequence[Subject], width: int
) -> Iterator[str]:
    """The mutants that fail the requirement, and the variants that have to pass."""
    mutants: list[Subject] = [
        each for each in subjects if isinstance(each, Mutant) and id in each.breaks
    ]
    readings = {each.reading for each in found if each.reading is not None}
    variants: list[Subject] = [
        each for each in subjects if isinstance(each, Variant) and each.reading in readings
    ]
    for title, some in (("fails for", mutants), ("passes for", variants)):
        if some:
            yield ""
        for number, each in enumerate(some):
            yield from _labelled("" if number else title, f"{each.id}: {each.about}", width)


def _labelled(label: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text.replace("`", ""),
        width,
        initial_indent=f"  {label:{LABEL}}",
        subsequent_indent=" " * (LABEL + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _unknown(id: str, known: Sequence[str]) -> str:
    """Why an id is rejected, with the ids that were meant most likely."""
    area = [each for each in known if each.startswith(f"{id.rstrip('/')}/")]
    points = [each for each in known if each.partition("/")[2] == id]
    near = area or points or get_close_matches(id, known, 1)
    suggestion = f"did you mean {', '.join(near)}?" if near else "`conformance requirements` lists"
    return f"unknown requirement {id!r}; {suggestion}" + ("" if near else " them")
