"""Why the target or a credential blocked checks, for a terminal: before everything else."""

from collections.abc import Iterator

from conformance.contract.quantity import quantity
from conformance.report import unchecked
from conformance.report.console.line import Span
from conformance.report.document_types import Report

MOST = 4


def spans(report: Report) -> Iterator[list[Span]]:
    """Each reason once, with its remedy; nothing if nothing was rejected."""
    found = unchecked.of(report).get("rejections", [])
    for each in found[:MOST]:
        number = quantity(len(each["requirements"]), "requirement")
        yield [("BLOCKED", "bad"), (f"  {each['message']}: ", ""), (f"{number} not checked", "")]
        yield [("  remedy  ", "dim"), (each["remedy"], "strong")]
    if rest := found[MOST:]:
        yield [(f"  … and {quantity(len(rest), 'other reason')} in report.json", "")]
    if found:
        yield []
