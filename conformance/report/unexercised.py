"""What the data of the target did not exercise: a pass says nothing about it."""

from collections.abc import Iterator

from conformance.contract.quantity import quantity
from conformance.report.document_types import Report

ID = "observe/data"


def of(report: Report) -> Iterator[tuple[str, str]]:
    """What no list of the target had, with the operations, and what would exercise it."""
    operations: dict[tuple[str, str], list[str]] = {}
    for seen in report["observations"]:
        if seen["id"] == ID:
            operation, _, condition = seen["subject"].partition(": ")
            operations.setdefault((condition, str(seen["values"][0])), []).append(operation)
    for (condition, remedy), names in operations.items():
        yield f"{', '.join(names)}: {condition}", remedy


def sentence(report: Report) -> str:
    """How much that is; "" for nothing."""
    number = len(list(of(report)))
    if not number:
        return ""
    return f"The data of the target lacks {quantity(number, 'condition')} that defects need to show"
