"""Records validated against the schemas of the contract, by two independent validators."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs

from conformance.contract.late_imports import ALONE
from conformance.contract.openapi import Contract

DEEPEST = 20
"""Levels of a record that are checked where a validator cannot read all; the contract has three."""


@dataclass(frozen=True)
class Fault:
    """One value that a schema rejects.

    `record` is the index of the record, `path` leads to the value in it, `keyword` is what rejected
    it, and `parameter` is the value of that keyword: the absent property for `required`, the extra
    ones for `additionalProperties`. `schema` is the named schema of the contract, or "".
    """

    record: int
    path: tuple[str | int, ...]
    keyword: str
    parameter: Any
    schema: str
    value: Any


def faults(records: list[Any], resource: str, contract: Contract) -> list[Fault]:
    """What the schema of a resource rejects in these records: of alike faults, the first one."""
    try:
        return list(_faults(records, resource, contract))
    except ValueError:  # the fast validator finds the first defect, and fails on listing all
        return list(_faults([scrubbed(record) for record in records], resource, contract))


def _faults(records: list[Any], resource: str, contract: Contract) -> Iterator[Fault]:
    validator = _validator(contract, resource, many=True)
    if validator.is_valid(records):
        return
    known: set[tuple[object, ...]] = set()
    for error in validator.iter_errors(records):
        kind = _kind(error)
        if kind in known:
            continue
        known.add(kind)
        path = list(error.schema_path)
        named = path[-2] if path[-3:-2] == ["$defs"] else ""
        index, *place = error.instance_path
        keyword, parameter = str(error.kind.name), error.kind.value
        yield Fault(int(index), tuple(place), keyword, parameter, str(named), error.instance)


def _kind(error: Any) -> tuple[object, ...]:
    """What alike faults have in common: the place in the schema, and the absent property."""
    names = (step for step in error.instance_path if isinstance(step, str))
    keyword = str(error.kind.name)
    return (*error.schema_path, *names, error.kind.value if keyword == "required" else None)


def is_confirmed(record: object, resource: str, contract: Contract) -> bool:
    """Whether a second, independent validator rejects the record too."""
    return not _second_opinion(contract, resource).is_valid(scrubbed(record))


def is_uuid(value: object, contract: Contract) -> bool:
    """Whether a value is a UUID of the contract (Common conventions)."""
    return bool(_validator(contract, "Uuid", many=False).is_valid(scrubbed(value)))


def scrubbed(value: Any, depth: int = DEEPEST) -> Any:
    """The value without lone surrogates and deep nesting, which the fast validator cannot read.

    No type of a property changes.
    """
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
    schema = dict(contract.schema(resource))
    definitions = schema.pop("$defs", {})
    wrapped = {"type": "array", "items": schema} if many else schema
    return jsonschema_rs.Draft202012Validator(
        {**wrapped, "$defs": definitions}, validate_formats=True
    )


@cache
def _second_opinion(contract: Contract, resource: str) -> Any:
    with ALONE:  # imported late: it is only needed once a target is about to be blamed
        from jsonschema import Draft202012Validator  # noqa: PLC0415

    return Draft202012Validator(
        contract.schema(resource), format_checker=Draft202012Validator.FORMAT_CHECKER
    )
