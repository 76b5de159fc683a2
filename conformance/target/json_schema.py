"""JSON Schemas of TOML documents, made of the schemas that read them: for editors."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from conformance.target.toml_schema import Array, Either, Leaf, Named, Schema

TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", date: "string"}
REFERENCE = r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$"


def document(schema: Schema, name: str, title: str) -> dict[str, Any]:
    """A whole JSON Schema (2020-12)."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:localization-api-conformance:{name}:1",
        "title": title,
    }
    return head | of(schema)


def of(schema: Schema) -> dict[str, Any]:
    """The JSON Schema of a value."""
    if isinstance(schema, Leaf):
        return _leaf(schema)
    if isinstance(schema, Array):
        return {"type": "array", "items": of(schema.item)}
    if isinstance(schema, Either):
        return {"anyOf": [of(schema.value), of(schema.table)]}
    if isinstance(schema, Named):
        names = {"description": schema.name.remedy, **schema.name.keywords}
        return {"type": "object", "propertyNames": names, "additionalProperties": of(schema.value)}
    return _table(schema)


def or_reference(pattern: str) -> str:
    """A pattern for the beginning of a text, or a whole "${NAME}"."""
    return rf"^{pattern}|{REFERENCE}"


def _leaf(leaf: Leaf) -> dict[str, Any]:
    kinds = list(dict.fromkeys(TYPES[kind] for kind in leaf.types))
    if "number" in kinds:
        kinds = ["number"]  # an integer is one
    schema: dict[str, Any] = {"description": leaf.remedy}
    schema["type"] = kinds[0] if len(kinds) == 1 else kinds
    if date in leaf.types:
        schema["format"] = "date"
    return schema | dict(leaf.keywords)


def _table(schema: Mapping[str, Schema]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {key: of(value) for key, value in schema.items()},
        "additionalProperties": False,
    }
