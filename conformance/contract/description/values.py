"""One value as the contract and as a description see it: which of the two allows what the other does not, all the way down."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.probes import PROBES, Probe, kinds, named
from conformance.contract.description.schema import SchemaError, View

SHAPE_ASPECTS = frozenset({"presence", "end-of-list"})
VALUE_ASPECTS = frozenset({"vocabulary", "format", "unit", "required"}) | SHAPE_ASPECTS


class Direction(Enum):
    """Who sends the value: the target, or a caller in a body or as the text of a parameter."""

    ANSWER = "answer"
    BODY = "body"
    PARAMETER = "parameter"


@dataclass(frozen=True)
class Place:
    """Where in the contract a value stands, who sends it, and what a difference there is about."""

    where: str
    direction: Direction
    aspect: Aspect
    operation: str

    def below(self, name: str) -> "Place":
        """The place of a member."""
        return replace(self, where=f"{self.where}.{name}")

    @property
    def is_answer(self) -> bool:
        """Whether the target sends the value."""
        return self.direction is Direction.ANSWER


def compare(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    """The differences of one value and of everything in it."""
    component = _component(ours)
    if component is not None:
        # A record is told of by its own name and on its own lines, wherever it stands.
        place, ours, theirs = replace(place, where=component), ours.followed(), theirs.followed()
    # Most values stand in several answers, the error body on every operation and status.
    key = (ours.key, theirs.key, place.where, place.direction, place.aspect)
    memory = theirs.document.compared
    if key not in memory:
        memory[key] = tuple(_compared(ours, theirs, place))
    return (replace(each, operations=(place.operation,)) for each in memory[key])


def _compared(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    if theirs.says_nothing:
        yield _told(place, theirs, _lost(place), "is not described", (ours.told(), ""))
        return
    try:
        yield from _by_probes(ours, theirs, place)
    except SchemaError as problem:
        yield _told(
            place, theirs, Effect.CLIENTS, f"has a schema that no validator can use: {problem}"
        )
        return
    if ours.member_names() and theirs.of_type("object"):
        yield from _members(ours, theirs, place)
    if ours.of_type("array") and _is_composite(ours, "array") and theirs.of_type("array"):
        yield from compare(ours.items(), theirs.items(), place.below("[]"))


# --- values --------------------------------------------------------------------------------------------------------------


def _by_probes(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    composite = next((name for name in ("object", "array") if _is_composite(ours, name)), None)
    judged = [probe for probe in PROBES if probe.type != composite]
    # What their schema names itself is only looked at where nothing else shows that it is wider.
    wider = _wider(ours, theirs, judged, place) or _wider(
        ours, theirs, [named(value) for value in theirs.named_values()], place
    )
    narrower = [
        probe for probe in judged if _fits(ours, probe, place) and not _fits(theirs, probe, place)
    ]
    if wider:
        yield _told(
            place,
            theirs,
            _of_wider(ours, theirs, wider, place),
            f"also allows {kinds(wider)}",
            _both(ours, theirs),
        )
    if narrower:
        yield _told(
            place,
            theirs,
            _of_narrower(ours, narrower, place),
            f"does not allow {kinds(narrower)}",
            _both(ours, theirs),
        )
    if composite and not theirs.of_type(composite):
        yield _told(
            place,
            theirs,
            Effect.CLIENTS if place.is_answer else Effect.CALLERS,
            f"is no {composite}",
            _both(ours, theirs),
        )


def _wider(ours: View, theirs: View, probes: Iterable[Probe], place: Place) -> list[Probe]:
    return [
        probe for probe in probes if _fits(theirs, probe, place) and not _fits(ours, probe, place)
    ]


def _fits(view: View, probe: Probe, place: Place) -> bool:
    # In a query every value is text, so a number may be described as either.
    as_text = (
        place.direction is Direction.PARAMETER
        and probe.type == "integer"
        and view.allows(str(probe.value))
    )
    return as_text or view.allows(probe.value)


def _of_wider(ours: View, theirs: View, wider: Sequence[Probe], place: Place) -> Effect:
    if not place.is_answer or (_is_shaped(theirs) and not theirs.names_type()):
        return Effect.HARMLESS
    only_null = all(probe.value is None for probe in wider)
    return Effect.OPEN if only_null and ours.aspects & SHAPE_ASPECTS else Effect.CLIENTS


def _of_narrower(ours: View, narrower: Sequence[Probe], place: Place) -> Effect:
    if ours.aspects & VALUE_ASPECTS:
        return Effect.OPEN
    if place.is_answer:
        # Of other values an answer may keep to some; null alone stands in answers that the contract calls for.
        return Effect.CLIENTS if any(probe.value is None for probe in narrower) else Effect.HARMLESS
    return (
        Effect.OPEN
        if place.direction is Direction.BODY and all(probe.extreme for probe in narrower)
        else Effect.CALLERS
    )


def _is_composite(view: View, name: str) -> bool:
    keyword = {"object": "properties", "array": "items"}[name]
    return any(keyword in node.table for choice in view.of_type(name) for node in choice)


def _is_shaped(view: View) -> bool:
    """Whether members or items are described without the type being said: clear enough, if sloppy."""
    return any(_is_composite(view, name) for name in ("object", "array"))


# --- objects -------------------------------------------------------------------------------------------------------------


def _members(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    lost = []
    for name in ours.member_names():
        if theirs.describes(name) and not _is_forbidden(theirs.member(name)):
            yield from compare(ours.member(name), theirs.member(name), place.below(name))
        else:
            lost.append(name)
            yield _absent(name, ours, theirs, place)
    if place.is_answer:
        yield from _promised(ours, theirs, place, lost)
    else:
        yield from _demanded(ours, theirs, place)
    yield from _closedness(ours, theirs, place)


def _absent(name: str, ours: View, theirs: View, place: Place) -> Difference:
    inside = place.below(name)
    if name in ours.required() or not place.is_answer:
        return _told(
            inside, theirs, _lost(place), "is not described", (ours.member(name).told(), "")
        )
    effect = (
        Effect.OPEN
        if ours.aspects & SHAPE_ASPECTS or ours.member(name).aspects & SHAPE_ASPECTS
        else Effect.HARMLESS
    )
    return _told(inside, theirs, effect, "is not described", (ours.member(name).told(), ""))


def _promised(ours: View, theirs: View, place: Place, lost: Sequence[str]) -> Iterator[Difference]:
    """What an answer always holds, by either account."""
    for name in sorted(ours.required() - theirs.required() - set(lost)):
        line = theirs.member(name)
        yield _told(
            place.below(name), line, Effect.CLIENTS, "is not required", ("required", "optional")
        )
    also = sorted((theirs.required() - ours.required()) & set(ours.member_names()))
    if also:
        effect = (
            Effect.OPEN
            if ours.aspects & SHAPE_ASPECTS or _all_open(ours, also)
            else Effect.HARMLESS
        )
        yield _told(place, theirs, effect, f"also requires {', '.join(also)}")


def _demanded(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    """What a caller has to send, by their account alone."""
    for name in sorted(theirs.required() - ours.required()):
        known = name in ours.member_names()
        effect = Effect.OPEN if known and "required" in ours.aspects else Effect.CALLERS
        yield _told(place.below(name), theirs.member(name), effect, "is required")


def _closedness(ours: View, theirs: View, place: Place) -> Iterator[Difference]:
    extra = [
        name
        for name in theirs.member_names()
        if name not in ours.member_names() and not _is_forbidden(theirs.member(name))
    ]
    if extra:
        effect = Effect.CLIENTS if ours.is_closed() and place.is_answer else Effect.HARMLESS
        yield _told(
            place, theirs.member(extra[0]), effect, f"has further members: {', '.join(extra)}"
        )
    if ours.is_closed() and not theirs.is_closed():
        yield _told(place, theirs, Effect.CLIENTS, "allows further members", ("closed", "open"))
    if theirs.is_closed() and not ours.is_closed():
        yield _told(place, theirs, Effect.HARMLESS, "allows no further members")


def _is_forbidden(view: View) -> bool:
    return all(any(node.value is False for node in choice) for choice in view.spelled_out)


def _all_open(ours: View, names: Sequence[str]) -> bool:
    return all(ours.member(name).aspects & SHAPE_ASPECTS for name in names)


# --- telling -------------------------------------------------------------------------------------------------------------


def _lost(place: Place) -> Effect:
    return Effect.CLIENTS if place.is_answer else Effect.CALLERS


def _told(
    place: Place, theirs: View, effect: Effect, message: str, said: tuple[str, str] = ("", "")
) -> Difference:
    """A difference at a place, with what is specified and described, on the line of their account."""
    lines = () if theirs.line is None else (theirs.line,)
    return Difference(place.aspect, effect, place.where, message, *said, (place.operation,), lines)


def _both(ours: View, theirs: View) -> tuple[str, str]:
    return ours.told(), theirs.told()


def _component(ours: View) -> str | None:
    """The name of the contract's record that a reference leads to; None where it leads to a plain value."""
    references = [
        node.table["$ref"] for choice in ours.choices for node in choice if "$ref" in node.table
    ]
    name = (
        references[0].rpartition("/")[2]
        if len(references) == 1 and len(ours.choices) == 1
        else None
    )
    return name if name and ours.member_names() else None
