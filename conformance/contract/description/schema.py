"""A schema by its meaning: properties, items and allowed values, however they are spelled."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.contract.description import alternatives, keywords
from conformance.contract.description.document import Choice, Choices, Document
from conformance.contract.description.node import Node
from conformance.contract.first_error import first_error

MOST_REQUIRED = 200
"""Required properties that may contradict the rest of a schema."""

UNDESCRIBED = "neverHeardOf"
"""A property name that no document describes."""


@dataclass(frozen=True)
class View:
    """What a document states about one value.

    The value fits one of the `choices`. Without any, nothing fits; an empty one fits everything.
    """

    document: Document
    choices: Choices

    @classmethod
    def of(cls, document: Document, node: Node | None) -> "View":
        """The statement of one schema; without a schema, every value is allowed."""
        return cls(document, ((node,),) if node is not None else ((),))

    def followed(self) -> "View":
        """The view of the definition, if this schema is only a reference to it."""
        if [len(choice) for choice in self.choices] != [1]:
            return self
        node = self.choices[0][0]
        is_reference = set(node.table) == {"$ref"}
        return View.of(self.document, self.document.resolved(node)) if is_reference else self

    @property
    def key(self) -> object:
        """Equal for the same schemas of one document."""
        return tuple(tuple(id(node.value) for node in choice) for choice in self.choices)

    @property
    def first(self) -> Node | None:
        """The first schema whose line is known."""
        nodes = (node for choice in self.choices for node in choice)
        return next((node for node in nodes if node.line is not None), None)

    @property
    def is_empty(self) -> bool:
        """Whether the value is not described at all."""
        return any(
            all(node.value is True or node.value == {} for node in choice)
            for choice in self.choices
        )

    @cached_property
    def spelled_out(self) -> Choices:
        """The choices with references, allOf, anyOf and oneOf taken apart."""
        return alternatives.spelled_out(self.document, self.choices)

    @property
    def _nodes(self) -> Iterator[Node]:
        return (node for choice in self.spelled_out for node in choice)

    @cached_property
    def aspects(self) -> frozenset[str]:
        """The aspects that the contract marks as open here."""
        marks = [node.table.get("x-open", {}) for node in self._nodes]
        return frozenset(aspect for mark in marks for aspect in mark.get("aspects", ()))

    # --- objects ----------------------------------------------------------------------------------

    def of_type(self, name: str) -> Choices:
        """The choices that allow a value of a JSON type."""
        return tuple(
            choice
            for choice in self.spelled_out
            if all(keywords.allows_type(node.value, name) for node in choice)
        )

    def is_contradiction(self) -> bool:
        """Whether every choice requires a property of an object that it excludes."""
        return all(map(self._is_impossible, self.of_type("object")))

    def _is_impossible(self, choice: Choice) -> bool:
        """Whether an object has to have a property that it must not have."""
        required = _required(choice)
        limits = [node.table.get("maxProperties") for node in choice]
        if any(isinstance(limit, int | float) and limit < len(required) for limit in limits):
            return True
        names = [*self._children(choice, "propertyNames")]
        return any(
            any(keywords.is_nothing(node.value) for node in self._applied(choice, name))
            or not all(View.of(self.document, node).allows(name) for node in names)
            for name in sorted(required)[:MOST_REQUIRED]
        )

    def names_type(self) -> bool:
        """Whether every choice states the type of the value."""
        naming = {"type", "const", "enum"}
        return all(
            any(naming & set(node.table) or node.value is False for node in choice)
            for choice in self.spelled_out
        )

    def property_names(self) -> list[str]:
        """The described properties of an object, in order."""
        nodes = [node for choice in self.of_type("object") for node in choice]
        tables = [node.table.get("properties") for node in nodes]
        described = [table for table in tables if isinstance(table, dict)]
        return list(dict.fromkeys(name for table in described for name in table))

    def property_view(self, name: str) -> "View":
        """The statement about a property; if it is not described, that about additional ones."""
        choices = self.of_type("object")
        return View(self.document, tuple(tuple(self._applied(each, name)) for each in choices))

    def describes(self, name: str) -> bool:
        """Whether every choice describes a property."""
        objects = self.of_type("object")
        return all(any(True for _ in self._stated(choice, name)) for choice in objects)

    def _stated(self, choice: Choice, name: str) -> Iterator[Node]:
        """The schemas of a property, by its name or by a pattern."""
        return (stated for node in choice for stated in self._stated_by(node, name))

    def _stated_by(self, node: Node, name: str) -> Iterator[Node]:
        properties = self.document.raw_child(node, "properties")
        stated = properties and self.document.raw_child(properties, name)
        if stated is not None:
            yield stated
        patterns = self.document.raw_child(node, "patternProperties")
        for pattern in patterns.table if patterns else ():
            if patterns is not None and self.document.matches(pattern, name):
                line = self.document.source.line(patterns.value, pattern)
                yield Node(patterns.table[pattern], line)

    def _applied(self, choice: Choice, name: str) -> Iterator[Node]:
        """The schemas that a property has to fit, described or not.

        `additionalProperties` is about the names that the same schema object does not state.
        """
        for node in choice:
            additional = self.document.raw_child(node, "additionalProperties")
            stated = [*self._stated_by(node, name)]
            yield from stated if stated or additional is None else [additional]
        for node in choice:
            unevaluated = self.document.raw_child(node, "unevaluatedProperties")
            if unevaluated is not None and not self._is_evaluated(node, name):
                yield unevaluated

    def _is_evaluated(self, node: Node, name: str) -> bool:
        """Whether a schema, or one that it is combined of, is about a property."""
        whole = self.document.views.setdefault(id(node.value), View.of(self.document, node))
        return any(
            any(True for _ in self._stated_by(part, name)) or "additionalProperties" in part.table
            for choice in whole.spelled_out
            for part in choice
        )

    def _children(self, choice: Choice, keyword: str) -> Iterator[Node]:
        found = (self.document.raw_child(node, keyword) for node in choice)
        return (node for node in found if node is not None)

    def required(self) -> frozenset[str]:
        """The properties that every choice requires."""
        sets = [_required(choice) for choice in self.of_type("object")]
        return frozenset.intersection(*sets) if sets else frozenset()

    def is_closed(self) -> bool:
        """Whether every choice rejects undescribed properties."""
        return all(self._is_closed(choice) for choice in self.of_type("object"))

    def _is_closed(self, choice: Choice) -> bool:
        names = self._children(choice, "propertyNames")
        applied = self._applied(choice, UNDESCRIBED)
        is_excluded = any(keywords.is_nothing(node.value) for node in applied)
        if is_excluded or not all(map(self._allows_name, names)):
            return True
        # If as many properties are required as are allowed, there is no room for another one.
        required = View(self.document, (choice,)).required()
        limits = [node.table.get("maxProperties") for node in choice]
        numbers = [limit for limit in limits if isinstance(limit, int | float)]
        return any(number <= len(required) for number in numbers)

    def _allows_name(self, node: Node) -> bool:
        return View.of(self.document, node).allows(UNDESCRIBED)

    # --- values -----------------------------------------------------------------------------------

    def item_view(self) -> "View":
        """The statement about the items of an array."""
        found = []
        for choice in self.of_type("array"):
            nodes = [self.document.raw_child(node, "items") for node in choice]
            found.append(tuple(node for node in nodes if node is not None))
        return View(self.document, tuple(found))

    def named_values(self) -> list[object]:
        """The values in the schema itself: `const`, inclusive bounds, and those of `enum`."""
        tables = [node.table for node in self._nodes]
        single = ("const", "minimum", "maximum")
        named = [table[keyword] for table in tables for keyword in single if keyword in table]
        lists = [table["enum"] for table in tables if isinstance(table.get("enum"), list)]
        return [*named, *(value for values in lists for value in values)]

    @cached_property
    def _validator(self) -> Any:
        return self.document.validator(self.choices)

    def allows(self, value: object) -> bool:
        """Whether a value fits. Raises SchemaError."""
        return bool(self._validator.is_valid(value))

    def flaw(self, value: object) -> str | None:
        """The place and the keyword at which a value does not fit; None if it fits.

        It contains nothing of the value. Raises SchemaError.
        """
        try:
            error = first_error(self._validator, value)
        except UnicodeEncodeError:  # the message would quote a lone surrogate
            return "an unknown place"
        if error is None:
            return None
        steps = [step if isinstance(step, str) else "*" for step in error.instance_path]
        return f"{'/'.join(steps) or 'the whole'} ({error.kind.name})"

    def summary(self) -> str:
        """The type and the bounds of the value in a few words."""
        found = [keywords.summary(choice) for choice in self.spelled_out]
        return " or ".join(dict.fromkeys(filter(None, found))) or "anything"


def _required(choice: Choice) -> frozenset[str]:
    lists = [node.table.get("required") for node in choice]
    return frozenset(str(name) for names in lists if isinstance(names, list) for name in names)
