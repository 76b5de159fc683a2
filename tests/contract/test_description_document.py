"""A description as a tree: its version, its references and its paths."""

from typing import Any

import pytest

from conformance.contract.description.compare import description
from conformance.contract.description.described import template
from conformance.contract.description.document import Document
from conformance.contract.description.node import Node
from conformance.contract.description.schema import View
from conformance.contract.description.source import SourceError, UnbundledError, parsed

HEAD = "openapi: 3.1.1\n"


@pytest.mark.parametrize("version", ["2.0", "'3'", "4.0.0", "[]"])
def test_only_openapi_3_is_a_description(version: str) -> None:
    """Other versions are rejected on the line of the version."""
    with pytest.raises(SourceError, match="is not an OpenAPI 3 document") as raised:
        description(f"info: {{}}\nopenapi: {version}\n")
    assert raised.value.line == 2


@pytest.mark.parametrize(
    "part",
    [
        "a: {$ref: 'other.yaml#/b'}",
        "responses:\n  default: {$ref: 'https://example.com/b'}",
        "properties: {example: {$ref: b}}",
    ],
)
def test_a_description_with_external_references_is_rejected(part: str) -> None:
    """It has to be bundled first."""
    with pytest.raises(UnbundledError, match="bundle them into one"):
        description(f"{HEAD}paths: {{}}\n{part}\n")


@pytest.mark.parametrize(
    "part", ["example: {$ref: b}", "a: {enum: [{$ref: b}]}", "properties: {$ref: {type: string}}"]
)
def test_example_data_has_no_references(part: str) -> None:
    """References in examples are not followed, and a property may be called `$ref`."""
    assert description(f"{HEAD}paths: {{}}\n{part}\n").root["openapi"] == "3.1.1"


TARGETS: dict[object, object] = {
    "#/a~1b/c~0d": 1,
    "#/a~1b/e%20f": 2,
    "#/list/1": "y",
    "#": "whole",
    "#here": None,
    "#/list/7": None,
    "#/list/x": None,
    "#nowhere": None,
    "#/a~1b/c~0d/e": None,
    7: None,
    "b.yaml": None,
}


@pytest.mark.parametrize(("reference", "value"), TARGETS.items())
def test_a_reference_is_a_pointer(reference: object, value: object) -> None:
    """The escapes of JSON Pointer and of URLs apply; a dangling reference has no target."""
    root: dict[str, Any] = {
        "a/b": {"c~d": 1, "e f": 2},
        "list": ["x", "y"],
    }
    target = Document(parsed(root)).target(reference)
    actual = target and ("whole" if target.value is root else target.value)
    assert actual == value


def test_a_circular_reference_resolves_to_nothing() -> None:
    """The result is on the line of the reference."""
    document = Document(parsed({"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}}))
    assert document.resolved(Node({"$ref": "#/a"}, 3)) == Node({}, 3)


@pytest.mark.parametrize("reference", ["a~1b", "c%20d", "e~0f"])
def test_validators_resolve_a_schema_with_an_escaped_name(reference: str) -> None:
    """The definition has the name that the reference resolves to."""
    schemas = {name: {"type": "string"} for name in ("a/b", "c d", "e~f")}
    document = Document(parsed({"components": {"schemas": schemas}}))
    view = View.of(document, Node({"$ref": f"#/components/schemas/{reference}"}))
    assert (view.allows("text"), view.allows(7)) == (True, False)


def test_a_template_has_no_parameter_names() -> None:
    """Paths that differ only in the names of their parameters are equal."""
    assert template("/a/{b}/c/{d}") == "/a/{}/c/{}"
