"""The properties of an object: which ones are described, required and excluded."""

from collections.abc import Iterator, Sequence

from conformance.contract.description.difference import Difference, Effect
from conformance.contract.description.place import Place
from conformance.contract.description.probing import SHAPE_ASPECTS
from conformance.contract.description.schema import View


def differences(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    """The differences of an object apart from the values of the properties that both describe."""
    omitted = [name for name in ours.property_names() if not has(theirs, name)]
    for name in omitted:
        yield _omission(name, ours, theirs, place)
    if place.in_response:
        yield from _guaranteed(ours, theirs, place, omitted)
    else:
        yield from _demanded(ours, theirs, place)
    yield from _closedness(ours, theirs, place)
    # Where a required property is not described at all, that says enough.
    is_told = any(not theirs.describes(name) for name in ours.required())
    if not is_told and theirs.is_contradiction():
        message = "fits no object: a property is required, and excluded"
        yield place.difference(theirs, place.loss, message)


def has(view: View, name: str) -> bool:
    """Whether a property is described and may be present."""
    return view.describes(name) and not _is_forbidden(view.property_view(name))


def _omission(name: str, ours: View, theirs: View, place: Place) -> Difference:
    stated = ours.property_view(name)
    if name in ours.required() or not place.in_response:
        effect = place.loss
    else:
        is_open = (ours.aspects | stated.aspects) & SHAPE_ASPECTS
        effect = Effect.OPEN if is_open else Effect.HARMLESS
    said = stated.summary(), ""
    message = "is excluded" if theirs.describes(name) else "is not described"
    return place.below(name).difference(theirs, effect, message, said)


def _guaranteed(
    ours: View, theirs: View, place: Place, omitted: Sequence[str]
) -> Iterator[Difference]:
    """The properties that a response always has, according to one of the two."""
    for name in sorted(ours.required() - theirs.required() - set(omitted)):
        said = "required", "optional"
        stated = theirs.property_view(name)
        yield place.below(name).difference(stated, Effect.CLIENTS, "is not required", said)
    also = sorted((theirs.required() - ours.required()) & set(ours.property_names()))
    if also:
        all_open = all(ours.property_view(name).aspects & SHAPE_ASPECTS for name in also)
        is_open = ours.aspects & SHAPE_ASPECTS or all_open
        effect = Effect.OPEN if is_open else Effect.HARMLESS
        yield place.difference(theirs, effect, f"also requires {', '.join(also)}")


def _demanded(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    """The properties that only the description requires of a caller."""
    for name in sorted(theirs.required() - ours.required()):
        is_open = name in ours.property_names() and "required" in ours.aspects
        effect = Effect.OPEN if is_open else Effect.CALLERS
        yield place.below(name).difference(theirs.property_view(name), effect, "is required")


def _closedness(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    known = ours.property_names()
    names = [name for name in theirs.property_names() if name not in known]
    extra = [name for name in names if not _is_forbidden(theirs.property_view(name))]
    if extra:
        is_breaking = ours.is_closed() and place.in_response
        effect = Effect.CLIENTS if is_breaking else Effect.HARMLESS
        first = theirs.property_view(extra[0])
        yield place.difference(first, effect, f"has additional properties: {', '.join(extra)}")
    if ours.is_closed() and not theirs.is_closed():
        said = "closed", "open"
        yield place.difference(theirs, Effect.CLIENTS, "allows additional properties", said)
    if theirs.is_closed() and not ours.is_closed():
        yield place.difference(theirs, Effect.HARMLESS, "allows no additional properties")


def _is_forbidden(view: View) -> bool:
    return all(any(node.value is False for node in choice) for choice in view.spelled_out)
