"""Input schemas of tools: where their arguments stand, and what has to be there."""

from typing import Any

import pytest

from conformance.suite.tool_schema import places, plain, refusal, shape

UUID = {"type": "string"}
FLAT = {"type": "object", "properties": {"project_id": UUID, "limit": {"type": "integer"}}}
NESTED = {"type": "object", "properties": {"params": FLAT}, "required": ["params"]}
REFERRED = {"properties": {"params": {"$ref": "#/$defs/Params"}}, "$defs": {"Params": FLAT}}
OPTIONAL = {"properties": {"params": {"anyOf": [{"$ref": "#/$defs/Params"}, {"type": "null"}]}}, "$defs": {"Params": FLAT}}
COMPOSED = {"allOf": [{"properties": {"project_id": UUID}}, {"oneOf": [{"properties": {"limit": {}}}]}]}


@pytest.mark.parametrize("schema", [FLAT, COMPOSED])
def test_arguments_stand_at_the_top(schema: dict[str, Any]) -> None:
    """Whatever the schema is put together of, and however it writes their names."""
    assert places(schema) == {"projectid": ("project_id",), "limit": ("limit",)}
    assert shape({"projectId": "1", "limit": 5}, schema) == {"project_id": "1", "limit": 5}


@pytest.mark.parametrize("schema", [NESTED, REFERRED, OPTIONAL])
def test_arguments_stand_in_an_object(schema: dict[str, Any]) -> None:
    """It may be referred to, and it may be one form beside null."""
    assert places(schema) == {"params": ("params",), "projectid": ("params", "project_id"), "limit": ("params", "limit")}
    assert shape({"limit": 5}, schema) == {"params": {"limit": 5}}


@pytest.mark.parametrize(("schema", "shaped"), [(NESTED, {"params": {}}), (REFERRED, {}), (OPTIONAL, {}), (FLAT, {})])
def test_an_object_that_is_insisted_on_is_there(schema: dict[str, Any], shaped: dict[str, Any]) -> None:
    """Also where nothing is in it; what may be left out is left out."""
    assert shape({}, schema) == shaped


@pytest.mark.parametrize("stated", [{"type": ["integer", "null"]}, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"enum": [5, None]}])
def test_what_has_to_be_there_and_may_be_null_is_null(stated: dict[str, Any]) -> None:
    """Some callers of tools want every argument required, and those that may be left out nullable."""
    schema = {"type": "object", "properties": {"limit": stated, "name": {"type": "string"}}, "required": ["limit", "name"]}
    assert shape({"name": "a"}, schema) == {"limit": None, "name": "a"}
    assert shape({"limit": 5}, schema) == {"limit": 5}


def test_a_schema_refuses_what_two_validators_say_that_it_refuses() -> None:
    """What is no JSON Schema refuses nothing."""
    assert refusal({"project_id": "1", "limit": 5}, FLAT) is None
    assert '"many" is not of type "integer"' in str(refusal({"limit": "many"}, FLAT))
    assert refusal({"limit": "many"}, {"properties": {"limit": {"type": "whole"}}}) is None


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": []},
        {"properties": {"limit": True}, "required": "limit"},
        {"$ref": "#/$defs/Loop", "$defs": {"Loop": {"$ref": "#/$defs/Loop"}}},
        {"allOf": {"properties": {}}, "anyOf": [None]},
        {"$ref": "#/$defs/None/of/these", "$defs": {"None": []}},
    ],
)
def test_a_schema_that_says_nothing_leaves_arguments_at_the_top(schema: dict[str, Any]) -> None:
    """Nor does one that is broken, or that refers to itself."""
    assert shape({"limit": 5}, schema) == {"limit": 5}


def test_an_object_within_itself_comes_to_an_end() -> None:
    """A schema may be its own part."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "limit": {}}, "required": ["next"]}
    assert places({"$ref": "#/$defs/Node", "$defs": {"Node": node}})["limit"] == ("limit",)


def test_names_are_told_by_their_letters() -> None:
    """Neither case nor separators matter."""
    assert {plain(name) for name in ("projectId", "project_id", "project-id", "PROJECT_ID")} == {"projectid"}


@pytest.mark.parametrize("stated", [{"const": "v1"}, {"enum": ["v1"]}, {"type": "string", "default": "v1"}, {"allOf": [{"default": "v1"}]}])
def test_what_has_to_be_there_and_has_a_value_has_that_value(stated: dict[str, Any]) -> None:
    """A schema may ask for more than the contract names, as long as it says what for."""
    schema = {"type": "object", "properties": {"version": stated, "name": {"type": "string"}}, "required": ["version", "name"]}
    assert shape({"name": "a"}, schema) == {"version": "v1", "name": "a"}
