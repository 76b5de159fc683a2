"""JSON Schemas of a document, seen as what they mean: members, items, and which values they allow, however that is spelled."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import jsonschema_rs

from conformance.contract import validators
from conformance.contract.description.document import Document, Node

MOST_CHOICES = 64
UNHEARD_OF = "neverHeardOf"
"""A member that no document describes."""

Conjunction = tuple[Node, ...]
"""Schemas that all have to hold."""


class SchemaError(ValueError):
    """A schema that no validator can use; says why."""


@dataclass(frozen=True)
class View:
    """What a document says of one value: it fits one of the `choices` (none: nothing fits; an empty one: everything)."""

    document: Document
    choices: tuple[Conjunction, ...]

    @classmethod
    def of(cls, document: Document, node: Node | None) -> "View":
        """What one schema says; everything is allowed where there is none."""
        return cls(document, ((node,),) if node is not None else ((),))

    def followed(self) -> "View":
        """The same where it is defined, if it is nothing but a reference."""
        single = self.choices[0][0] if [len(choice) for choice in self.choices] == [1] else None
        return (
            self
            if single is None or set(single.table) != {"$ref"}
            else View.of(self.document, self.document.resolved(single))
        )

    @property
    def key(self) -> object:
        """The same for the same schemas of one document."""
        return tuple(tuple(id(node.value) for node in choice) for choice in self.choices)

    @property
    def line(self) -> int | None:
        """The first line that speaks of the value."""
        return next(
            (node.line for choice in self.choices for node in choice if node.line is not None), None
        )

    @property
    def says_nothing(self) -> bool:
        """Whether it is described at all."""
        return any(
            all(node.value is True or node.value == {} for node in choice)
            for choice in self.choices
        )

    @cached_property
    def spelled_out(self) -> tuple[Conjunction, ...]:
        """The choices with references, allOf, anyOf and oneOf taken apart."""
        found = [spelled for choice in self.choices for spelled in _all(self.document, choice, ())]
        return tuple(found[:MOST_CHOICES])

    @cached_property
    def aspects(self) -> frozenset[str]:
        """What the contract marks as open here."""
        marks = [node.table.get("x-open", {}) for choice in self.spelled_out for node in choice]
        return frozenset(aspect for mark in marks for aspect in mark.get("aspects", ()))

    # --- objects and arrays ------------------------------------------------------------------------------------------

    def of_type(self, name: str) -> tuple[Conjunction, ...]:
        """The choices that a value of a JSON type may take."""
        return tuple(
            choice
            for choice in self.spelled_out
            if all(_allows(node.value, name) for node in choice)
        )

    def names_type(self) -> bool:
        """Whether every choice says of which type the value is."""
        naming = {"type", "const", "enum"}
        return all(
            any(naming & set(node.table) or node.value is False for node in choice)
            for choice in self.spelled_out
        )

    def member_names(self) -> list[str]:
        """The members that are described, in order."""
        tables = [
            node.table.get("properties") for choice in self.of_type("object") for node in choice
        ]
        return list(
            dict.fromkeys(name for table in tables if isinstance(table, dict) for name in table)
        )

    def member(self, name: str) -> "View":
        """What is said of a member; what additional members have to be where it is not described."""
        found: list[Conjunction] = []
        for choice in self.of_type("object"):
            stated = tuple(self._stated(choice, name))
            found.append(stated or tuple(self._additional(choice)))
        return View(self.document, tuple(found))

    def describes(self, name: str) -> bool:
        """Whether a member is described in every choice."""
        return all(
            any(True for _ in self._stated(choice, name)) for choice in self.of_type("object")
        )

    def _stated(self, choice: Conjunction, name: str) -> Iterator[Node]:
        for node in choice:
            properties = self.document.raw_child(node, "properties")
            member = properties and self.document.raw_child(properties, name)
            if member is not None:
                yield member
            patterns = self.document.raw_child(node, "patternProperties")
            for pattern in patterns.table if patterns else ():
                if patterns is not None and _matches(pattern, name):
                    yield Node(
                        patterns.table[pattern], self.document.source.line(patterns.value, pattern)
                    )

    def _additional(self, choice: Conjunction) -> Iterator[Node]:
        for node in choice:
            for keyword in ("additionalProperties", "unevaluatedProperties"):
                found = self.document.raw_child(node, keyword)
                if found is not None:
                    yield found

    def required(self) -> frozenset[str]:
        """The members that every choice requires."""
        sets = [
            frozenset(
                name
                for node in choice
                if isinstance(node.table.get("required"), list)
                for name in map(str, node.table["required"])
            )
            for choice in self.of_type("object")
        ]
        return frozenset.intersection(*sets) if sets else frozenset()

    def is_closed(self) -> bool:
        """Whether no choice allows a member that it does not describe."""
        return all(self._closes(choice) for choice in self.of_type("object"))

    def _closes(self, choice: Conjunction) -> bool:
        if any(
            _is_nothing(node.value)
            for node in (*self._additional(choice), *self._stated(choice, UNHEARD_OF))
        ):
            return True
        names = [
            found
            for node in choice
            if (found := self.document.raw_child(node, "propertyNames")) is not None
        ]
        if any(not View.of(self.document, node).allows(UNHEARD_OF) for node in names):
            return True
        # Where all the members that there may be are required, there is room for no other.
        required = View(self.document, (choice,)).required()
        most = [
            found
            for node in choice
            if isinstance(found := node.table.get("maxProperties"), int | float)
        ]
        return any(number <= len(required) for number in most)

    def items(self) -> "View":
        """What is said of the items of an array."""
        found = []
        for choice in self.of_type("array"):
            nodes = [self.document.raw_child(node, "items") for node in choice]
            found.append(tuple(node for node in nodes if node is not None))
        return View(self.document, tuple(found))

    def named_values(self) -> list[object]:
        """The values that stand in the schema itself: those of `enum` and `const`, and its inclusive bounds."""
        tables = [node.table for choice in self.spelled_out for node in choice]
        single = [
            table[keyword]
            for table in tables
            for keyword in ("const", "minimum", "maximum")
            if keyword in table
        ]
        return [
            *single,
            *(
                value
                for table in tables
                if isinstance(table.get("enum"), list)
                for value in table["enum"]
            ),
        ]

    # --- values ------------------------------------------------------------------------------------------------------

    @cached_property
    def validator(self) -> Any:
        """A validator of the whole value. Raises SchemaError."""
        key, known = self.key, self.document.validators
        if key not in known:
            known[key] = self._validator()
        return known[key]

    def _validator(self) -> Any:
        choices: list[Any] = [
            {"allOf": [node.value for node in choice]} if choice else {} for choice in self.choices
        ]
        # With one choice alone, what does not fit is told from inside of it.
        whole = choices[0] if len(choices) == 1 else {"anyOf": choices or [False]}
        values = [node.value for choice in self.choices for node in choice]
        schema = {**self.document.definitions(values), **whole}
        try:
            return validators.modern(schema)
        except (
            ValueError,
            jsonschema_rs.ValidationError,
            jsonschema_rs.ReferencingError,
        ) as problem:
            raise SchemaError(str(problem).splitlines()[0]) from None

    def allows(self, value: object) -> bool:
        """Whether a value fits. Raises SchemaError."""
        return bool(self.validator.is_valid(value))

    def flaw(self, value: object) -> str | None:
        """Where a value does not fit, and by which keyword, without any of its content; None where it fits. Raises SchemaError."""
        try:
            error = next(self.validator.iter_errors(value), None)
        except UnicodeEncodeError:  # the message would quote a lone surrogate
            return "a place that cannot be told"
        place = error and "/".join(
            str(part) if isinstance(part, str) else "*" for part in error.instance_path
        )
        return None if error is None else f"{place or 'the whole'} ({error.kind.name})"

    def told(self) -> str:
        """The keywords that bound a value, in a few words."""
        return (
            " or ".join(dict.fromkeys(filter(None, (_told(choice) for choice in self.spelled_out))))
            or "anything"
        )


def _all(document: Document, nodes: Iterable[Node], seen: tuple[int, ...]) -> list[Conjunction]:
    """The choices under which all of the schemas hold."""
    parts = [_spelled(document, node, seen) for node in nodes]
    combined = product(*parts)
    return [
        tuple(node for part in choice for node in part)
        for choice, _ in zip(combined, range(MOST_CHOICES), strict=False)
    ]


def _spelled(document: Document, node: Node, seen: tuple[int, ...]) -> list[Conjunction]:
    """The choices that one schema leaves, each beginning with the schema itself, whose combining keywords no longer count."""
    if node.value is False:
        return [(node,)]
    if id(node.value) in seen:
        return [(node,)]
    seen = (*seen, id(node.value))
    found: list[Conjunction] = [(node,)] if node.table else [()]
    if "$ref" in node.table:
        target = document.target(node.table["$ref"])
        found = _crossed(
            found,
            _spelled(document, target, seen) if target else [(Node(value=False, line=node.line),)],
        )
    for each in _listed(document, node, "allOf"):
        found = _crossed(found, _spelled(document, each, seen))
    for keyword in ("anyOf", "oneOf"):
        alternatives = _listed(document, node, keyword)
        if alternatives:
            found = _crossed(
                found,
                [choice for each in alternatives for choice in _spelled(document, each, seen)],
            )
    return found


def _crossed(one: list[Conjunction], other: list[Conjunction]) -> list[Conjunction]:
    return [first + second for first in one for second in other][:MOST_CHOICES]


def _listed(document: Document, node: Node, keyword: str) -> list[Node]:
    holder = document.raw_child(node, keyword)
    if holder is None or not isinstance(holder.value, list):
        return []
    return [
        Node(value, document.source.line(holder.value, index) or holder.line)
        for index, value in enumerate(holder.value)
    ]


def _allows(schema: Any, name: str) -> bool:
    if not isinstance(schema, dict):
        return schema is not False
    stated = schema.get("type", name)
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    fits = name in stated if isinstance(stated, list) else stated == name
    wanted = {"object": dict, "array": list}[name]
    return fits and (
        not isinstance(values, list) or any(isinstance(value, wanted) for value in values)
    )


def _is_nothing(schema: object) -> bool:
    return schema is False or (
        isinstance(schema, dict) and schema.get("not") in ({}, True) and "not" in schema
    )


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False


def _told(choice: Conjunction) -> str:
    words: list[str] = []
    for node in choice:
        for keyword, value in node.table.items():
            if keyword == "type":
                words.insert(
                    0, " or ".join(map(str, value)) if isinstance(value, list) else str(value)
                )
            elif keyword in _BOUNDS:
                words.append(f"{_BOUNDS[keyword]} {value!r}" if keyword != "pattern" else "pattern")
        if node.value is False:
            words.append("nothing")
    return ", ".join(dict.fromkeys(words))


_BOUNDS = {
    "format": "format", "pattern": "pattern", "enum": "one of", "const": "only",
    "minimum": "minimum", "maximum": "maximum", "exclusiveMinimum": "above", "exclusiveMaximum": "below", "multipleOf": "multiple of",
    "minLength": "minLength", "maxLength": "maxLength", "default": "default",
}  # fmt: skip
