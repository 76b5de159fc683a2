"""Records that are shown in several places, compared: what both places show of one has to be the same."""

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import jsonschema_rs

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Contract
from conformance.rules.validation import scrubbed
from conformance.suite.lists.walk import record_key

Record = Mapping[str, Any]


def differing(one: Record, other: Record) -> list[str]:
    """The members that both records have, with values that say different things."""
    return [name for name in one if name in other and not _same(one[name], other[name])]


def changes(name: str, records: list[dict[str, Any]]) -> bool:
    """Whether a member has not the same value in every one of these readings of one record."""
    return any(not alike(one.get(name), other.get(name)) for one, other in pairwise(records))


def alike(one: Any, other: Any) -> bool:
    """Whether two values are equal, but for the letters in which ids are written."""
    return bool(_spelt(one) == _spelt(other))


def _spelt(value: Any) -> Any:
    """A value with its ids in small letters."""
    if isinstance(value, dict):
        return {name: _spelt(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_spelt(item) for item in value]
    return value.lower() if is_uuid(value) else value


def fits(contract: Contract, resource: str, name: str, value: object) -> bool:
    """Whether a member of a record has a value that the contract allows; one that has not is judged by the rules, and not for differing."""
    validator = _validator(contract, resource, name)
    try:
        return bool(validator.is_valid(value))
    except ValueError:  # the fast validator stumbles over what the contract allows
        return bool(validator.is_valid(scrubbed(value)))


def suits(contract: Contract, resource: str, name: str, record: Record) -> bool:
    """Whether a member of a record fits, also beside the members that its type depends on."""
    decisive = contract.schema(resource).get("if", {}).get("properties", {})
    beside = {key: record[key] for key in (name, *decisive) if key in record}
    return fits(contract, resource, name, record[name]) and bool(
        _dependence(contract, resource).is_valid(scrubbed(beside))
    )


@cache
def _dependence(contract: Contract, resource: str) -> Any:
    schema = contract.schema(resource)
    return jsonschema_rs.Draft202012Validator(
        {key: schema[key] for key in ("if", "then", "$defs") if key in schema}
    )


@cache
def _validator(contract: Contract, resource: str, name: str) -> Any:
    schema = contract.schema(resource)
    return jsonschema_rs.Draft202012Validator(
        {**schema["properties"][name], "$defs": schema.get("$defs", {})}, validate_formats=True
    )


def _same(one: Any, other: Any) -> bool:
    """Whether two values say the same: ids in any letters, records in any order and with members that only one of them has."""
    if one == other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return not differing(one, other)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        known = {record_key(item): item for item in other if isinstance(item, dict)}
        twins = [
            known.get(record_key(item), last) if isinstance(item, dict) else last
            for item, last in zip(one, other, strict=True)
        ]
        return all(map(_same, one, other)) or all(map(_same, one, twins))
    return alike(one, other)
