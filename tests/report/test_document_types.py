"""The types of report.json agree with its published schema, property by property."""

import types
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from conformance.contract import files
from conformance.report import document_types
from conformance.report.document_types import Report

SCHEMA = files.document("report.schema.json")
JSON_TYPES = {
    str: {"string"},
    int: {"integer"},
    float: {"number"},
    bool: {"boolean"},
    types.NoneType: {"null"},
}


def resolved(schema: Any) -> Any:
    """A schema without a reference at its top; several that apply at once become one."""
    if "$ref" in schema:
        return resolved(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    if "allOf" in schema:
        parts = [resolved(part) for part in schema["allOf"]]
        return {key: value for part in reversed(parts) for key, value in part.items()}
    return schema


def alternatives(schema: Any) -> list[Any]:
    """The schemas of which a value satisfies one."""
    return [resolved(each) for each in schema["oneOf"]] if "type" not in schema else [schema]


def differences(hint: Any, schema: Any, place: str) -> list[str]:
    """The differences between a type and a schema."""
    schema = resolved(schema)
    if hint is Any:
        return []
    if is_typeddict(hint):
        return of_object(hint, schema, place)
    if get_origin(hint) is list:
        if schema.get("type") != "array":
            return [f"{place}: not an array"]
        return (
            differences(get_args(hint)[0], schema["items"], f"{place}[]")
            if hint_items(schema)
            else []
        )
    if get_origin(hint) is dict:
        return of_mapping(hint, schema, place)
    if get_origin(hint) in (Union, types.UnionType):
        return of_union(hint, schema, place)
    return [] if allowed(schema) <= JSON_TYPES[hint] else [f"{place}: {hint} but {schema}"]


def hint_items(schema: Any) -> bool:
    """Whether all items of an array have the same schema."""
    return isinstance(schema.get("items"), dict)


def allowed(schema: Any) -> set[str]:
    """The JSON types of a schema without properties."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if values:
        return {each for value in values for each in JSON_TYPES[type(value)]}
    stated = schema["type"]
    return set(stated) if isinstance(stated, list) else {stated}


def of_object(hint: Any, schema: Any, place: str) -> list[str]:
    """Names, which of them are required, and the type of each."""
    hints = get_type_hints(hint, include_extras=True)
    problems = []
    if set(hints) != set(schema["properties"]):
        problems.append(f"{place}: {sorted(set(hints) ^ set(schema['properties']))}")
    if hint.__required_keys__ != set(schema.get("required", [])):
        problems.append(
            f"{place}: required {sorted(hint.__required_keys__ ^ set(schema['required']))}"
        )
    for name in set(hints) & set(schema["properties"]):
        inner = hints[name]
        inner = get_args(inner)[0] if get_origin(inner) is NotRequired else inner
        problems += differences(inner, schema["properties"][name], f"{place}.{name}")
    return problems


def of_mapping(hint: Any, schema: Any, place: str) -> list[str]:
    """The values of an object with any names, or with fixed ones of one type."""
    value = get_args(hint)[1]
    schemas = list(schema.get("properties", {}).values())
    if isinstance(schema.get("additionalProperties"), dict):
        schemas.append(schema["additionalProperties"])
    return [each for inner in schemas for each in differences(value, inner, f"{place}.*")]


def of_union(hint: Any, schema: Any, place: str) -> list[str]:
    """The types and the alternatives of the schema must match."""
    arguments = get_args(hint)
    objects = [each for each in arguments if is_typeddict(each)]
    if objects:
        inner = [each for each in (alternatives(schema)) if each.get("type") == "object"]
        return [each for one in inner for each in differences(objects[0], one, place)]
    types_ = set().union(*(JSON_TYPES[each] for each in arguments))
    return [] if allowed(schema) == types_ else [f"{place}: {hint} but {schema}"]


def test_the_types_agree_with_the_schema() -> None:
    """Every property at any depth has equal name, requirement and type."""
    assert differences(Report, SCHEMA, "report") == []


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (("properties",), {"verdict": {"type": "integer"}}),
        (("$defs", "finding", "properties"), {"needs": {"type": "string"}}),
        (("$defs", "defect", "properties"), {"another": {"type": "string"}}),
        (("$defs", "condition"), {"required": ["caller"]}),
        (("$defs", "cause", "properties"), {"exchange": {"type": "string"}}),
    ],
)
def test_a_difference_between_type_and_schema_is_reported(
    monkeypatch: pytest.MonkeyPatch, place: tuple[str, ...], change: dict[str, Any]
) -> None:
    """Names, required properties, and types are compared."""
    held: Any = SCHEMA
    for name in place:
        held = held[name]
    for name, value in change.items():
        monkeypatch.setitem(held, name, value)
    assert differences(Report, SCHEMA, "report") != []


def test_every_type_is_part_of_the_report_or_of_its_evidence() -> None:
    """There are no unused types."""
    seen: set[str] = set()

    def visit(hint: Any) -> None:
        if is_typeddict(hint) and hint.__name__ not in seen:
            seen.add(hint.__name__)
            for inner in get_type_hints(hint).values():
                visit(inner)
        for argument in get_args(hint):
            visit(argument)

    visit(Report)
    defined = {name for name, value in vars(document_types).items() if is_typeddict(value)}
    assert defined - seen == {"FindingRecord", "AboutEntry"}
