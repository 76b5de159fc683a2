"""The records that answers carry: their fields, what must be there, and what may not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs

from conformance.contract.openapi import Contract, Operation
from conformance.rules.judgement import Judgement, Judgements, hold, shown

NAMES = {
    "Account": "account",
    "Project": "project",
    "Video": "video",
    "Localization": "localization",
    "Review": "review",
    "Comment": "comment",
    "Reply": "reply",
    "ActivityItem": "activity",
}
NESTED = {"Video": ("localizations", "Localization"), "Comment": ("replies", "Reply")}
ASPECTS = {"required": "required", "additionalProperties": "closed"}
CLOSED = frozenset({"Account", "Project"})
DEEPEST = 20
"""Levels of a record that are looked at where the validators cannot look at all of them; the contract speaks of three."""
LONGEST_MESSAGE = 300


@dataclass(frozen=True)
class Fault:
    """One value that a schema refuses: in which record, where in it, which keyword refused it, in which named schema."""

    record: int
    path: tuple[str | int, ...]
    keyword: str
    schema: str
    message: str


def examine(data: object, operation: Operation, contract: Contract) -> Judgements:
    """Judge `data` of a success envelope (Resources and their fields)."""
    if not operation.is_list:
        yield from _records([data], operation.resource, contract)
        return
    page = data if isinstance(data, dict) else {}
    items = page.get("items")
    yield hold(
        "page/items",
        isinstance(items, list),
        lambda: f"data without an array of items: {shown(data)}",
        "data: {items, nextCursor}",
    )
    if isinstance(data, dict):
        yield from _cursor(data, operation, contract)
    if isinstance(items, list):
        yield from _records(items, operation.resource, contract)


def _cursor(page: Mapping[str, Any], operation: Operation, contract: Contract) -> Judgements:
    if operation.id == "project_list":
        expected = "nextCursor: a UUID, or null on the last page"
        yield hold(
            "page/next-cursor-present", "nextCursor" in page, lambda: "no nextCursor", expected
        )
    value = page.get("nextCursor")
    fits = value is None or _validator(contract, "Uuid", many=False).is_valid(scrubbed(value))
    yield hold(
        "page/next-cursor",
        fits,
        lambda: f"nextCursor is {shown(value)}",
        "nextCursor: a UUID, or null",
    )


def _records(records: list[Any], resource: str, contract: Contract) -> Judgements:
    if not records:
        return
    try:
        faults = list(_faults(records, resource, contract))
    except ValueError:  # the fast validator stumbles; not while it looks for the first defect, but while it looks for all of them
        records = [scrubbed(record) for record in records]
        faults = list(_faults(records, resource, contract))
    doubted = [
        fault for fault in faults if not _confirmed(records[fault.record], resource, contract)
    ]
    if doubted:
        yield Judgement(
            _requirement(doubted[0], resource),
            f"{doubted[0].message}, says one validator of two",
            unsure=True,
        )
        return
    broken = {_requirement(fault, resource): fault for fault in reversed(faults)}
    for requirement in _exercised(records, resource) | set(broken):
        fault = broken.get(requirement)
        yield Judgement(
            requirement,
            _told(fault) if fault else None,
            "the fields of the resource, with their types",
        )


def _told(fault: Fault) -> str:
    message = (
        fault.message
        if len(fault.message) <= LONGEST_MESSAGE
        else f"{fault.message[:LONGEST_MESSAGE]}…"
    )
    return f"{'.'.join(map(str, fault.path)) or 'the record'}: {message}"


def _exercised(records: list[Any], resource: str) -> set[str]:
    """The requirements that these records put to the test."""
    if resource == "ReviewApproval":
        return {"approval/result"}
    name = NAMES[resource]
    found = {f"{name}/fields", "representation/uuid"}
    if resource in CLOSED:
        found |= {f"{name}/required", f"{name}/closed"}
    if resource == "Account":
        found.add("account/type")
    if resource == "Project":
        found.add("representation/count")
    member, nested = NESTED.get(resource, ("", ""))
    if member and any(isinstance(record, dict) and record.get(member) for record in records):
        found.add(f"{NAMES[nested]}/fields")
    return found


def _requirement(fault: Fault, resource: str) -> str:
    """The requirement that a fault breaks: the narrowest one that speaks of it."""
    if resource == "ReviewApproval":
        return "approval/result"
    if fault.schema == "Uuid" and fault.keyword in {"pattern", "format", "maxLength"}:
        return "representation/uuid"
    if fault.schema == "Count" and fault.keyword in {"minimum", "maximum"}:
        return "representation/count"
    if fault.keyword == "enum":
        return "account/type"
    name = NAMES[_holder(fault, resource)]
    return f"{name}/{ASPECTS.get(fault.keyword, 'fields')}"


def _holder(fault: Fault, resource: str) -> str:
    member, nested = NESTED.get(resource, ("", ""))
    # Below a nested array comes an index, then the field.
    return nested if member and len(fault.path) > 1 and fault.path[0] == member else resource


def _faults(records: list[Any], resource: str, contract: Contract) -> Iterator[Fault]:
    validator = _validator(contract, resource, many=True)
    if validator.is_valid(records):
        return
    for error in validator.iter_errors(records):
        path = list(error.schema_path)
        named = path[-2] if path[-3:-2] == ["$defs"] else ""
        index, *place = error.instance_path
        yield Fault(int(index), tuple(place), str(error.kind.name), str(named), error.message)


def _confirmed(record: object, resource: str, contract: Contract) -> bool:
    """Whether a second, independent validator refuses the record too."""
    return not _second_opinion(contract, resource).is_valid(record)


def scrubbed(value: Any, depth: int = DEEPEST) -> Any:
    """The value without what the fast validator stumbles on, lone surrogates and deep nesting; no type of a member changes."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [scrubbed(item, depth - 1) for item in value] if depth else []
    if isinstance(value, dict):
        return (
            {scrubbed(key): scrubbed(item, depth - 1) for key, item in value.items()}
            if depth
            else {}
        )
    return value


@cache
def _validator(contract: Contract, resource: str, *, many: bool) -> Any:
    schema = contract.schema(resource)
    definitions = schema.pop("$defs", {})
    wrapped = {"type": "array", "items": schema} if many else schema
    return jsonschema_rs.Draft202012Validator(
        {**wrapped, "$defs": definitions}, validate_formats=True
    )


@cache
def _second_opinion(contract: Contract, resource: str) -> Any:
    # Imported late: it is only needed once a target is about to be blamed.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    return Draft202012Validator(
        contract.schema(resource), format_checker=Draft202012Validator.FORMAT_CHECKER
    )
