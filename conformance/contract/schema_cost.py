"""The work of validating a value by a schema that a target wrote, and of compiling its patterns.

Alternatives of alternatives double it at each level: twenty short lines may take a validator years.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from conformance.contract import pointer

MOST = 100_000
"""Schemas that a validator may have to evaluate for one value."""

MOST_UNRESOLVED = 20
"""References whose target is not looked for: by the name of an anchor, or to another id."""

MOST_PATTERNS, LONGEST_PATTERNS = 200, 20_000
"""Patterns of a schema, and their characters: each is compiled, and takes up to a megabyte."""

ONE = frozenset({"not", "if", "then", "else", "items", "additionalItems", "contains",
                 "additionalProperties", "propertyNames", "unevaluatedItems",
                 "unevaluatedProperties"})  # fmt: skip
MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies"})
REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})


class _Costs:
    """The schemas that are evaluated for each schema of a document, each computed once."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._known: dict[int, int] = {}
        self.unresolved = 0

    def of(self, schema: Any) -> int:
        """The evaluations of one schema; a cycle counts once, since validators stop there."""
        if not isinstance(schema, Mapping):
            return 1
        if id(schema) not in self._known:
            self._known[id(schema)] = 0
            total = 1 + sum(map(self.of, self._parts(schema)))
            self._known[id(schema)] = min(total, MOST + 1)
        return self._known[id(schema)]

    def _parts(self, schema: Mapping[str, Any]) -> Iterator[Any]:
        for keyword, value in schema.items():
            if keyword in REFERENCES:
                yield self._target(value)
            elif keyword in NAMED and isinstance(value, Mapping):
                yield from value.values()
            elif keyword in MANY and isinstance(value, list):
                yield from value
            elif keyword in ONE:
                yield value

    def _target(self, reference: Any) -> Any:
        if pointer.referred(reference) is None:
            self.unresolved += 1
        return pointer.find(self._root, reference)


def is_affordable(schema: Mapping[str, Any]) -> bool:
    """Whether a validator evaluates no more than `MOST` schemas for one value, and few patterns."""
    found = list(islice(patterns(schema), MOST_PATTERNS + 1))
    if len(found) > MOST_PATTERNS or sum(map(len, found)) > LONGEST_PATTERNS:
        return False
    costs = _Costs(schema)
    try:
        return costs.of(schema) <= MOST and costs.unresolved <= MOST_UNRESOLVED
    except RecursionError:
        return False


def patterns(schema: object) -> Iterator[str]:
    """The patterns anywhere in a schema, and what may be one: a validator compiles them all."""
    waiting, seen = [schema], set[int]()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict | list) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, dict):
            stated, named = node.get("pattern"), node.get("patternProperties")
            yield from [stated] if isinstance(stated, str) else []
            yield from named if isinstance(named, dict) else []
        waiting += node.values() if isinstance(node, dict) else node
