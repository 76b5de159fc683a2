"""What the input schema of a tool says about the shape of its arguments: flat, in nested objects, or in one of several forms."""

from collections.abc import Iterator, Mapping
from typing import Any

DEEPEST = 4
Schema = Mapping[str, Any]


def places(schema: Schema) -> dict[str, tuple[str, ...]]:
    """Where an input schema has each argument, by its name without case and separators: the outermost place, if there are several."""
    found = list(_places(schema, schema, ()))
    return dict(sorted(found, key=lambda place: len(place[1]), reverse=True))


def plain(name: str) -> str:
    """A name without case and separators: projectId, project_id and project-id are one."""
    return name.replace("_", "").replace("-", "").lower()


def shape(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Arguments where the input schema has them, in every object that it insists on; at the top where it says nothing."""
    where = places(schema)
    shaped = _required(schema, schema, 0)
    for name, value in arguments.items():
        path = where.get(plain(name), (name,))
        node = shaped
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = value
    return shaped


def _places(schema: Any, root: Schema, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for part in _forms(schema, root, len(path)):
        for name, inner in _properties(part):
            yield plain(name), (*path, name)
            yield from _places(inner, root, (*path, name))


def _required(schema: Any, root: Schema, depth: int) -> dict[str, Any]:
    """The objects that a schema insists on, whatever is in them."""
    found: dict[str, Any] = {}
    for part in _forms(schema, root, depth):
        required = part.get("required")
        for name, inner in _properties(part):
            if isinstance(required, list) and name in required and _is_object(inner, root):
                found[name] = _required(inner, root, depth + 1)
    return found


def _is_object(schema: Any, root: Schema) -> bool:
    return any(part.get("type") == "object" or _properties(part) for part in _forms(schema, root, 0))


def _forms(schema: Any, root: Schema, depth: int) -> Iterator[Schema]:
    """A schema and all that it is put together of; an argument that may be left out is often one form beside null."""
    schema = _resolved(schema, root)
    if not isinstance(schema, dict) or depth > DEEPEST:
        return
    yield schema
    for keyword in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(keyword)
        for part in parts if isinstance(parts, list) else ():
            yield from _forms(part, root, depth + 1)


def _properties(schema: Schema) -> list[tuple[str, Any]]:
    properties = schema.get("properties")
    return list(properties.items()) if isinstance(properties, dict) else []


def _resolved(schema: Any, root: Schema) -> Any:
    for _ in range(DEEPEST):
        if not isinstance(schema, dict) or not str(schema.get("$ref", "")).startswith("#/"):
            break
        node: Any = root
        for key in schema["$ref"][2:].split("/"):
            node = node.get(key, {}) if isinstance(node, dict) else {}
        schema = node
    return schema
