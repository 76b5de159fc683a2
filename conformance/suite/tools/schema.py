"""The input schema of a tool: where it has each argument, and why it rejects arguments.

Arguments may be flat, in nested objects, or in one of several alternatives.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.contract import validators

MAX_DEPTH = 4
ALTERNATIVES = ("allOf", "anyOf", "oneOf")
Schema = Mapping[str, Any]
ArgumentPath = tuple[str, ...]
"""The names that lead to an argument, from the outermost object."""


def rejection(arguments: Mapping[str, Any], schema: Schema) -> str | None:
    """Why a schema rejects arguments, in the words of a validator.

    None if one of two independent validators accepts them, or if the schema is invalid.
    """
    try:
        error = next(validators.fast(schema).iter_errors(arguments), None)
    except ValueError:
        return None
    if error is None or validators.accepts(schema, arguments):
        return None
    return str(error.message)


def argument_paths(schema: Schema) -> dict[str, ArgumentPath]:
    """The path to each argument, by its normalized name: the outermost if there are several."""
    paths = list(_paths(schema, schema, ()))
    return dict(sorted(paths, key=lambda entry: len(entry[1]), reverse=True))


def default_at(path: ArgumentPath, schema: Schema) -> Any:
    """The default that a schema states for the argument at a path; None without one."""
    nodes: list[Any] = [schema]
    for name in path:
        parts = [part for node in nodes for part in _parts(node, schema, 0)]
        nodes = [inner for part in parts for key, inner in _properties(part) if key == name]
    defaults = (part.get("default") for node in nodes for part in _parts(node, schema, 0))
    return next((each for each in defaults if each is not None), None)


def normalized(name: str) -> str:
    """A name without case and separators: projectId, project_id and project-id are equal."""
    return name.replace("_", "").replace("-", "").lower()


def arranged(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Arguments at their paths in an input schema, with everything else that it requires.

    Arguments without a path are at the top.
    """
    paths = argument_paths(schema)
    document = _required(schema, schema, 0)
    for name, value in arguments.items():
        *way, last = paths.get(normalized(name), (name,))
        node = document
        for key in way:
            node = node.setdefault(key, {})
        node[last] = value
    return document


def _paths(schema: Any, root: Schema, way: ArgumentPath) -> Iterator[tuple[str, ArgumentPath]]:
    for part in _parts(schema, root, len(way)):
        for name, inner in _properties(part):
            yield normalized(name), (*way, name)
            yield from _paths(inner, root, (*way, name))


def _required(schema: Any, root: Schema, depth: int) -> dict[str, Any]:
    """The properties that a schema requires, as far as it leaves no choice of their values."""
    document: dict[str, Any] = {}
    for part in _parts(schema, root, depth):
        required = _array(part, "required")
        for name, inner in _properties(part):
            if name in required:
                document |= _required_property(name, inner, root, depth)
    return document


def _required_property(name: str, schema: Any, root: Schema, depth: int) -> dict[str, Any]:
    if _is_object(schema, root):
        return {name: _required(schema, root, depth + 1)}
    if _is_nullable(schema, root):
        return {name: None}
    values = _stated_values(schema, root)
    return {name: values[0]} if values else {}


def _stated_values(schema: Any, root: Schema) -> list[Any]:
    """The value that a schema states: its constant, its only enum value, or its default."""
    parts = list(_parts(schema, root, 0))
    constants = [part["const"] for part in parts if "const" in part]
    enums = [_array(part, "enum") for part in parts]
    only = [values[0] for values in enums if len(values) == 1]
    defaults = [part["default"] for part in parts if "default" in part]
    return [*constants, *only, *defaults][:1]


def _is_object(schema: Any, root: Schema) -> bool:
    parts = _parts(schema, root, 0)
    return any(part.get("type") == "object" or _properties(part) for part in parts)


def _is_nullable(schema: Any, root: Schema) -> bool:
    return any(_allows_null(part) for part in _parts(schema, root, 0))


def _allows_null(part: Schema) -> bool:
    types = (part.get("type"), *_array(part, "type"))
    return "null" in types or None in _array(part, "enum")


def _array(schema: Schema, keyword: str) -> list[Any]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _parts(schema: Any, root: Schema, depth: int) -> Iterator[Schema]:
    """A schema and the schemas that it combines: an optional argument is often one beside null."""
    schema = _resolved(schema, root)
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return
    yield schema
    for keyword in ALTERNATIVES:
        for part in _array(schema, keyword):
            yield from _parts(part, root, depth + 1)


def _properties(schema: Schema) -> list[tuple[str, Any]]:
    properties = schema.get("properties")
    return list(properties.items()) if isinstance(properties, dict) else []


def _resolved(schema: Any, root: Schema) -> Any:
    for _ in range(MAX_DEPTH):
        if not isinstance(schema, dict) or not str(schema.get("$ref", "")).startswith("#/"):
            break
        node: Any = root
        for key in schema["$ref"][2:].split("/"):
            node = node.get(key, {}) if isinstance(node, dict) else {}
        schema = node
    return schema
