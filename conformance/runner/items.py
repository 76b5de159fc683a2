"""The items of a run: checks by operation and scheme, their order, and their results."""

import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

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
from conformance.http.packed import PackedText
from conformance.report.console.line import shown
from conformance.runner.context import Context
from conformance.runner.result import ItemResult
from conformance.runner.scheduling import Stage, stage
from conformance.runner.stash import FACT_RESULT, RECORDED, RESULT
from conformance.runner.usage import usage_error

if TYPE_CHECKING:
    from conformance.report.document_types import ExchangeEntry


@dataclass(frozen=True)
class KeptResult:
    """The result of a check until pytest repeats its end: most wait until the run is nearly over.

    A target decides how long its evidence is, which only the `record` has.
    """

    result: ItemResult
    record: PackedText

    @classmethod
    def of(cls, result: ItemResult) -> "KeptResult":
        """A result, and its record."""
        return cls(replace(result, evidence={}), PackedText(record(result)))

    def restored(self) -> tuple[ItemResult, str]:
        """The whole result, and its record."""
        text = self.record.text
        return replace(self.result, evidence=orjson.loads(text)["evidence"]), text


@dataclass(frozen=True)
class Recorded:
    """The items of a run by their names, and the results of those whose checks have ended.

    `finished` are those that nothing has cut. `results` has the results until pytest repeats how
    the check has ended. `facts` has the records of the
    facts that they needed, by name: which check reports one is decided by the order of the run.
    """

    items: Mapping[str, pytest.Item]
    ended: set[str] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    results: dict[str, KeptResult] = field(default_factory=dict)
    facts: dict[str, PackedText | None] = field(default_factory=dict)


def parametrize(metafunc: pytest.Metafunc, id: str, *, reads: bool) -> None:
    """Run a check for each operation of its requirement, and for each scheme, if it has them.

    With `reads`, only for those that change nothing.
    """
    catalogue = requirements.load()
    if id not in catalogue:
        raise usage_error(f"{metafunc.definition.nodeid}: no requirement {id} in requirements.yaml")
    operations = openapi.load().operations
    if "operation" in metafunc.fixturenames:
        stated = [operations[name] for name in catalogue[id].operations]
        chosen = [each for each in stated if not (reads and each.writes)]
        metafunc.parametrize("operation", [pytest.param(each, id=each.id) for each in chosen])
    if "scheme" in metafunc.fixturenames:
        metafunc.parametrize("scheme", api.load().schemes)


def arrange(items: list[pytest.Item], config: pytest.Config) -> None:
    """Select the chosen conformance classes, and sort the items by class."""
    wanted: list[str] = config.getoption("conformance_class")
    left_out = [
        item for item in items if wanted and _is_check(item) and _class_of(item) not in wanted
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: CLASSES.index(_class_of(item)) if _is_check(item) else -1)


def _is_check(item: pytest.Item) -> bool:
    return item.get_closest_marker("requirement") is not None


def requirement_of(item: pytest.Item) -> requirements.Requirement:
    """The requirement of a check."""
    marker = item.get_closest_marker("requirement")
    assert marker is not None
    return requirements.load()[marker.args[0]]


def looks_back(item: pytest.Item) -> bool:
    """Whether a check judges what other checks have sent before it."""
    marker = item.get_closest_marker("requirement")
    return marker is not None and marker.kwargs.get("stage") is Stage.LOOKS_BACK


def _class_of(item: pytest.Item) -> str:
    return requirement_of(item).conformance_class


def operation_of(item: pytest.Item) -> str | None:
    """The operation of a check; None where it is about several."""
    callspec = getattr(item, "callspec", None)
    operation = callspec.params.get("operation") if callspec else None
    if operation is not None:
        return str(operation.id)
    stated = requirement_of(item).operations
    return stated[0] if len(stated) == 1 else None


def stage_of(item: pytest.Function) -> Stage:
    """The stage of the run that a check belongs to."""
    marker = item.get_closest_marker("requirement")
    assert marker is not None
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    operation: Any = parameters.get("operation")
    id = operation.id if operation else None
    return stage(item.function, id, declared=marker.kwargs.get("stage"))


def name_of(item: pytest.Item) -> str:
    """The name of an item in reports: its file without `test_`, its function, its parameters."""
    return f"{item.path.stem.removeprefix('test_')}::{item.name}"


