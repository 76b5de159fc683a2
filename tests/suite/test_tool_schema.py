"""Input schemas of tools: where their arguments stand, and what has to be there."""

from typing import Any

import pytest

from conformance.suite.tools.schema import (
    MAX_DEPTH,
    argument_paths,
    arranged,
    normalized,
    rejection,
)

UUID = {"type": "string"}
FLAT = {"type": "object", "properties": {"project_id": UUID, "limit": {"type": "integer"}}}
NESTED = {"type": "object", "properties": {"params": FLAT}, "required": ["params"]}
REFERRED = {"properties": {"params": {"$ref": "#/$defs/Params"}}, "$defs": {"Params": FLAT}}
OPTIONAL = {
    "properties": {"params": {"anyOf": [{"$ref": "#/$defs/Params"}, {"type": "null"}]}},
    "$defs": {"Params": FLAT},
}
COMPOSED = {
    "allOf": [{"properties": {"project_id": UUID}}, {"oneOf": [{"properties": {"limit": {}}}]}]
}


@pytest.mark.parametrize("schema", [FLAT, COMPOSED])
def test_arguments_stand_at_the_top(schema: dict[str, Any]) -> None:
    """Whatever the schema is put together of, and however it writes their names."""
    assert argument_paths(schema) == {"projectid": ("project_id",), "limit": ("limit",)}
    assert arranged({"projectId": "1", "limit": 5}, schema) == {"project_id": "1", "limit": 5}


@pytest.mark.parametrize("schema", [NESTED, REFERRED, OPTIONAL])
def test_arguments_stand_in_an_object(schema: dict[str, Any]) -> None:
    """It may be referred to, and it may be one form beside null."""
    assert argument_paths(schema) == {
        "params": ("params",),
        "projectid": ("params", "project_id"),
        "limit": ("params", "limit"),
    }
    assert arranged({"limit": 5}, schema) == {"params": {"limit": 5}}


@pytest.mark.parametrize(
    ("schema", "shaped"), [(NESTED, {"params": {}}), (REFERRED, {}), (OPTIONAL, {}), (FLAT, {})]
)
def test_an_object_that_is_insisted_on_is_there(
    schema: dict[str, Any], shaped: dict[str, Any]
) -> None:
    """Also where nothing is in it; what may be left out is left out."""
    assert arranged({}, schema) == shaped


@pytest.mark.parametrize(
    "stated",
    [
        {"type": ["integer", "null"]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        {"enum": [5, None]},
        {"anyOf": [{"anyOf": [{"anyOf": [{"anyOf": [{"type": "null"}]}]}]}]},
    ],
)
def test_what_has_to_be_there_and_may_be_null_is_null(stated: dict[str, Any]) -> None:
    """Some callers of tools want every argument required, and those that may be left out nullable."""
    schema = {
        "type": "object",
        "properties": {"limit": stated, "name": {"type": "string"}},
        "required": ["limit", "name"],
    }
    assert arranged({"name": "a"}, schema) == {"limit": None, "name": "a"}
    assert arranged({"limit": 5}, schema) == {"limit": 5}


def test_a_schema_refuses_what_two_validators_say_that_it_refuses() -> None:
    """What is no JSON Schema refuses nothing."""
    assert rejection({"project_id": "1", "limit": 5}, FLAT) is None
    assert '"many" is not of type "integer"' in str(rejection({"limit": "many"}, FLAT))
    assert rejection({"limit": "many"}, {"properties": {"limit": {"type": "whole"}}}) is None


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
    assert arranged({"limit": 5}, schema) == {"limit": 5}


def test_an_object_within_itself_comes_to_an_end() -> None:
    """A schema may be its own part."""
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/Node"}, "limit": {}},
        "required": ["next"],
    }
    assert argument_paths({"$ref": "#/$defs/Node", "$defs": {"Node": node}})["limit"] == ("limit",)


def test_names_are_told_by_their_letters() -> None:
    """Neither case nor separators matter."""
    assert {
        normalized(name) for name in ("projectId", "project_id", "project-id", "PROJECT_ID")
    } == {"projectid"}


