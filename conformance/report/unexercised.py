"""What the data of the target did not exercise: a pass says nothing about it."""

from collections.abc import Iterator

from conformance.contract.quantity import quantity
from conformance.report.document_types import Report

ID = "observe/data"


def of(report: Report) -> Iterator[tuple[str, str]]:
    """What no list of the target had, with the operation, and what would exercise it."""
    for seen in report["observations"]:
        if seen["id"] == ID:
            yield seen["subject"], str(seen["values"][0])


def sentence(report: Report) -> str:
    """How much that is; "" for nothing."""
    number = len(list(of(report)))
    if not number:
        return ""
    return f"The data of the target lacks {quantity(number, 'condition')} that defects need to show"
