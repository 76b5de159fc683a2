"""The references of a document: whatever form they have, JSON Pointers are left of them."""

import copy
from typing import Any

import pytest

from conformance.contract import references
from conformance.contract.references import TooManyMeanings, resolve, resolved

HERE = "https://api.example.com/v1/openapi.json"
NAME = {"type": "string"}


def target(reference: Any, **document: Any) -> Any:
    """What a reference in a document has become."""
    root = {**document, "here": {"$ref": reference}}
    resolve(root, HERE)
    return root["here"]["$ref"]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("#/$defs/name", "#/$defs/name"),
        ("#/$defs/a~1b", "#/$defs/a~1b"),
        ("#/%24defs/a%20c", "#/$defs/a%20c"),
        ("#/$defs/list/0", "#/$defs/list/0"),
        ("#/$defs/never", "#/$defs/never"),
        ("#anchored", "#/$defs/anchored"),
        ("#movable", "#/$defs/movable"),
        ("openapi.json#/$defs/name", "#/$defs/name"),
        (f"{HERE}#anchored", "#/$defs/anchored"),
        ("/v1/openapi.json", "#"),
        ("named", "#/$defs/named"),
        ("https://api.example.com/v1/named#/$defs/name", "#/$defs/named/$defs/name"),
        ("named#inside", "#/$defs/named/$defs/name"),
        ("#before-2019", "#/$defs/older"),
        ("#/nowhere", "#/nowhere"),
        ("named#/nowhere", "#/nowhere"),
        ("#/$defs/list/x", "#/$defs/list/x"),
        ("#/$defs/never/x", "#/$defs/never/x"),
        ("other.json#/$defs/name", "other.json#/$defs/name"),
        ("http://[", "http://["),
        (7, 7),
    ],
)
def test_a_reference_becomes_a_pointer(reference: Any, expected: Any) -> None:
    """A reference to nowhere, or to another document, stays what it is."""
    definitions: dict[str, Any] = {
        "name": {**NAME},
        "a/b": {**NAME},
        "a c": {**NAME},
        "list": [{**NAME}],
        "never": False,
        "anchored": {"$anchor": "anchored"},
        "movable": {"$dynamicAnchor": "movable"},
        "named": {"$id": "named", "$defs": {"name": {"$anchor": "inside"}}},
        "older": {"$id": "#before-2019"},
    }
    assert target(reference, **{"$defs": definitions}) == expected


def test_what_refers_to_other_documents_is_named() -> None:
    """A file, another host, and what is no address."""
    stated = [{"$ref": "other.json"}, {"$dynamicRef": "https://example.org/#a"}, {"$ref": "//["}]
    root = {f"x-{number}": table for number, table in enumerate(stated)}
    assert sorted(map(str, resolve(root))) == sorted(map(str, root.values()))


def test_a_pointer_below_an_id_begins_there() -> None:
    """Where that has nothing at its place, the id is taken for a label."""
    parts = {"own": {"$ref": "#/$defs/x"}, "outer": {"$ref": "#/$defs/y"}}
    inner = {"$id": "inner", "properties": parts, "$defs": {"x": {}}}
    root: Any = {"$defs": {"x": {}, "y": {}, "inner": inner}}
    assert resolve(root) == []
    assert root["$defs"]["inner"] == {
        "properties": {"own": {"$ref": "#/$defs/inner/$defs/x"}, "outer": {"$ref": "#/$defs/y"}},
        "$defs": {"x": {}},
    }


@pytest.mark.parametrize(
    "part", [{"example": {"$ref": "b"}}, {"enum": [{"$ref": "b"}]}, {"properties": {"$ref": NAME}}]
)
def test_data_and_names_are_no_references(part: dict[str, Any]) -> None:
    """A property may be called `$ref`."""
    root = {"$defs": {"a": copy.deepcopy(part)}}
    assert resolve(root) == []
    assert root == {"$defs": {"a": part}}


def test_both_references_of_a_schema_hold() -> None:
    """A validator that knows no dynamic references finds the second one in `allOf`."""
    both = {"$ref": "#/$defs/a", "$dynamicRef": "#b", "allOf": [NAME]}
    root: Any = {"properties": {"x": both}, "$defs": {"a": {}, "b": {"$dynamicAnchor": "b"}}}
    resolve(root)
    assert root["properties"]["x"] == {
        "$ref": "#/$defs/a",
        "allOf": [NAME, {"$ref": "#/$defs/b"}],
    }


