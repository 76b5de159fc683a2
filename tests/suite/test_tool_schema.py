"""Input schemas of tools: the paths of arguments, and required properties."""

from typing import Any

import pytest

from conformance.contract.references import resolved
from conformance.rules.tool_call import normalized
from conformance.suite.tools.schema import (
    MAX_DEPTH,
    argument_paths,
    arranged,
    default_at,
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
def test_flat_arguments_are_at_the_top(schema: dict[str, Any]) -> None:
    """The names may be written in several ways."""
    assert argument_paths(schema) == {"projectid": ("project_id",), "limit": ("limit",)}
    assert arranged({"projectId": "1", "limit": 5}, schema) == {"project_id": "1", "limit": 5}


@pytest.mark.parametrize("schema", [NESTED, REFERRED, OPTIONAL])
def test_nested_arguments_are_in_their_object(schema: dict[str, Any]) -> None:
    """The object may be a reference, or an alternative to null."""
    assert argument_paths(schema) == {
        "params": ("params",),
        "projectid": ("params", "project_id"),
        "limit": ("params", "limit"),
    }
    assert arranged({"limit": 5}, schema) == {"params": {"limit": 5}}


@pytest.mark.parametrize(
    ("schema", "shaped"), [(NESTED, {"params": {}}), (REFERRED, {}), (OPTIONAL, {}), (FLAT, {})]
)
def test_a_required_object_is_present(schema: dict[str, Any], shaped: dict[str, Any]) -> None:
    """An optional one is absent."""
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
def test_a_required_nullable_argument_is_null(stated: dict[str, Any]) -> None:
    """Some clients want every argument to be required."""
    schema = {
        "type": "object",
        "properties": {"limit": stated, "name": {"type": "string"}},
        "required": ["limit", "name"],
    }
    assert arranged({"name": "a"}, schema) == {"limit": None, "name": "a"}
    assert arranged({"limit": 5}, schema) == {"limit": 5}


def test_a_rejection_needs_two_validators() -> None:
    """An invalid schema rejects nothing."""
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
def test_without_properties_arguments_are_at_the_top(schema: dict[str, Any]) -> None:
    """The same applies to an invalid or circular schema."""
    assert arranged({"limit": 5}, schema) == {"limit": 5}


def test_a_recursive_object_is_read_to_a_bound() -> None:
    """A schema may contain itself."""
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/Node"}, "limit": {}},
        "required": ["next"],
    }
    assert argument_paths({"$ref": "#/$defs/Node", "$defs": {"Node": node}})["limit"] == ("limit",)


@pytest.mark.parametrize(
    ("limit", "default"),
    [
        ({"$ref": "#/$defs/limit"}, 25),
        ({"$ref": "#/$defs/limit", "default": 10}, 10),
        ({"allOf": [{"$ref": "#size"}], "default": 0}, 0),
        ({"$dynamicRef": "#size"}, 25),
        ({"$ref": "paging#/$defs/a~1b%20c"}, 50),
        ({"anyOf": [{"$ref": "paging"}, {"type": "null"}]}, 7),
        ({"$ref": "elsewhere.json#/limit"}, None),
    ],
)
def test_what_is_beside_a_reference_wins(limit: dict[str, Any], default: object) -> None:
    """A reference may be a pointer, an anchor, or an id."""
    schema = {
        "properties": {"limit": limit},
        "$defs": {
            "limit": {"$dynamicAnchor": "size", "default": 25},
            "paging": {"$id": "paging", "default": 7, "$defs": {"a/b c": {"default": 50}}},
        },
    }
    assert default_at(("limit",), resolved(schema)) == default


def test_names_are_compared_without_case_and_separators() -> None:
    """The names are normalized."""
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
def test_an_object_has_the_type_or_properties(stated: dict[str, Any]) -> None:
    """The keyword may be in any part of the schema."""
    assert arranged({}, {"properties": {"params": stated}, "required": ["params"]}) == {
        "params": {}
    }


def test_required_arguments_may_be_in_required_objects() -> None:
    """They may be at any depth, beside given arguments."""
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


def test_required_arguments_may_be_references() -> None:
    """References may be in the schema and in properties at any depth."""
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


def test_objects_around_an_argument_are_created() -> None:
    """The schema need not require them."""
    schema = {"properties": {"outer": {"properties": {"inner": FLAT}}}}
    assert arranged({"limit": 5, "projectId": "1"}, schema) == {
        "outer": {"inner": {"limit": 5, "project_id": "1"}}
    }