@pytest.mark.parametrize(
    "stated",
    [
        {"type": "object"},
        {"properties": {"limit": {}}},
        {"allOf": [{"type": "object"}]},
        {"anyOf": [{"type": "null"}, {"properties": {"limit": {}}}]},
        {"allOf": [{"allOf": [{"allOf": [{"allOf": [{"type": "object"}]}]}]}]},
    ],
)
def test_an_object_is_known_by_its_type_or_by_its_properties(stated: dict[str, Any]) -> None:
    """In whichever part of its schema they stand."""
    assert arranged({}, {"properties": {"params": stated}, "required": ["params"]}) == {
        "params": {}
    }


def test_what_is_insisted_on_may_stand_in_objects_that_are() -> None:
    """However many of them there are, and beside what is given."""
    inner = {
        "type": "object",
        "properties": {"cursor": {"type": "null"}, "name": {"type": "null"}},
        "required": ["cursor"],
    }
    outer = {"type": "object", "properties": {"inner": inner, "limit": {}}, "required": ["inner"]}
    schema = {
        "type": "object",
        "properties": {"outer": outer, "other": {"type": "object"}},
        "required": ["outer"],
    }

    assert arranged({}, schema) == {"outer": {"inner": {"cursor": None}}}
    assert arranged({"limit": 5, "NAME": "a", "more": 1}, schema) == {
        "outer": {"inner": {"cursor": None, "name": "a"}, "limit": 5},
        "more": 1,
    }


