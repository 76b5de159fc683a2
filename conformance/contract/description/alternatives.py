"""The alternatives of a schema, with references, allOf, anyOf and oneOf taken apart."""

from collections.abc import Iterable
from itertools import islice, product

from conformance.contract.description.document import Choice, Choices, Document
from conformance.contract.description.node import Node

MOST_CHOICES = 64
MOST_STEPS = 5_000
"""Schemas that are taken apart for one view."""
MOST_INSIDE = 50
"""Schemas that lead to one by references and alternatives: each takes several frames of Python."""


def spelled_out(document: Document, choices: Choices) -> Choices:
    """The same alternatives without combining keywords; MOST_CHOICES of them at most."""
    spelling = _Spelling(document)
    found = [spelled for choice in choices for spelled in _all(spelling, choice)]
    return tuple(found[:MOST_CHOICES])


def _all(spelling: "_Spelling", nodes: Iterable[Node]) -> list[Choice]:
    """The alternatives in which all of the schemas hold."""
    parts = [spelling.of(node, ()) for node in nodes]
    combined = islice(product(*parts), MOST_CHOICES)
    return [tuple(node for part in choice for node in part) for choice in combined]


class _Spelling:
    """The alternatives of the schemas of one document, each computed once where it has no cycle.

    After MOST_STEPS, and behind MOST_INSIDE others, a schema is taken as it is: a document may have
    more alternatives than stars.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[int, list[Choice]] = {}
        self._cycles = 0
        self._steps = 0

    def of(self, node: Node, seen: tuple[int, ...]) -> list[Choice]:
        """The alternatives of one schema.

        Each begins with the schema itself; its combining keywords no longer count.
        """
        if node.value is False:
            return [(node,)]
        known = self._known.get(id(node.value))
        if known is not None:
            return known
        is_left = len(seen) >= MOST_INSIDE or self._steps >= MOST_STEPS
        if id(node.value) in seen or is_left:
            self._cycles += 1
            return [(node,)]
        self._steps += 1
        before = self._cycles
        found = self._combined(node, (*seen, id(node.value)))
        if self._cycles == before:
            self._known[id(node.value)] = found
        return found

    def _combined(self, node: Node, seen: tuple[int, ...]) -> list[Choice]:
        document = self._document
        found: list[Choice] = [(node,)] if node.table else [()]
        if "$ref" in node.table:
            target = document.target(node.table["$ref"]) or Node(value=False, line=node.line)
            found = _crossed(found, self.of(target, seen))
        for each in _listed(document, node, "allOf"):
            found = _crossed(found, self.of(each, seen))
        for keyword in ("anyOf", "oneOf"):
            listed = _listed(document, node, keyword)
            if listed:
                found = _crossed(found, self._any_of(listed, seen))
        return found

    def _any_of(self, listed: list[Node], seen: tuple[int, ...]) -> list[Choice]:
        return [choice for each in listed for choice in self.of(each, seen)]


def _crossed(one: list[Choice], other: list[Choice]) -> list[Choice]:
    return [first + second for first in one for second in other][:MOST_CHOICES]


def _listed(document: Document, node: Node, keyword: str) -> list[Node]:
    """The schemas in the list of a combining keyword."""
    holder = document.raw_child(node, keyword)
    if holder is None or not isinstance(holder.value, list):
        return []
    nodes = [document.raw_child(holder, index) for index in range(len(holder.value))]
    return [each for each in nodes if each is not None]
