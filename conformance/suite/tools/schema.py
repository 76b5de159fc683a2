"""The input schema of a tool: where it has each argument, flat, in nested objects or in one of several forms, and what it refuses."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.contract import validators

DEEPEST = 4
Schema = Mapping[str, Any]


def refusal(arguments: Mapping[str, Any], schema: Schema) -> str | None:
    """Why a schema refuses arguments, as two independent validators see it; None where one takes them, or it is no JSON Schema."""
    try:
        found = next(validators.fast(schema).iter_errors(arguments), None)
    except ValueError:
        return None
    return None if found is None or validators.accepts(schema, arguments) else found.message


def places(schema: Schema) -> dict[str, tuple[str, ...]]:
    """Where an input schema has each argument, by its name without case and separators: the outermost place, if there are several."""
    found = list(_places(schema, schema, ()))
    return dict(sorted(found, key=lambda place: len(place[1]), reverse=True))


def plain(name: str) -> str:
    """A name without case and separators: projectId, project_id and project-id are one."""
    return name.replace("_", "").replace("-", "").lower()


def shape(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Arguments where the input schema has them, beside all else that it insists on; at the top where it says nothing."""
    where = places(schema)
    shaped = _required(schema, schema, 0)
    for name, value in arguments.items():
        path = where.get(plain(name), (name,))
        node = shaped
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = value
    return shaped


def _places(
    schema: Any, root: Schema, path: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for part in _forms(schema, root, len(path)):
        for name, inner in _properties(part):
            yield plain(name), (*path, name)
            yield from _places(inner, root, (*path, name))


def _required(schema: Any, root: Schema, depth: int) -> dict[str, Any]:
    """What a schema insists on, before any argument is given: objects, whatever is in them, what may be null, and what it states itself."""
    found: dict[str, Any] = {}
    for part in _forms(schema, root, depth):
        required = part.get("required")
        for name, inner in _properties(part):
            if not isinstance(required, list) or name not in required:
                continue
            if _is_object(inner, root):
                found[name] = _required(inner, root, depth + 1)
            elif _may_be_null(inner, root):
                found[name] = None
            elif stated := _stated(inner, root):
                found[name] = stated[0]
    return found


def _stated(schema: Any, root: Schema) -> list[Any]:
    """The value that a schema states itself, if there is one: the only one that it takes, or its default."""
    parts = list(_forms(schema, root, 0))
    only = [values[0] for part in parts if len(values := _listed(part, "enum")) == 1]
    return [
        *(part["const"] for part in parts if "const" in part),
        *only,
        *(part["default"] for part in parts if "default" in part),
    ][:1]


def _is_object(schema: Any, root: Schema) -> bool:
    return any(
        part.get("type") == "object" or _properties(part) for part in _forms(schema, root, 0)
    )


def _may_be_null(schema: Any, root: Schema) -> bool:
    return any(
        "null" in (part.get("type"), *_listed(part, "type")) or None in _listed(part, "enum")
        for part in _forms(schema, root, 0)
    )


def _listed(schema: Schema, keyword: str) -> list[Any]:
    stated = schema.get(keyword)
    return stated if isinstance(stated, list) else []


def _forms(schema: Any, root: Schema, depth: int) -> Iterator[Schema]:
    """A schema and all that it is put together of; an argument that may be left out is often one form beside null."""
    schema = _resolved(schema, root)
    if not isinstance(schema, dict) or depth > DEEPEST:
        return
    yield schema
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in _listed(schema, keyword):
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
