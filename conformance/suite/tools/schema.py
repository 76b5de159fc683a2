"""The input schema of a tool: where it has each argument, and why it rejects arguments.

Arguments may be flat, in nested objects, or in one of several alternatives. A schema may refer to
itself, and have more places than there are stars: what is read of it has a bound. Its references
are JSON Pointers: the toolbox has resolved all others.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from conformance.contract import pointer, validators
from conformance.contract.first_error import first_error
from conformance.rules.tool_call import normalized

MAX_DEPTH = 4
MOST_PARTS = 5_000
"""Schemas and properties within an input schema that are looked at for one question."""
ALTERNATIVES = ("allOf", "anyOf", "oneOf")
Schema = Mapping[str, Any]
ArgumentPath = tuple[str, ...]
"""The names that lead to an argument, from the outermost object."""


def rejection(arguments: Mapping[str, Any], schema: Schema) -> str | None:
    """Why a schema rejects arguments, in the words of a validator.

    None if one of two independent validators accepts them, or if the schema is invalid.
    """
    try:
        error = first_error(validators.fast(schema), arguments)
    except ValueError:
        return None
    if error is None or validators.accepts(schema, arguments):
        return None
    return str(error.message)


def argument_paths(schema: Schema) -> dict[str, ArgumentPath]:
    """The path to each argument, by its normalized name: the outermost if there are several."""
    paths: dict[str, ArgumentPath] = {}
    for name, way in _Reader(schema).paths():
        if len(way) <= len(paths.get(name, way)):
            paths[name] = way
    return paths


def default_at(path: ArgumentPath, schema: Schema) -> Any:
    """The default that a schema states for the argument at a path; None without one."""
    reader = _Reader(schema)
    nodes: list[Any] = [schema]
    for name in path:
        parts = [part for node in nodes for part in reader.parts(node)]
        nodes = [inner for part in parts for key, inner in _properties(part) if key == name]
    defaults = (part.get("default") for node in nodes for part in reader.parts(node))
    return next((each for each in defaults if each is not None), None)


def arranged(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Arguments at their paths in an input schema, with everything else that it requires.

    Arguments without a path are at the top.
    """
    paths = argument_paths(schema)
    document = _Reader(schema).required(schema)
    for name, value in arguments.items():
        *way, last = paths.get(normalized(name), (name,))
        node = document
        for key in way:
            node = node.setdefault(key, {})
        node[last] = value
    return document


class _Reader:
    """Reads an input schema, up to MOST_PARTS parts of it."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._left = MOST_PARTS

    def paths(self) -> Iterator[tuple[str, ArgumentPath]]:
        """The normalized name of each argument and the way to it, the outermost first."""
        waiting: deque[tuple[Any, ArgumentPath]] = deque([(self._root, ())])
        while waiting and self._left > 0:
            schema, way = waiting.popleft()
            for part in self.parts(schema, len(way)):
                for name, inner in self._properties(part):
                    yield normalized(name), (*way, name)
                    if len(way) < MAX_DEPTH and len(waiting) < MOST_PARTS:
                        waiting.append((inner, (*way, name)))

    def required(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """The properties that a schema requires, as far as it leaves no choice of their values."""
        document: dict[str, Any] = {}
        for part in self.parts(schema, depth):
            required = _array(part, "required")
            for name, inner in self._properties(part):
                if name in required:
                    document |= self._required_property(name, inner, depth)
        return document

    def _properties(self, schema: Schema) -> Iterator[tuple[str, Any]]:
        """The properties of a schema, as many as are still looked at."""
        for each in _properties(schema):
            if self._left <= 0:
                return
            self._left -= 1
            yield each

    def _required_property(self, name: str, schema: Any, depth: int) -> dict[str, Any]:
        parts = list(self.parts(schema))
        if any(part.get("type") == "object" or _properties(part) for part in parts):
            return {name: self.required(schema, depth + 1)}
        if any(map(_allows_null, parts)):
            return {name: None}
        values = _stated_values(parts)
        return {name: values[0]} if values else {}

    def parts(self, schema: Any, depth: int = 0) -> Iterator[Schema]:
        """A schema, what it refers to, and what they combine: an argument is often one or null.

        The outermost first, and each once, however often it is referred to.
        """
        waiting, seen = deque([(schema, depth)]), set[int]()
        while waiting:
            node, level = waiting.popleft()
            for one in islice(self._followed(node), MAX_DEPTH + 1):
                if level > MAX_DEPTH or self._left <= 0 or id(one) in seen:
                    break
                self._left -= 1
                seen.add(id(one))
                yield one
                waiting += ((part, level + 1) for key in ALTERNATIVES for part in _array(one, key))

    def _followed(self, schema: Any) -> Iterator[Schema]:
        """A schema, and what it refers to: what is beside a reference counts too."""
        while isinstance(schema, dict):
            yield schema
            schema = pointer.find(self._root, schema.get("$ref"))


def _stated_values(parts: Sequence[Schema]) -> list[Any]:
    """The value that a schema states: its constant, its only enum value, or its default."""
    constants = [part["const"] for part in parts if "const" in part]
    enums = [_array(part, "enum") for part in parts]
    only = [values[0] for values in enums if len(values) == 1]
    defaults = [part["default"] for part in parts if "default" in part]
    return [*constants, *only, *defaults][:1]


def _allows_null(part: Schema) -> bool:
    types = (part.get("type"), *_array(part, "type"))
    return "null" in types or None in _array(part, "enum")


def _array(schema: Schema, keyword: str) -> list[Any]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _properties(schema: Schema) -> list[tuple[str, Any]]:
    properties = schema.get("properties")
    return list(properties.items()) if isinstance(properties, dict) else []
