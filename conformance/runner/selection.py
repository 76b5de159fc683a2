"""Narrowed runs: which checks --only, --last-failed and --failed-first ask for."""

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

from conformance.contract import openapi, requirements
from conformance.contract.verdict import Level, Verdict
from conformance.http.exchange import FACT
from conformance.report import previous, selection
from conformance.report.document_types import FindingEntry, Report
from conformance.report.previous import PreviousError
from conformance.report.selection import Place, Selection
from conformance.runner import stated_inputs
from conformance.runner.focus import Focus
from conformance.runner.items import name_of, operation_of, requirement_of
from conformance.runner.usage import usage_error

RESOLVED = "conformance_selected"
"""The attribute of pytest's options with what they mean; xdist hands it on to its workers."""

SELECTING = ("keyword", "markexpr", "deselect", "lf")
"""The options of pytest that leave out checks."""

WITNESSES = {
    "error": ("authentication/missing", "read/absent", "arguments/id", "arguments/limit"),
    "page": ("pagination/limit", "read/success"),
    "limits": ("limits/rate",),
    "observe": ("approval/one-key-at-once", "approval/many-keys-at-once"),
}
"""The checks whose exchanges exercise what only rules check, by the area of the requirement."""

USUAL = ("read/success", "arguments/accepted", "approval/success")
MOST_WITNESSES = 3
"""Checks of an earlier run that have seen one failure, and that are performed for it."""

UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
MOST_IDS = 30


class Failure(NamedTuple):
    """What failed in an earlier run: the requirement, the operation, and the checks that saw it.

    `ids` are those of the records that its requests name, `limits` the page sizes.
    """

    requirement: str
    operation: str | None
    checks: list[str]
    ids: list[str]
    limits: list[int]

    @property
    def place(self) -> Place:
        """The requirement and the operation."""
        return self.requirement, self.operation


def of(config: pytest.Config) -> Selection | None:
    """What the options ask for; None where that is the whole. Raises UsageError."""
    places = _resolved(config)["only"]
    return None if places is None else Selection(tuple((id, name) for id, name in places))


def _resolved(config: pytest.Config) -> dict[str, Any]:
    """The places of the options, and what failed before, as values that xdist can hand on.

    The report of the earlier run is read before this one writes its own.
    """
    if not hasattr(config.option, RESOLVED):
        names = stated_inputs.named(config, "only", "operation", [*openapi.load().operations])
        is_last = config.getoption("conformance_last_failed")
        if is_last and names:
            raise usage_error("--last-failed is what --only names already: leave out one of them")
        failed = _failures(config) if names or any(_asking(config)) else []
        chosen = selection.of_names(names).places if names else None
        places = list(dict.fromkeys(each.place for each in failed)) if is_last else chosen
        resolved = {"only": places, "failed": list(map(tuple, failed))}
        setattr(config.option, RESOLVED, resolved)
    found: dict[str, Any] = getattr(config.option, RESOLVED)
    return found


def _failed_before(config: pytest.Config) -> list[Failure]:
    return [Failure(*each) for each in _resolved(config)["failed"]]


def _asking(config: pytest.Config) -> list[str]:
    """The options that are about the last run."""
    names = ("last-failed", "failed-first")
    return [each for each in names if config.getoption(f"conformance_{each.replace('-', '_')}")]


def _failures(config: pytest.Config) -> list[Failure]:
    """What failed in the last run of the report folder; UsageError where that is asked for."""
    directory, asking = stated_inputs.report_directory(config), _asking(config)
    try:
        failed = list(_failed(previous.load(directory)))
    except PreviousError as problem:
        if not asking:
            return []
        raise usage_error(f"--{asking[0]}: {problem}") from None
    if not failed and "last-failed" in asking:
        raise usage_error(f"--last-failed: nothing failed in {directory / previous.FILE}")
    return failed


def _failed(report: Report) -> Iterator[Failure]:
    known = requirements.load()
    for entry in report["requirements"]:
        if entry["level"] == Level.OBSERVE or entry["id"] not in known:
            continue
        for found in entry["findings"]:
            if found["verdict"] in (Verdict.FAIL, Verdict.ERROR):
                checks = [item for item in found["items"] if not item.startswith(FACT)]
                named = (checks[:MOST_WITNESSES], _ids_in(found), _limits_in(found))
                yield Failure(entry["id"], found["operation"], *named)


