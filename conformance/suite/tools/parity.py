"""The data of a tool compared with those of its operation over HTTP.

Records are compared by their ids: the order of items and further properties may differ.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from conformance.contract import api
from conformance.contract.identifiers import alike, is_uuid
from conformance.contract.openapi import Contract
from conformance.contract.pointer import Path
from conformance.http.exchange import MISSING
from conformance.rules.records import fits, without_no_reason

INNER = dict(api.load().nested.values())
"""The resource of the records in an array, by the name of the property."""
Record = Mapping[str, Any]


def differ(over_http: Any, by_tool: Any, contract: Contract) -> bool:
    """Whether two data differ in a property of the contract that HTTP shows."""
    return bool(differing_paths(over_http, by_tool, contract))


def differing_paths(over_http: Any, by_tool: Any, contract: Contract) -> set[Path]:
    """The paths of the properties of the contract in which the data of a tool differ from HTTP's.

    Properties that only the tool shows are allowed, and so is null in place of an absent property.
    """
    names = _property_names(contract)
    paths = _differing(over_http, by_tool, ())
    return {path for path in paths if all(_is_of_contract(step, names) for step in path)}


def _is_of_contract(step: str | int, names: frozenset[str]) -> bool:
    return isinstance(step, int) or step in names


@cache
def _property_names(contract: Contract) -> frozenset[str]:
    """The names of all properties of the resources."""
    return frozenset().union(*(contract.schema(each)["properties"] for each in api.load().kinds))


def _differing(over_http: Any, by_tool: Any, path: Path) -> set[Path]:
    if isinstance(over_http, dict) and isinstance(by_tool, dict):
        return _differing_properties(over_http, by_tool, path)
    if isinstance(over_http, list) and isinstance(by_tool, list):
        return _differing_elements(over_http, by_tool, path)
    return set() if alike(over_http, by_tool) else {path}


def _differing_properties(over_http: Record, by_tool: Record, path: Path) -> set[Path]:
    over_http, by_tool = without_no_reason(over_http), without_no_reason(by_tool)
    # A property with null may be absent in the other response, as one that HTTP does not show.
    shown = [name for name, value in over_http.items() if value is not None]
    null = [name for name, value in over_http.items() if value is None]
    null = [name for name in null if by_tool.get(name) is not None]
    found = (
        _differing(over_http[name], by_tool.get(name, MISSING), (*path, name))
        for name in (*shown, *null)
    )
    return set().union(*found)


def _differing_elements(over_http: list[Any], by_tool: list[Any], path: Path) -> set[Path]:
    """Records are compared in any order, by their ids if they can be; others in theirs."""
    if len(over_http) != len(by_tool):
        return {path}
    pairs = _paired(over_http, by_tool)
    found = (_differing(*pair, (*path, index)) for index, pair in enumerate(pairs))
    return set().union(*found)


def _paired(over_http: list[Any], by_tool: list[Any]) -> list[tuple[Any, Any]]:
    ours, theirs = by_id(over_http), by_id(by_tool)
    is_keyed = len(ours) == len(over_http) and ours.keys() == theirs.keys()
    if is_keyed:
        return [(record, theirs[id]) for id, record in ours.items()]
    if all(isinstance(element, dict) for element in (*over_http, *by_tool)):
        return _paired_in_any_order(over_http, by_tool)
    return list(zip(over_http, by_tool, strict=True))


def _paired_in_any_order(over_http: list[Any], by_tool: list[Any]) -> list[tuple[Any, Any]]:
    """Each record beside one that it agrees with, where there is one: no id says which it is."""
    left, pairs = list(by_tool), []
    for record in over_http:
        agreeing = (place for place, other in enumerate(left) if not _differing(record, other, ()))
        pairs.append((record, left.pop(next(agreeing, 0))))
    return pairs


def by_id(items: Iterable[Any]) -> dict[str, Record]:
    """The records with a usable id among the items of a page, by their ids in lower case."""
    records = (item for item in items if isinstance(item, dict) and is_uuid(item.get("id")))
    return {record["id"].lower(): record for record in records}


def is_omitted(path: Path, by_tool: Any, resource: str, contract: Contract) -> bool:
    """Whether the tool leaves out a property whose presence the specification does not state."""
    *way, name = path or ("",)
    is_required = name in contract.schema(_owner(way, resource)).get("required", ())
    return not is_required and is_absent(path, by_tool)


def is_absent(path: Path, by_tool: Any) -> bool:
    """Whether the tool leaves out a property that it has the record of."""
    *way, name = path or ("",)
    record = by_tool
    for step in way:
        record = record[step]
    return isinstance(record, dict) and name not in record


def _owner(way: Sequence[str | int], resource: str) -> str:
    """The resource of the record that a path leads to."""
    return next((INNER[step] for step in reversed(way) if step in INNER), resource)


def is_sound(path: Path, record: Any, resource: str, contract: Contract) -> bool:
    """Whether a record over HTTP has a value at a path, or none, as the contract allows it.

    Other values are reported by the rules of the response.
    """
    *way, name = path or ("",)
    owner = _owner(way, resource)
    schema = contract.schema(owner)
    if name not in schema["properties"]:
        return True
    for step in way:
        record = record[step]
    if name not in record:
        return name not in schema.get("required", ())
    return fits(contract, owner, str(name), record[name])
