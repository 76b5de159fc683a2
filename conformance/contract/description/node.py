"""A value of a description with the line that it is on."""

from dataclasses import dataclass
from typing import Any

from conformance.contract.description.source import Json

NOTHING: Json = {}
"""The value that a dangling reference resolves to."""


@dataclass(frozen=True)
class Node:
    """A value of the document and its line, from 1; it may have any type."""

    value: Any
    line: int | None = None

    @property
    def table(self) -> Json:
        """The value if it is a mapping, otherwise an empty one."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def keys(self) -> list[str | int]:
        """The keys of a mapping or the indices of a list; none for other values."""
        if isinstance(self.value, dict):
            return list(self.value)
        return list(range(len(self.value))) if isinstance(self.value, list) else []


def anything(node: Node) -> Node:
    """The schema that allows every value, on the line of a node."""
    return Node(value=True, line=node.line)


def lines(node: Node | None) -> tuple[int, ...]:
    """The line of a node as a tuple; empty if there is no node or its line is unknown."""
    return () if node is None or node.line is None else (node.line,)