def _ids_in(found: FindingEntry) -> list[str]:
    """The ids that the requests of a finding name."""
    requests = (each["request"] for each in found["exchanges"])
    texts = (f"{each['url']} {(each['body'] or {}).get('text', '')}" for each in requests)
    return [id.lower() for text in texts for id in UUID.findall(text)][:MOST_IDS]


def _limits_in(found: FindingEntry) -> list[int]:
    queries = (parse_qs(urlsplit(each["request"]["url"]).query) for each in found["exchanges"])
    stated = [limit for query in queries for limit in query.get("limit", ())]
    stated.append(found.get("condition", {}).get("limit", ""))
    return [int(limit) for limit in stated if re.fullmatch("[0-9]{1,3}", limit)]


def keep(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave out the checks that were not asked for."""
    chosen, before = of(config), _failed_before(config)
    checks = [item for item in items if item.get_closest_marker("requirement")]
    if chosen is not None:
        wanted = set().union(*(_checks_of(place, checks, before) for place in chosen.places))
        if config.getoption("conformance_last_failed"):
            wanted = _which_failed(wanted, before)
        left_out = [item for item in checks if item not in wanted]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def failed_first(checks: Collection[pytest.Item], config: pytest.Config) -> set[pytest.Item]:
    """The checks of what failed before, where the run begins with them."""
    if not config.getoption("conformance_failed_first"):
        return set()
    before = _failed_before(config)
    return set().union(*(_checks_of(each.place, checks, before) for each in before))


def _checks_of(
    place: Place, checks: Collection[pytest.Item], before: Collection[Failure]
) -> set[pytest.Item]:
    """The checks of a requirement on an operation.

    What only rules check is exercised by those that have seen it fail, or by some that are likely.
    """
    id, operation = place
    own = _nearest([item for item in checks if _is_at(item, id, operation)], operation)
    seen = [name for each in before if _covers(place, each.place) for name in each.checks]
    witnesses = [item for item in checks if name_of(item) in seen]
    if witnesses and own.isdisjoint(witnesses):
        own.add(min(witnesses, key=lambda item: operation_of(item) != operation))
    if own or id is None:
        return own
    likely = WITNESSES.get(id.partition("/")[0], USUAL)
    exercising = [item for item in checks if requirement_of(item).id in likely]
    if operation is not None:
        return {item for item in exercising if operation_of(item) == operation}
    stated = requirements.load()[id].operations
    return {item for item in exercising if operation_of(item) in stated or not stated}


def _which_failed(wanted: set[pytest.Item], before: Collection[Failure]) -> set[pytest.Item]:
    """The checks that have failed, without others of their requirements that have not."""
    saw = {name for each in before for name in each.checks}
    own = {requirement_of(item).id for item in wanted if name_of(item) in saw}
    return {item for item in wanted if name_of(item) in saw or requirement_of(item).id not in own}


def _nearest(items: Collection[pytest.Item], operation: str | None) -> set[pytest.Item]:
    """Those on an operation alone, where there are such, and not those on several."""
    alone = {item for item in items if operation_of(item) == operation}
    return alone if alone and operation is not None else {*items}


def _is_at(item: pytest.Item, id: str | None, operation: str | None) -> bool:
    """Whether a check is that of a place; one of several operations is that of each of them."""
    if id is None:
        return operation_of(item) == operation
    return requirement_of(item).id == id and (
        operation is None or operation_of(item) in (operation, None)
    )


def _covers(place: Place, failure: Place) -> bool:
    id, operation = place
    return id in (None, failure[0]) and operation in (None, failure[1])


def focus(items: Collection[pytest.Item], config: pytest.Config) -> Focus | None:
    """What a narrowed run looks at; None for a run of whole classes.

    What several checks share is found for its requirements only.
    """
    chosen = of(config)
    is_narrow = any("::" in argument for argument in config.args) or any(
        config.getoption(name, None) for name in SELECTING
    )
    if chosen is None and not is_narrow:
        return None
    places = chosen.places if chosen else ()
    failed = [
        each for each in _failed_before(config) if any(_covers(one, each.place) for one in places)
    ]
    checks = (item for item in items if item.get_closest_marker("requirement"))
    return Focus(
        frozenset(requirement_of(item).id for item in checks),
        frozenset(id for each in failed for id in each.ids),
        frozenset(limit for each in failed for limit in each.limits),
    )
