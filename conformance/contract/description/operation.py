"""The differences of one operation: its identifier, parameters, body, responses and security."""

from collections.abc import Iterator

from conformance.contract.description import parameters, responses, security
from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.pair import Pair
from conformance.contract.description.place import Direction, Place

_BODY = "request body"


def differences(pair: Pair) -> Iterator[Difference]:
    """The differences of the whole operation."""
    yield from _identifier(pair)
    yield from parameters.differences(pair)
    yield from _body(pair)
    yield from responses.differences(pair)
    node = pair.theirs.raw_child(pair.found.node, "security")
    for each in security.differences(pair.theirs, pair.found, pair.permission):
        yield pair.at(each, node)


def _identifier(pair: Pair) -> Iterator[Difference]:
    if pair.found.id == pair.stated.id:
        return
    said = pair.id, "nothing" if pair.found.id is None else repr(pair.found.id)
    message = "is a different identifier"
    difference = Difference(Aspect.OPERATIONS, Effect.CLIENTS, "operationId", message, *said)
    yield pair.at(difference, pair.found.node)


def _body(pair: Pair) -> Iterator[Difference]:
    ours = pair.ours.child(pair.stated.node, "requestBody")
    theirs = pair.theirs.child(pair.found.node, "requestBody")
    media = theirs and pair.media(theirs)
    if ours is None:
        if theirs is not None and theirs.table.get("required") is True:
            said = "none", "required"
            difference = Difference(Aspect.BODY, Effect.CALLERS, _BODY, "is required", *said)
            yield pair.at(difference, theirs)
    elif media is None:
        is_absent = theirs is None
        message = "is not described" if is_absent else "is not described as application/json"
        yield pair.at(Difference(Aspect.BODY, Effect.CALLERS, _BODY, message), theirs)
    else:
        yield from pair.bodies(ours, media, Place(_BODY, Direction.BODY, Aspect.BODY, pair.id))
