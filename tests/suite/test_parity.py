"""The data of a tool compared with those over HTTP: where the two differ."""

from typing import Any

import pytest

from conformance.contract import openapi
from conformance.contract.pointer import Path
from conformance.suite.tools.parity import by_id, differ, differing_paths, is_omitted, is_sound

CONTRACT = openapi.load()
ONE = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
OTHER = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a95"


@pytest.mark.parametrize(
    ("over_http", "by_tool", "expected"),
    [
        ({"name": "a"}, {"name": "a"}, set()),
        ({"durationUs": 1}, {"durationUs": 1.0}, set()),
        ({"name": "a", "status": "b"}, {"name": "b", "status": "c"}, {("name",), ("status",)}),
        ({"name": "a"}, {}, {("name",)}),
        ({}, {"name": "a"}, set()),
        ({"name": None}, {}, set()),
        ({"name": None}, {"name": None}, set()),
        ({"name": None}, {"name": "a"}, {("name",)}),
        ({"name": "a"}, {"name": None}, {("name",)}),
        ({"id": ONE.upper()}, {"id": ONE}, set()),
        ({"id": ONE}, {"id": OTHER}, {("id",)}),
        ({"replies": []}, {"replies": {}}, {("replies",)}),
        ({"replies": [1, 2]}, {"replies": [2, 1]}, {("replies", 0), ("replies", 1)}),
        ({"replies": [1]}, {"replies": [1, 2]}, {("replies",)}),
        ({"links": "a"}, {"links": "b"}, set()),
        ({"links": {"name": "a"}}, {"links": {"name": "b"}}, set()),
        ({}, [], {()}),
        ({}, None, {()}),
        ("a", "b", {()}),
        (None, None, set()),
    ],
)
def test_data_differ_in_properties_of_the_contract(
    over_http: Any, by_tool: Any, expected: set[Path]
) -> None:
    """Properties of the contract that HTTP returns must be equal; null may be absent."""
    assert differing_paths(over_http, by_tool, CONTRACT) == expected
    assert differ(over_http, by_tool, CONTRACT) is bool(expected)


def test_nested_records_are_compared_by_their_ids() -> None:
    """Their order is free; their properties are not, and neither is their number."""
    first, second = {"id": ONE, "body": "a"}, {"id": OTHER, "body": "b"}
    changed = {"id": ONE, "body": "c"}
    over_http = {"replies": [first, second]}

    assert differing_paths(over_http, {"replies": [second, first]}, CONTRACT) == set()
    differing = differing_paths(over_http, {"replies": [second, changed]}, CONTRACT)
    assert differing == {("replies", 0, "body")}
    assert differing_paths(over_http, {"replies": [first]}, CONTRACT) == {("replies",)}


def test_records_without_usable_ids_are_compared_in_any_order() -> None:
    """Two records with one id cannot be distinguished by it."""
    twins = [{"id": ONE, "body": "a"}, {"id": ONE, "body": "b"}]
    swapped = [twins[1], twins[0]]
    changed = [twins[1], {"id": ONE, "body": "c"}]

    assert differing_paths({"replies": twins}, {"replies": swapped}, CONTRACT) == set()
    differing = differing_paths({"replies": twins[::-1]}, {"replies": changed}, CONTRACT)
    assert differing == {("replies", 1, "body")}
    assert differ({"replies": twins}, {"replies": [twins[0], twins[0]]}, CONTRACT)
    others = [{"id": OTHER, "body": "a"}, {"id": ONE, "body": "b"}]
    differing = differing_paths({"replies": others[:1]}, {"replies": others[1:]}, CONTRACT)
    assert differing == {("replies", 0, "body"), ("replies", 0, "id")}


def test_records_of_a_page_are_known_by_their_ids_in_lower_case() -> None:
    """Items without a usable id are left out."""
    record = {"id": ONE.upper()}
    assert by_id([record, {"id": 7}, {"name": "a"}, "text", None]) == {ONE: record}


VIDEO = {
    "name": "a",
    "durationUs": "long",
    "localizations": [{"language": "de-DE"}, {"language": 5}],
    "replies": 5,
}


@pytest.mark.parametrize(
    ("path", "sound"),
    [
        ((), True),
        (("name",), True),
        (("durationUs",), False),
        (("projectId",), True),
        (("links",), True),
        (("replies",), True),
        (("localizations", 0, "language"), True),
        (("localizations", 1, "language"), False),
        (("localizations", 1, "status"), True),
        (("localizations", 1, "name"), True),
        (("localizations", 1), True),
    ],
)
def test_a_value_is_sound_if_the_contract_allows_it(path: Path, sound: bool) -> None:
    """Any value is allowed where the contract has no constraint."""
    assert is_sound(path, VIDEO, "Video", CONTRACT) is sound


@pytest.mark.parametrize(
    ("resource", "required"),
    [("Project", True), ("Account", True), ("Video", False), ("Comment", False)],
)
def test_an_absent_property_is_sound_unless_it_is_required(resource: str, required: bool) -> None:
    """The contract lists the required properties of each resource."""
    properties = CONTRACT.schema(resource)["properties"]
    sound = {is_sound((name,), {}, resource, CONTRACT) for name in properties}
    assert sound == {not required}


@pytest.mark.parametrize(
    ("path", "by_tool", "resource", "omitted"),
    [
        (("localizations",), {}, "Video", True),
        (("replies", 0, "kind"), {"replies": [{}]}, "Comment", True),
        (("items", 0, "name"), {"items": [{}]}, "Video", True),
        (("name",), {}, "Project", False),
        (("displayName",), {}, "Account", False),
        (("name",), {"name": None}, "Video", False),
        (("name",), {"name": "another"}, "Video", False),
        ((), "text", "Video", False),
    ],
)
def test_a_tool_may_omit_optional_fields(
    path: Path, by_tool: Any, resource: str, omitted: bool
) -> None:
    """Only the fields of an Account and of a Project are required."""
    assert is_omitted(path, by_tool, resource, CONTRACT) is omitted