def test_a_dynamic_reference_means_what_leads_to_it() -> None:
    """A list of anything is one of names for whoever says so, and of anything otherwise."""
    page = {
        "$id": "page",
        "items": {"$dynamicRef": "#item"},
        "$defs": {"any": {"$dynamicAnchor": "item"}},
    }
    names = {"$id": "names", "$ref": "page", "$defs": {"name": {"$dynamicAnchor": "item", **NAME}}}
    root: Any = {"$defs": {"page": page, "names": names}, "$ref": "page"}
    resolve(root)

    assert root["$ref"] == "#/$defs/page"
    assert root["$defs"]["page"]["items"] == {"$ref": "#/$defs/page/$defs/any"}
    copied = root["$defs"]["names"]["$ref"].removeprefix("#/x-dynamic/")
    assert root["x-dynamic"][copied]["items"] == {"$ref": "#/$defs/names/$defs/name"}


def test_dynamic_references_of_too_many_meanings_are_rejected() -> None:
    """Each resource on the way gives what follows another meaning."""
    number = 12
    parts = {
        str(each): {
            "$id": f"r{each}",
            "$dynamicAnchor": f"a{each}",
            "allOf": [{"$ref": f"r{other}"} for other in range(number)],
        }
        for each in range(number)
    }
    schema: dict[str, Any] = {"$defs": parts}
    assert resolved(schema) is schema
    with pytest.raises(TooManyMeanings, match="too many meanings"):
        resolve(copy.deepcopy(schema))


@pytest.mark.parametrize(
    "parts",
    [
        [{"$id": f"a{number}"} for number in range(references.MOST_IDS + 1)],
        [{"$id": "a/" * 1_000, "not": {"$id": "b"}}],
        [{"$ref": f"#/{number}"} for number in range(references.MOST_REFERENCES + 1)],
    ],
    ids=["ids", "long ids", "references"],
)
def test_what_would_take_too_long_is_not_resolved(parts: list[Any]) -> None:
    """A description is then too large to be compared; of a tool, what is plain is read."""
    schema: dict[str, Any] = {"allOf": parts}
    assert resolved(schema) is schema
    with pytest.raises(TooManyMeanings, match="has too many"):
        resolve(schema)


@pytest.mark.parametrize(("text", "left"), [("a" * 3_000, "a" * 3_000), ("#" * 3_000, "#nowhere")])
def test_a_very_long_reference_is_not_looked_up(text: str, left: str) -> None:
    """It leads nowhere, or elsewhere."""
    assert target(text) == left


def test_before_2019_a_reference_stands_alone() -> None:
    """Definitions beside it are not lost."""
    definitions = {"a": {"properties": {"limit": {"$ref": "#/definitions/b", "default": 10}}}}
    schema: dict[str, Any] = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/definitions/a",
        "type": "string",
        "definitions": {**definitions, "b": NAME},
    }
    assert resolved(schema) == {
        "$schema": schema["$schema"],
        "$ref": "#/definitions/a",
        "definitions": {"a": {"properties": {"limit": {"$ref": "#/definitions/b"}}}, "b": NAME},
    }


def test_the_schema_of_another_stays_as_it_is() -> None:
    """What is resolved is a copy; one that is nested too deeply is not copied."""
    schema: dict[str, Any] = {"$id": "a", "$ref": "#b", "$defs": {"b": {"$anchor": "b"}}}
    before = copy.deepcopy(schema)
    assert resolved(schema) == {"$ref": "#/$defs/b", "$defs": {"b": {}}}
    assert schema == before
    for _ in range(1_000):
        schema = {"not": schema}
    assert resolved(schema) is schema


def test_an_alias_is_visited_once() -> None:
    """An alias of YAML and its anchor are the same mapping."""
    table = {"$ref": "elsewhere"}
    assert resolve({"a": table, "c": table}) == [table]


ODD = ["#", "#/", "#/allOf/-1", "#/%FF", "//[", "http:other", "", "?", "\ud800", "a#b", "urn:x"]


@pytest.mark.parametrize("text", [*ODD, 7, None, [], {"a": 1}])
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef", "$id", "$anchor", "$schema"])
def test_any_value_may_be_where_a_reference_is_expected(keyword: str, text: Any) -> None:
    """Nothing is raised, and nothing is left that another reader would resolve otherwise."""
    root: Any = {"allOf": [{keyword: text, "$defs": {"a": {"$ref": "#/allOf/0"}}}, 7]}
    resolve(root)
    assert not any(
        isinstance(table.get(key), str)
        for table, _, _ in references.tables(root)
        for key in references.IDENTITIES
    )
