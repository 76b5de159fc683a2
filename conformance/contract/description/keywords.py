"""Single keywords of a schema: the JSON types and the property names that they allow."""

from conformance.contract.description.document import Choice

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_BOUNDS = {
    "format": "format",
    "enum": "one of",
    "const": "only",
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
    "multipleOf": "multiple of",
    "minLength": "minLength",
    "maxLength": "maxLength",
    "default": "default",
}
"""The words for a keyword before its value."""


def allows_type(schema: object, name: str) -> bool:
    """Whether a value of a JSON type may fit."""
    if not isinstance(schema, dict):
        return schema is not False
    stated = schema.get("type", name)
    types = stated if isinstance(stated, list) else [stated]
    is_allowed = name in types or (name == "integer" and "number" in types)
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not is_allowed or not isinstance(values, list):
        return is_allowed
    return any(isinstance(value, _TYPES[name]) for value in values)


def is_nothing(schema: object) -> bool:
    """Whether the schema is `false`, or says the same with `not`."""
    if isinstance(schema, dict):
        return "not" in schema and schema["not"] in ({}, True)
    return schema is False


def summary(choice: Choice) -> str:
    """The type and the bounds that the schemas of a choice state; empty if there are none."""
    types: list[str] = []
    bounds: list[str] = []
    for node in choice:
        for keyword, value in node.table.items():
            if keyword == "type":
                types.insert(0, _type_names(value))
            elif keyword == "pattern":
                bounds.append("pattern")
            elif keyword in _BOUNDS:
                bounds.append(f"{_BOUNDS[keyword]} {value!r}")
        if node.value is False:
            bounds.append("nothing")
    return ", ".join(dict.fromkeys([*types, *bounds]))


def _type_names(value: object) -> str:
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)
