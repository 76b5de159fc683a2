"""The values that only one of two schemas allows, found with probes."""

from collections.abc import Iterable, Iterator, Sequence

from conformance.contract.description.difference import Difference, Effect
from conformance.contract.description.place import Direction, Place
from conformance.contract.description.probes import PROBES, Probe, kinds, named
from conformance.contract.description.schema import View

SHAPE_ASPECTS = frozenset({"presence", "end-of-list"})
VALUE_ASPECTS = frozenset({"vocabulary", "format", "unit", "required"}) | SHAPE_ASPECTS

_KEYWORDS = {"object": "properties", "array": "items"}
_NOUNS = {"object": "an object", "array": "an array"}


def differences(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    """The differences in the allowed values, properties and items left out. Raises SchemaError."""
    composite = next((name for name in _KEYWORDS if is_composite(ours, name)), None)
    probes = [probe for probe in PROBES if probe.type != composite]
    said = ours.summary(), theirs.summary()
    wider = _wider(ours, theirs, probes, place)
    if not wider:
        # The values in their own schema matter only if no probe shows that it is wider.
        wider = _wider(ours, theirs, map(named, theirs.named_values()), place)
    narrower = _wider(theirs, ours, probes, place)
    if wider:
        effect = _effect_of_wider(ours, theirs, wider, place)
        yield place.difference(theirs, effect, f"also allows {kinds(wider)}", said)
    if narrower:
        effect = _effect_of_narrower(ours, theirs, narrower, place)
        if place.in_response and not wider and _is_of_another_type(ours, theirs):
            effect = Effect.CLIENTS  # nothing fits
        yield place.difference(theirs, effect, f"does not allow {kinds(narrower)}", said)
    if composite and not theirs.of_type(composite):
        yield place.difference(theirs, place.loss, f"is not {_NOUNS[composite]}", said)


def is_composite(view: View, name: str) -> bool:
    """Whether the properties of an object, or the items of an array, are described."""
    nodes = (node for choice in view.of_type(name) for node in choice)
    return any(_KEYWORDS[name] in node.table for node in nodes)


def _wider(ours: View, theirs: View, probes: Iterable[Probe], place: Place) -> list[Probe]:
    """The probes that fit the second schema but not the first."""
    return [
        probe for probe in probes if _fits(theirs, probe, place) and not _fits(ours, probe, place)
    ]


def _fits(view: View, probe: Probe, place: Place) -> bool:
    # All values in a query are text, so a number may be described as either.
    is_text = place.direction is Direction.PARAMETER and probe.type == "integer"
    return (is_text and view.allows(str(probe.value))) or view.allows(probe.value)


def _effect_of_wider(ours: View, theirs: View, wider: Sequence[Probe], place: Place) -> Effect:
    # Properties or items without a type are clear enough.
    is_untyped = any(is_composite(theirs, name) for name in _KEYWORDS) and not theirs.names_type()
    if not place.in_response or is_untyped:
        return Effect.HARMLESS
    is_null = all(probe.value is None for probe in wider)
    return Effect.OPEN if is_null and ours.aspects & SHAPE_ASPECTS else Effect.CLIENTS


def _is_of_another_type(ours: View, theirs: View) -> bool:
    """Whether the second schema allows no value of a type that the first one allows."""
    types = {probe.type for probe in PROBES if ours.allows(probe.value)}
    return not any(theirs.of_type(name) for name in types)


def _effect_of_narrower(
    ours: View, theirs: View, narrower: Sequence[Probe], place: Place
) -> Effect:
    is_body = place.direction is Direction.BODY
    if is_body and _is_of_another_type(ours, theirs):
        return Effect.CALLERS
    if ours.aspects & VALUE_ASPECTS:
        return Effect.OPEN
    if place.in_response:
        # A target may use fewer values, except for null, which the contract requires somewhere.
        has_null = any(probe.value is None for probe in narrower)
        return Effect.CLIENTS if has_null else Effect.HARMLESS
    is_extreme = all(probe.extreme for probe in narrower)
    return Effect.OPEN if is_body and is_extreme else Effect.CALLERS