def test_an_argument_with_several_places_is_at_the_outermost() -> None:
    """The order of the schema does not matter."""
    for name in ("params", "about"):
        for properties in ({"limit": {}, name: FLAT}, {name: FLAT, "limit": {}}):
            assert argument_paths({"properties": properties})["limit"] == ("limit",)
            assert arranged({"limit": 5}, {"properties": properties}) == {"limit": 5}


@pytest.mark.parametrize("required", ["limit", {"limit": True}, None, []])
def test_only_an_array_requires_properties(required: Any) -> None:
    """A string that contains the name does not."""
    assert arranged({}, {"properties": {"limit": {"type": "null"}}, "required": required}) == {}


@pytest.mark.parametrize(
    "stated", [{"type": "integer"}, {"enum": [1, 2]}, {"enum": {"a": None}}, True, None]
)
def test_a_required_argument_without_a_known_value_is_absent(stated: Any) -> None:
    """It may not be null."""
    schema = {
        "properties": {"limit": stated, "name": {"type": "null"}},
        "required": ["limit", "name"],
    }
    assert arranged({}, schema) == {"name": None}


def test_deeply_nested_objects_are_not_read() -> None:
    """Their arguments have no path."""
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
def test_deeply_nested_alternatives_are_not_read(keyword: str) -> None:
    """This applies to every keyword."""
    schema: dict[str, Any] = {"properties": {"limit": {}}}
    for _ in range(MAX_DEPTH):
        schema = {keyword: [schema]}

    assert argument_paths(schema) == {"limit": ("limit",)}
    assert argument_paths({keyword: [schema]}) == {}


@pytest.mark.parametrize(
    ("links", "expected"), [(1, True), (MAX_DEPTH, True), (MAX_DEPTH + 1, False)]
)
def test_references_are_followed_up_to_a_bound(links: int, expected: bool) -> None:
    """Each definition refers to the next one."""
    definitions: dict[str, Any] = {
        str(number): {"$ref": f"#/$defs/{number + 1}"} for number in range(1, links)
    }
    definitions[str(links)] = FLAT
    schema = {"$ref": "#/$defs/1", "$defs": definitions}
    assert ("limit" in argument_paths(schema)) is expected


@pytest.mark.parametrize("stated", ["other.json", "other.json#/$defs/Params", "#Params", 7, None])
def test_external_references_are_not_followed(stated: Any) -> None:
    """The keywords beside them are used."""
    assert argument_paths({"$ref": stated, "properties": {"limit": {}}}) == {"limit": ("limit",)}


def test_one_validator_alone_rejects_nothing() -> None:
    """The two differ at the end of a pattern."""
    schema = {"properties": {"name": {"type": "string", "pattern": "^a$"}}}
    assert rejection({"name": "a\n"}, schema) is None
    assert str(rejection({"name": "b"}, schema)).startswith('"b" does not match')


def test_a_schema_that_one_validator_cannot_read_rejects_nothing() -> None:
    """Python does not support the Unicode property names of JavaScript patterns."""
    schema = {
        "properties": {
            "limit": {"type": "integer"},
            "name": {"type": "string", "pattern": r"^\p{L}+$"},
        }
    }
    assert rejection({"limit": "many"}, schema) is None


def test_a_schema_has_the_dialect_that_it_states() -> None:
    """An array of schemas for `items` belongs to an older dialect."""
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
def test_a_required_argument_has_its_stated_value(stated: dict[str, Any]) -> None:
    """A schema may require more than the contract names."""
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
def test_a_stated_value_may_be_in_an_alternative(
    stated: dict[str, Any],
) -> None:
    """The value may also be in a reference."""
    assert arranged(
        {},
        {
            "properties": {"version": stated},
            "required": ["version"],
            "$defs": {"One": {"const": 1}},
        },
    ) == {"version": 1}


@pytest.mark.parametrize("keyword", ["properties", "allOf"])
def test_a_schema_of_itself_is_read_up_to_a_bound(keyword: str) -> None:
    """The outermost arguments are found nevertheless."""
    itself = [{"$ref": "#"}] * 300
    parts: Any = {f"p{number}": each for number, each in enumerate(itself)}
    schema = {"properties": {"limit": {}, **parts}, "required": list(parts)}
    if keyword == "allOf":
        schema = {"properties": {"limit": {}}, "allOf": itself}
    assert argument_paths(schema)["limit"] == ("limit",)
    assert arranged({"limit": 1}, schema)["limit"] == 1
