"""A description as a tree of nodes whose references can be followed."""

from collections.abc import Iterable, Iterator
from typing import Any

import jsonschema_rs

from conformance.contract import pointer, references, validators
from conformance.contract.description import sections
from conformance.contract.description.dialect import translate
from conformance.contract.description.node import NOTHING, Node
from conformance.contract.description.sections import Path
from conformance.contract.description.source import Json, Source

MOST_HOPS = 50
MOST_MATCHES = 500
"""Names of properties that are compared with patterns of the document: each is compiled."""

Choice = tuple[Node, ...]
"""Schemas that a value has to fit all at once."""
Choices = tuple[Choice, ...]
"""Alternatives, one of which a value has to fit."""


class SchemaError(ValueError):
    """A schema that no validator can compile; the text has the reason."""


class Document:
    """A description; any value in it may lack the type that OpenAPI requires.

    Its references are JSON Pointers: `references.resolve` has been there.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root = source.document
        self._paths: dict[Path, tuple[Path, ...]] = {}
        self._validators: dict[object, Any] = {}
        self.views: dict[int, Any] = {}
        """The views of schemas that are looked at for each of their properties."""
        self._matches: dict[tuple[str, str], bool] = {}
        if str(self.root.get("openapi")).startswith("3.0"):
            for table, _, _ in references.tables(self.root):
                translate(table)

    # --- nodes ------------------------------------------------------------------------------------

    def child(self, node: Node, key: str | int) -> Node | None:
        """The value at a key or an index, with references followed; None if there is none."""
        raw = self.raw_child(node, key)
        return raw and self.resolved(raw)

    def raw_child(self, node: Node, key: str | int) -> Node | None:
        """The value at a key or an index, references included."""
        container = node.value
        in_mapping = isinstance(container, dict) and key in container
        in_list = isinstance(container, list) and isinstance(key, int) and key < len(container)
        if not in_mapping and not in_list:
            return None
        return Node(container[key], self.source.line(container, key) or node.line)

    def children(self, node: Node) -> Iterator[tuple[str | int, Node]]:
        """Every value in a mapping or a list, with references followed."""
        for key in node.keys:
            found = self.child(node, key)
            assert found is not None
            yield key, found

    # --- references -------------------------------------------------------------------------------

    def resolved(self, node: Node) -> Node:
        """The node that a node refers to, or the node itself.

        A dangling reference resolves to NOTHING, on the line of the reference.
        """
        found: Node | None = node
        for _ in range(MOST_HOPS):
            if found is None or "$ref" not in found.table:
                break
            # The line of the definition is reported: many references may lead to one mistake.
            found = self.target(found.table["$ref"])
        is_dangling = found is None or "$ref" in found.table
        return Node(NOTHING, node.line) if found is None or is_dangling else found

    def target(self, reference: object) -> Node | None:
        """The node that a reference points to; None if it is dangling."""
        path = pointer.referred(reference)
        return None if path is None else self._at(path)

    def _at(self, path: Iterable[str]) -> Node | None:
        node: Node | None = Node(self.root)
        for step in path:
            if node is None:
                return None
            is_index = step.isdecimal() and isinstance(node.value, list)
            node = self.raw_child(node, int(step) if is_index else step)
        return node

    def matches(self, pattern: str, name: str) -> bool:
        """Whether a name of a property matches; after MOST_MATCHES names none does."""
        key = (pattern, name)
        if key not in self._matches and len(self._matches) < MOST_MATCHES:
            self._matches[key] = validators.matches(pattern, name)
        return self._matches.get(key, False)

    # --- schemas ----------------------------------------------------------------------------------

    def validator(self, choices: Choices) -> Any:
        """A compiled validator of a value with these choices. Raises SchemaError."""
        key = tuple(tuple(id(node.value) for node in choice) for choice in choices)
        if key not in self._validators:
            self._validators[key] = self._compiled(choices)
        return self._validators[key]

    def _compiled(self, choices: Choices) -> Any:
        schemas: list[Any] = [_combined(choice) for choice in choices]
        # The errors of a single choice name a place inside of it; those of anyOf do not.
        whole = schemas[0] if len(schemas) == 1 else {"anyOf": schemas or [False]}
        values = [node.value for choice in choices for node in choice]
        schema = {**self.definitions(values), **whole}
        try:
            return validators.modern(schema)
        except (
            ValueError,
            jsonschema_rs.ValidationError,
            jsonschema_rs.ReferencingError,
        ) as problem:
            raise SchemaError(str(problem).splitlines()[0]) from None

    def definitions(self, schemas: Iterable[object]) -> Json:
        """The parts of the document that schemas refer to, directly or not, each in its place."""
        found: dict[str, Any] = {}
        for path in self._reached(schemas):
            part = self._at(path)
            if part is not None:
                sections.put(found, path, part.value)
        return found

    def _reached(self, schemas: Iterable[object]) -> set[Path]:
        """The parts that these schemas refer to, and the parts that those refer to."""
        reached: set[Path] = set()
        waiting = [path for schema in schemas for path in sections.paths(schema)]
        while waiting:
            path = waiting.pop()
            if path not in reached:
                reached.add(path)
                waiting += self._paths_from(path)
        return reached

    def _paths_from(self, path: Path) -> tuple[Path, ...]:
        if path not in self._paths:
            part = self._at(path)
            self._paths[path] = () if part is None else sections.paths(part.value)
        return self._paths[path]


def _combined(choice: Choice) -> Json:
    return {"allOf": [node.value for node in choice]} if choice else {}