def attach_result(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, context: Context
) -> None:
    """Attach the result of an item to pytest's report, and set the outcome that pytest shows."""
    kept = _recorded(item, call)
    if kept is None:
        result = result_of(item, (call.excinfo.value,) if call.excinfo else (), context)
        text = record(result)
    else:
        result, text = kept.restored()
    report.user_properties.append((RESULT, text))
    shared = records_of_facts(item, context)
    report.user_properties += [(FACT_RESULT, each) for each in shared]
    _show(report, result)
    if report.longrepr and not isinstance(report.longrepr, tuple):
        # A traceback may quote a secret that the target has echoed.
        lines = context.redactor.text(str(report.longrepr)).split("\n")
        report.longrepr = "\n".join(map(shown, lines))
    # So may the records of a library that logs what it receives.
    report.sections = [(name, context.redactor.text(text)) for name, text in report.sections]


def result_of(item: pytest.Item, problems: Sequence[BaseException], context: Context) -> ItemResult:
    """The result of a check that met these problems; it has passed where there is none."""
    return context.finish(findings(requirement_of(item).id, operation_of(item), problems))


def findings(
    requirement: str, operation: str | None, problems: Sequence[BaseException]
) -> tuple[Finding, ...]:
    """The findings that follow from the problems of a check, or that it has passed."""
    return tuple(finding(requirement, operation, problem) for problem in problems or (None,))


def record(result: ItemResult) -> str:
    """A result as it is written."""
    return orjson.dumps(result).decode()


def record_of_fact(fact: Context) -> str | None:
    """The result of a fact as it is written; None where there is nothing in it."""
    result = fact.finish()
    return record(result) if result.exchanges or result.observations else None


def records_of_facts(item: pytest.Item, context: Context) -> Iterator[str]:
    """The results, as they are written, of the facts that an item is the first one to need."""
    known = item.config.stash[RECORDED].facts if RECORDED in item.config.stash else {}
    for fact in context.session.unreported_facts(context):
        shared = _taken(fact.item, known) if fact.item in known else record_of_fact(fact)
        if shared is not None:
            yield shared


def _taken(fact: str, known: dict[str, PackedText | None]) -> str | None:
    """The record of a fact, which is reported once, and needs no place in memory from then on."""
    kept, known[fact] = known[fact], None
    return None if kept is None else kept.text


def _recorded(item: pytest.Item, call: pytest.CallInfo[None]) -> KeptResult | None:
    """The result of a check that was performed before; None where pytest itself has ended it."""
    recorded = item.config.stash.get(RECORDED, None)
    if recorded is None or call.when != "call":
        return None
    return recorded.results.pop(name_of(item), None)


def finding(requirement: str, operation: str | None, problem: BaseException | None) -> Finding:
    """The finding that follows from the end of a check."""
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
            error = "".join(traceback.format_exception_only(problem)).strip()
            return Finding(requirement, Verdict.ERROR, operation, f"{error} ({_place(problem)})")


def _place(problem: BaseException) -> str:
    frame = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"


def is_failed(result: ItemResult) -> bool:
    """Whether pytest shows an item with this result as failed."""
    return _violates(result) or bool(_of_verdict(result, Verdict.ERROR))


def _violates(result: ItemResult) -> bool:
    failed = _of_verdict(result, Verdict.FAIL)
    return any(requirements.load()[found.requirement].level is Level.MUST for found in failed)


def _show(report: pytest.TestReport, result: ItemResult) -> None:
    failed = _of_verdict(result, Verdict.FAIL)
    errors = _of_verdict(result, Verdict.ERROR)
    undecided = _of_verdict(result, Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE)
    if _violates(result):
        report.outcome, report.longrepr = "failed", _rendered(failed, result)
    elif errors:
        report.outcome, report.longrepr = "failed", report.longrepr or _rendered(errors, result)
    elif failed:
        report.outcome, report.longrepr = "skipped", _rendered(failed, result)
        report.wasxfail = shown(f"should: {failed[0].message}")
    elif undecided:
        reason = shown(f"{undecided[0].verdict}: {undecided[0].message}")
        file, line, _ = report.location
        report.outcome, report.longrepr = "skipped", (file, line or 0, reason)


def _of_verdict(result: ItemResult, *verdicts: Verdict) -> list[Finding]:
    return [found for found in result.findings if found.verdict in verdicts]


def _rendered(findings: list[Finding], result: ItemResult) -> str:
    from conformance.report import document  # noqa: PLC0415
    from conformance.report import finding as findings_of  # noqa: PLC0415
    from conformance.report.console import terminal  # noqa: PLC0415

    catalogue = requirements.load()
    lines: list[str] = []
    for found in findings:
        stated = catalogue[found.requirement]
        evidence = cast("Mapping[str, ExchangeEntry]", result.evidence)
        entry = document.requirement(stated, [findings_of.record(found)], evidence)
        lines += terminal.finding(entry, entry["findings"][0])
    return "\n".join(lines)
