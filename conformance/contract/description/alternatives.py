"""The alternatives of a schema, with references, allOf, anyOf and oneOf taken apart."""

from collections.abc import Iterable
from itertools import islice, product

from conformance.contract.description.document import Choice, Choices, Document
from conformance.contract.description.node import Node

MOST_CHOICES = 64


def spelled_out(document: Document, choices: Choices) -> Choices:
    """The same alternatives without combining keywords; MOST_CHOICES of them at most."""
    found = [spelled for choice in choices for spelled in _all(document, choice)]
    return tuple(found[:MOST_CHOICES])


def _all(document: Document, nodes: Iterable[Node]) -> list[Choice]:
    """The alternatives in which all of the schemas hold."""
    parts = [_spelled(document, node, ()) for node in nodes]
    combined = islice(product(*parts), MOST_CHOICES)
    return [tuple(node for part in choice for node in part) for choice in combined]


def _spelled(document: Document, node: Node, seen: tuple[int, ...]) -> list[Choice]:
    """The alternatives of one schema.

    Each begins with the schema itself; its combining keywords no longer count.
    """
    if node.value is False or id(node.value) in seen:
        return [(node,)]
    seen = (*seen, id(node.value))
    found: list[Choice] = [(node,)] if node.table else [()]
    if "$ref" in node.table:
        target = document.target(node.table["$ref"]) or Node(value=False, line=node.line)
        found = _crossed(found, _spelled(document, target, seen))
    for each in _listed(document, node, "allOf"):
        found = _crossed(found, _spelled(document, each, seen))
    for keyword in ("anyOf", "oneOf"):
        listed = _listed(document, node, keyword)
        alternatives = [choice for each in listed for choice in _spelled(document, each, seen)]
        if listed:
            found = _crossed(found, alternatives)
    return found


def _crossed(one: list[Choice], other: list[Choice]) -> list[Choice]:
    return [first + second for first in one for second in other][:MOST_CHOICES]


def _listed(document: Document, node: Node, keyword: str) -> list[Node]:
    """The schemas in the list of a combining keyword."""
    holder = document.raw_child(node, keyword)
    if holder is None or not isinstance(holder.value, list):
        return []
    nodes = [document.raw_child(holder, index) for index in range(len(holder.value))]
    return [each for each in nodes if each is not None]
