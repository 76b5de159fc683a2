"""Records that are shown in several places: the properties that both places show have to agree."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import jsonschema_rs

from conformance.contract import api
from conformance.contract.identifiers import alike, is_uuid
from conformance.contract.openapi import Contract
from conformance.rules.validation import scrubbed

Record = Mapping[str, Any]


REASON, NO_REASON = "approvalUnavailableReason", (None, "")


def of_contract(contract: Contract, resource: str, record: Record) -> dict[str, Any]:
    """A record, and the records in it, without the properties that the contract does not name."""
    properties, compared = contract.schema(resource)["properties"], without_no_reason(record)
    named = {name: value for name, value in compared.items() if name in properties}
    array, nested = api.derive(contract).nested.get(resource, ("", ""))
    items = named.get(array)
    if isinstance(items, list):
        named[array] = [
            of_contract(contract, nested, item) if isinstance(item, dict) else item
            for item in items
        ]
    return named


def without_no_reason(record: Record) -> Record:
    """A review that can be approved, without its reason: absent, empty and null say the same."""
    if record.get("approvable") is not True or record.get(REASON) not in NO_REASON:
        return record
    return {name: value for name, value in record.items() if name != REASON}


def differing(one: Record, other: Record) -> list[str]:
    """The properties that both records have, with different values."""
    return [name for name in one if name in other and not _same(one[name], other[name])]


def differing_of_contract(
    contract: Contract, resource: str, one: Record, other: Record
) -> list[str]:
    """The properties of the contract in which two reads of a record differ, and both are valid."""
    named, other_named = (of_contract(contract, resource, record) for record in (one, other))
    return [
        name
        for name in differing(named, other_named)
        if all(suits(contract, resource, name, shown) for shown in (one, other))
    ]


def differing_by_tool(
    contract: Contract, resource: str, over_http: Record, by_tool: Record
) -> list[str]:
    """The valid properties of a record over HTTP that a tool shows otherwise, or not at all.

    It may leave out what the contract does not require (What the service does, Versioning).
    """
    named, other = (of_contract(contract, resource, record) for record in (over_http, by_tool))
    required = contract.schema(resource).get("required", ())
    omitted = (name for name in named if name in required and name not in other)
    names = (*differing(named, other), *omitted)
    return [name for name in names if suits(contract, resource, name, over_http)]


def in_lower_case(value: Any) -> Any:
    """A value with every text in it in lower case."""
    if isinstance(value, dict):
        return {name: in_lower_case(item) for name, item in value.items()}
    if isinstance(value, list):
        return [in_lower_case(item) for item in value]
    return value.lower() if isinstance(value, str) else value


def changes(name: str, records: list[dict[str, Any]]) -> bool:
    """Whether a property differs between two consecutive reads of one record."""
    return any(not alike(one.get(name), other.get(name)) for one, other in pairwise(records))


def fits(contract: Contract, resource: str, name: str, value: object) -> bool:
    """Whether the contract allows a value of a property; otherwise the rules report it."""
    validator = _validator(contract, resource, name)
    try:
        return bool(validator.is_valid(value))
    except ValueError:  # the fast validator cannot read every value that the contract allows
        return bool(validator.is_valid(scrubbed(value)))


def suits(contract: Contract, resource: str, name: str, record: Record) -> bool:
    """Whether the contract allows a property of a record, beside those that its type depends on."""
    decisive = contract.schema(resource).get("if", {}).get("properties", {})
    beside = {key: record[key] for key in (name, *decisive) if key in record}
    depends = _dependence(contract, resource).is_valid(scrubbed(beside))
    return fits(contract, resource, name, record[name]) and bool(depends)


def values(records: Sequence[Record], name: str) -> list[str]:
    """Some strings that records have in a property: of the first, of the last, and the rarest."""
    strings = every_value(records, name)
    rarest_first = sorted(set(strings), key=lambda value: (strings.count(value), value))
    chosen = [*strings[:1], *strings[-1:], *rarest_first[:1], *rarest_first[-2:]]
    return list(dict.fromkeys(chosen))


def every_value(records: Sequence[Record], name: str) -> list[str]:
    """The strings that records have in a property, in their order."""
    return [record[name] for record in records if isinstance(record.get(name), str)]


@cache
def _dependence(contract: Contract, resource: str) -> Any:
    schema = contract.schema(resource)
    keywords: tuple[str, ...] = ("if", "then", "$defs")
    conditional = {keyword: schema[keyword] for keyword in keywords if keyword in schema}
    return jsonschema_rs.Draft202012Validator(conditional)


@cache
def _validator(contract: Contract, resource: str, name: str) -> Any:
    schema = contract.schema(resource)
    of_property = {**schema["properties"][name], "$defs": schema.get("$defs", {})}
    return jsonschema_rs.Draft202012Validator(of_property, validate_formats=True)


def _same(one: Any, other: Any) -> bool:
    """Whether two values agree.

    UUIDs may differ in case, nested records in their order and in properties that one of them has.
    """
    if one == other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return not differing(one, other)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return all(map(_same, one, other)) or _same_in_any_order(one, other)
    return alike(one, other)


def _same_in_any_order(one: list[Any], other: list[Any]) -> bool:
    if _have_ids_of_their_own(one) and _have_ids_of_their_own(other):
        return all(map(_same, one, _in_order_of(one, other)))
    if not all(isinstance(item, dict) for item in (*one, *other)):
        return False
    # Nothing says which of these records belong together: each has to agree with one of them.
    return all(any(_same(item, each) for each in other) for item in one) and all(
        any(_same(each, item) for each in one) for item in other
    )


def _have_ids_of_their_own(items: list[Any]) -> bool:
    """Whether no two records in a list have the same id."""
    ids = [
        item["id"].lower() for item in items if isinstance(item, dict) and is_uuid(item.get("id"))
    ]
    return len(ids) == len(set(ids))


def _in_order_of(one: list[Any], other: list[Any]) -> list[Any]:
    """The items of a second list in the order of the first, by their ids."""
    records = {record_key(item): item for item in other if isinstance(item, dict)}
    pairs = zip(one, other, strict=True)
    return [
        records.get(record_key(item), beside) if isinstance(item, dict) else beside
        for item, beside in pairs
    ]


def record_key(record: Record) -> str:
    """The id of a record in lower case, or the whole record as JSON where it has no id."""
    id = record.get("id")
    return id.lower() if isinstance(id, str) else json.dumps(record, sort_keys=True)