def test_what_is_insisted_on_may_be_referred_to() -> None:
    """By the schema itself, by its properties, and by theirs."""
    definitions: dict[str, Any] = {
        "Arguments": {
            "properties": {"limit": {}, "params": {"$ref": "#/$defs/Params"}},
            "required": ["params"],
        },
        "Params": {
            "properties": {"cursor": {"$ref": "#/$defs/None"}, "inner": {"$ref": "#/$defs/Inner"}},
            "required": ["cursor", "inner"],
        },
        "Inner": {"allOf": [{"$ref": "#/$defs/Named"}]},
        "Named": {
            "properties": {"name": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/None"}]}},
            "required": ["name"],
        },
        "None": {"type": "null"},
    }
    assert arranged({}, {"$ref": "#/$defs/Arguments", "$defs": definitions}) == {
        "params": {"cursor": None, "inner": {"name": None}}
    }


def test_objects_that_an_argument_stands_in_are_made_for_it() -> None:
    """Also where the schema does not insist on them."""
    schema = {"properties": {"outer": {"properties": {"inner": FLAT}}}}
    assert arranged({"limit": 5, "projectId": "1"}, schema) == {
        "outer": {"inner": {"limit": 5, "project_id": "1"}}
    }


def test_an_argument_that_stands_in_several_places_is_given_in_the_outermost() -> None:
    """Whichever comes first."""
    for name in ("params", "about"):
        for properties in ({"limit": {}, name: FLAT}, {name: FLAT, "limit": {}}):
            assert argument_paths({"properties": properties})["limit"] == ("limit",)
            assert arranged({"limit": 5}, {"properties": properties}) == {"limit": 5}


@pytest.mark.parametrize("required", ["limit", {"limit": True}, None, []])
def test_only_a_list_of_names_insists_on_anything(required: Any) -> None:
    """A string that has the name in it does not."""
    assert arranged({}, {"properties": {"limit": {"type": "null"}}, "required": required}) == {}


@pytest.mark.parametrize(
    "stated", [{"type": "integer"}, {"enum": [1, 2]}, {"enum": {"a": None}}, True, None]
)
def test_what_may_not_be_null_is_left_out_until_it_is_given(stated: Any) -> None:
    """Nobody can tell what would be right."""
    schema = {
        "properties": {"limit": stated, "name": {"type": "null"}},
        "required": ["limit", "name"],
    }
    assert arranged({}, schema) == {"name": None}


def test_what_is_nested_too_deeply_in_objects_is_not_looked_for() -> None:
    """Neither where it stands, nor whether it has to be there."""
    schema: dict[str, Any] = {"type": "object"}
    for number in range(MAX_DEPTH + 3, 0, -1):
        schema = {
            "type": "object",
            "properties": {f"a{number}": schema},
            "required": [f"a{number}"],
        }

    assert sorted(argument_paths(schema)) == ["a1", "a2", "a3", "a4", "a5"]
    assert arranged({}, schema) == {"a1": {"a2": {"a3": {"a4": {"a5": {}}}}}}


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_what_is_nested_too_deeply_in_parts_is_not_looked_for(keyword: str) -> None:
    """Of whichever kind they are."""
    schema: dict[str, Any] = {"properties": {"limit": {}}}
    for _ in range(MAX_DEPTH):
        schema = {keyword: [schema]}

    assert argument_paths(schema) == {"limit": ("limit",)}
    assert argument_paths({keyword: [schema]}) == {}


@pytest.mark.parametrize(("links", "found"), [(1, True), (MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_references_are_followed_a_few_steps(links: int, found: bool) -> None:
    """From one definition to the next."""
    definitions: dict[str, Any] = {
        str(number): {"$ref": f"#/$defs/{number + 1}"} for number in range(1, links)
    }
    definitions[str(links)] = FLAT
    schema = {"$ref": "#/$defs/1", "$defs": definitions}
    assert ("limit" in argument_paths(schema)) is found


@pytest.mark.parametrize("stated", ["other.json", "other.json#/$defs/Params", "#Params", 7, None])
def test_references_to_elsewhere_are_not_followed(stated: Any) -> None:
    """What stands beside them counts."""
    assert argument_paths({"$ref": stated, "properties": {"limit": {}}}) == {"limit": ("limit",)}


def test_one_validator_alone_refuses_nothing() -> None:
    """The two read a pattern's end in different ways."""
    schema = {"properties": {"name": {"type": "string", "pattern": "^a$"}}}
    assert rejection({"name": "a\n"}, schema) is None
    assert str(rejection({"name": "b"}, schema)).startswith('"b" does not match')


def test_a_schema_that_one_validator_cannot_read_refuses_nothing() -> None:
    """Letters are known by name to JavaScript, and not to Python."""
    schema = {
        "properties": {
            "limit": {"type": "integer"},
            "name": {"type": "string", "pattern": r"^\p{L}+$"},
        }
    }
    assert rejection({"limit": "many"}, schema) is None


def test_a_schema_is_read_by_the_dialect_that_it_names() -> None:
    """An array of schemas for items is of an older one."""
    items = {"properties": {"ids": {"items": [{"type": "string"}]}}}
    older = {**items, "$schema": "http://json-schema.org/draft-07/schema#"}
    assert rejection({"ids": ["a"]}, older) is None
    assert rejection({"ids": [1]}, older) == '1 is not of type "string"'
    assert rejection({"ids": [1]}, items) is None


@pytest.mark.parametrize(
    "stated",
    [
        {"const": "v1"},
        {"enum": ["v1"]},
        {"type": "string", "default": "v1"},
        {"allOf": [{"default": "v1"}]},
    ],
)
def test_what_has_to_be_there_and_has_a_value_has_that_value(stated: dict[str, Any]) -> None:
    """A schema may ask for more than the contract names, as long as it says what for."""
    schema = {
        "type": "object",
        "properties": {"version": stated, "name": {"type": "string"}},
        "required": ["version", "name"],
    }
    assert arranged({"name": "a"}, schema) == {"version": "v1", "name": "a"}


@pytest.mark.parametrize(
    "stated",
    [{"$ref": "#/$defs/One"}, {"allOf": [{"allOf": [{"allOf": [{"allOf": [{"const": 1}]}]}]}]}],
)
def test_a_value_that_a_schema_states_itself_may_stand_in_a_part_of_it(
    stated: dict[str, Any],
) -> None:
    """Or be referred to."""
    assert arranged(
        {},
        {
            "properties": {"version": stated},
            "required": ["version"],
            "$defs": {"One": {"const": 1}},
        },
    ) == {"version": 1}
