"""The items of a run: one for each check, operation and scheme; their order, their names, and what their end means."""

import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import orjson
import pytest

from conformance.contract import api, openapi, requirements
from conformance.contract.requirements import CLASSES
from conformance.contract.verdict import (
    Finding,
    Inconclusive,
    Level,
    NotApplicable,
    Verdict,
    Violation,
)
from conformance.runner.result import ItemResult
from conformance.runner.session import Session

if TYPE_CHECKING:
    from conformance.report.document_types import ExchangeEntry

FOUND = (Violation, Inconclusive, NotApplicable)
"""What a check raises of a target; anything else is a mistake of the checker."""


def parametrize(metafunc: pytest.Metafunc, id: str) -> None:
    """Run a check once for each operation of its requirement and for each scheme, where it asks for them."""
    catalogue = requirements.load()
    if id not in catalogue:
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: no requirement {id} in requirements.yaml"
        )
    operations = openapi.load().operations
    if "operation" in metafunc.fixturenames:
        metafunc.parametrize(
            "operation",
            [pytest.param(operations[name], id=name) for name in catalogue[id].operations],
        )
    if "scheme" in metafunc.fixturenames:
        metafunc.parametrize("scheme", api.load().schemes)


def arrange(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave only the classes asked for, and put classes in their order."""
    wanted = chosen(config)
    left_out = [
        item for item in items if wanted and _is_check(item) and _class_of(item) not in wanted
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: CLASSES.index(_class_of(item)) if _is_check(item) else -1)


def chosen(config: pytest.Config) -> list[str]:
    """The classes that the options name; none for all of them. Raises UsageError for one that there is not."""
    wanted: list[str] = config.getoption("conformance_class")
    if unknown := [name for name in wanted if name not in CLASSES]:
        raise pytest.UsageError(
            f"no conformance class {unknown[0]}; there are {', '.join(CLASSES)}"
        )
    return wanted


def _is_check(item: pytest.Item) -> bool:
    return item.get_closest_marker("requirement") is not None


def requirement_of(item: pytest.Item) -> requirements.Requirement:
    """The requirement that a check judges."""
    marker = item.get_closest_marker("requirement")
    assert marker is not None
    return requirements.load()[marker.args[0]]


def _class_of(item: pytest.Item) -> str:
    return requirement_of(item).conformance_class


def operation_of(item: pytest.Item) -> str | None:
    """The operation that a check judges; None where it judges several."""
    callspec = getattr(item, "callspec", None)
    operation = callspec.params.get("operation") if callspec else None
    if operation is not None:
        return str(operation.id)
    stated = requirement_of(item).operations
    return stated[0] if len(stated) == 1 else None


def name_of(item: pytest.Item) -> str:
    """The name of an item in reports: its file without `test_`, its function, its parameters."""
    return f"{item.path.stem.removeprefix('test_')}::{item.name}"


def judge(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, session: Session
) -> None:
    """Turn the end of a check, and the rules' findings on its exchanges, into the outcome that pytest shows."""
    own = finding(
        requirement_of(item).id, operation_of(item), call.excinfo.value if call.excinfo else None
    )
    record = session.end((own,))
    report.user_properties.append(("conformance", orjson.dumps(record).decode()))
    _show(report, record)
    if report.longrepr and not isinstance(
        report.longrepr, tuple
    ):  # a traceback may quote what a target has echoed
        report.longrepr = session.redactor.text(str(report.longrepr))


def finding(requirement: str, operation: str | None, problem: BaseException | None) -> Finding:
    """What the end of a check says of its requirement."""
    match problem:
        case None:
            return Finding(requirement, Verdict.PASS, operation)
        case Violation():
            where = problem.operation or operation
            return Finding(
                requirement,
                Verdict.FAIL,
                where,
                problem.message,
                problem.expected,
                (),
                problem.exchanges,
                defect=problem.defect,
            )
        case Inconclusive():
            return Finding(
                requirement,
                Verdict.INCONCLUSIVE,
                operation,
                problem.message,
                "",
                problem.needs,
                problem.exchanges,
            )
        case NotApplicable():
            return Finding(requirement, Verdict.NOT_APPLICABLE, operation, str(problem))
        case _:
            told = "".join(traceback.format_exception_only(problem)).strip()
            return Finding(requirement, Verdict.ERROR, operation, f"{told} ({_place(problem)})")


def _place(problem: BaseException) -> str:
    frame = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"


def _show(report: pytest.TestReport, record: ItemResult) -> None:
    broken = [found for found in record.findings if found.verdict is Verdict.FAIL]
    levels = {requirements.load()[found.requirement].level for found in broken}
    errors = [found for found in record.findings if found.verdict is Verdict.ERROR]
    undecided = [
        found
        for found in record.findings
        if found.verdict in {Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE}
    ]
    if Level.MUST in levels:
        report.outcome, report.longrepr = "failed", _told(broken, record)
    elif errors:
        report.outcome, report.longrepr = "failed", report.longrepr or _told(errors, record)
    elif broken:
        report.outcome, report.longrepr = "skipped", _told(broken, record)
        report.wasxfail = f"should: {broken[0].message}"
    elif undecided:
        told = f"{undecided[0].verdict}: {undecided[0].message}"
        report.outcome, report.longrepr = (
            "skipped",
            (report.location[0], report.location[1] or 0, told),
        )


def _told(findings: list[Finding], record: ItemResult) -> str:
    from conformance.report import document  # noqa: PLC0415
    from conformance.report import finding as findings_of  # noqa: PLC0415
    from conformance.report.console import terminal  # noqa: PLC0415

    catalogue = requirements.load()
    lines: list[str] = []
    for found in findings:
        stated = catalogue[found.requirement]
        evidence = cast("Mapping[str, ExchangeEntry]", record.evidence)
        entry = document.requirement(stated, [findings_of.record(found)], evidence)
        lines += terminal.told(entry, entry["findings"][0])
    return "\n".join(lines)
