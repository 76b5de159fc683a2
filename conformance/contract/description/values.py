"""One value in the contract and in a description, with everything inside of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from conformance.contract.description import objects, probing
from conformance.contract.description.difference import Difference, Effect
from conformance.contract.description.document import SchemaError
from conformance.contract.description.place import Place
from conformance.contract.description.schema import View


@dataclass(frozen=True)
class ValueComparison:
    """Compares the values of two documents, each pair of schemas once.

    Most schemas belong to several responses; the error body to every operation and status.
    """

    _known: dict[object, tuple[Difference, ...]] = field(default_factory=dict)

    def differences(self, ours: View, theirs: View, place: Place) -> Iterator[Difference]:
        """The differences of a value and of everything in it."""
        resource = _resource(ours)
        if resource is not None:
            # A resource has its own name and its own lines wherever it is used.
            place = replace(place, where=resource)
            ours, theirs = ours.followed(), theirs.followed()
        key = (ours.key, theirs.key, place.where, place.direction, place.aspect)
        if key not in self._known:
            self._known[key] = tuple(self._compared(ours, theirs, place))
        for each in self._known[key]:
            yield replace(each, operations=(place.operation,))

    def _compared(self, ours: View, theirs: View, place: Place) -> Iterator[Difference]:
        if theirs.is_empty:
            said = ours.summary(), ""
            yield place.difference(theirs, place.loss, "is not described", said)
            return
        try:
            yield from probing.differences(ours, theirs, place)
        except SchemaError as problem:
            message = f"has an invalid schema: {problem}"
            yield place.difference(theirs, Effect.CLIENTS, message)
            return
        if ours.property_names() and theirs.of_type("object"):
            yield from self._properties(ours, theirs, place)
            yield from objects.differences(ours, theirs, place)
        is_array = ours.of_type("array") and probing.is_composite(ours, "array")
        if is_array and theirs.of_type("array"):
            items = ours.item_view(), theirs.item_view()
            yield from self.differences(*items, place.below("[]"))

    def _properties(self, ours: View, theirs: View, place: Place) -> Iterator[Difference]:
        for name in ours.property_names():
            if objects.has(theirs, name):
                values = ours.property_view(name), theirs.property_view(name)
                yield from self.differences(*values, place.below(name))


def _resource(ours: View) -> str | None:
    """The name of the contract's object that a reference leads to; None for plain values."""
    if len(ours.choices) != 1:
        return None
    (choice,) = ours.choices
    references = [node.table["$ref"] for node in choice if "$ref" in node.table]
    if len(references) != 1 or not ours.property_names():
        return None
    return str(references[0]).rpartition("/")[2]
