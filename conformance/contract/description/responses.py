"""The responses of an operation in the contract and in a description."""

from collections.abc import Iterator

from conformance.contract.description.difference import BREAKING, Aspect, Difference, Effect
from conformance.contract.description.node import Node
from conformance.contract.description.pair import Pair
from conformance.contract.description.place import Direction, Place
from conformance.contract.description.schema import View

SUCCESS = "200"
OUTSIDE = frozenset(
    map(str, (304, 405, 406, 408, 411, 412, 414, 415, 416, 426, 428, 431, 501, 504))
)
"""Statuses of requests outside the contract, and of gateways."""

_NOT_JSON = "is not described as application/json"


def differences(pair: Pair) -> Iterator[Difference]:
    """The differences of all responses."""
    ours = pair.ours.child(pair.stated.node, "responses")
    theirs = pair.theirs.child(pair.found.node, "responses") or Node({}, pair.found.node.line)
    assert ours is not None
    for status, stated in pair.ours.children(ours):
        yield from _status(pair, str(status), stated, theirs)
    yield from _retry_after(pair, theirs)
    for status in theirs.table:
        if status.isdecimal() and status not in ours.table:
            effect = Effect.OPEN if status in OUTSIDE else Effect.CLIENTS
            message = "is not a status of the contract"
            difference = Difference(Aspect.RESPONSES, effect, status, message)
            yield pair.at(difference, pair.theirs.raw_child(theirs, status))


def views(pair: Pair, status: str) -> tuple[View, View] | None:
    """The body of a response in the contract and in the description; None if one is missing."""
    ours = pair.ours.child(pair.stated.node, "responses")
    theirs = pair.theirs.child(pair.found.node, "responses")
    specified = ours and pair.ours.child(ours, status)
    described = theirs and _response(pair, theirs, status)
    media = described and pair.media(described)
    schema = media and pair.theirs.raw_child(media, "schema")
    if specified is None or schema is None:
        return None
    return pair.specified(specified), View.of(pair.theirs, schema)


def _status(pair: Pair, status: str, stated: Node, responses: Node) -> Iterator[Difference]:
    found = _response(pair, responses, status)
    if found is not None:
        yield from _body(pair, status, stated, found)
    elif status == SUCCESS:
        yield _success_by_default(pair, stated, responses)
    else:
        missing = Difference(Aspect.COMPLETE, Effect.HARMLESS, status, "is not described")
        yield pair.at(missing, responses)


def _response(pair: Pair, responses: Node, status: str) -> Node | None:
    """The response of a status: its own, that of its class, or the default of error responses."""
    names = [status, f"{status[0]}XX", f"{status[0]}xx"]
    if status != SUCCESS:
        names.append("default")
    found = (pair.theirs.child(responses, name) for name in names)
    return next((node for node in found if node is not None), None)


def _success_by_default(pair: Pair, stated: Node, responses: Node) -> Difference:
    """The difference of a success without a response of its own.

    The default response may be meant for it.
    """
    default = pair.theirs.child(responses, "default")
    found = [] if default is None else list(_body(pair, SUCCESS, stated, default))
    if default is None or any(each.effect in BREAKING for each in found):
        missing = Difference(Aspect.RESPONSES, Effect.CLIENTS, SUCCESS, "is not described")
        return pair.at(missing, responses)
    message = "is described only by the default response"
    return pair.at(Difference(Aspect.RESPONSES, Effect.HARMLESS, SUCCESS, message), default)


def _body(pair: Pair, status: str, ours: Node, theirs: Node) -> Iterator[Difference]:
    media = pair.media(theirs)
    if status != SUCCESS and not theirs.table.get("content"):
        said = "the error body", "none"
        difference = Difference(Aspect.COMPLETE, Effect.HARMLESS, status, "has no body", *said)
        yield pair.at(difference, theirs)
    elif media is None:
        difference = Difference(Aspect.RESPONSES, Effect.CLIENTS, status, _NOT_JSON)
        yield pair.at(difference, theirs)
    else:
        place = Place(status, Direction.RESPONSE, Aspect.SCHEMAS, pair.id)
        yield from pair.bodies(ours, media, place)


def _retry_after(pair: Pair, responses: Node) -> Iterator[Difference]:
    """The header of a 429; a response for all errors at once cannot have it."""
    node = pair.theirs.child(responses, "429")
    if node is None:
        return
    headers = node.table.get("headers")
    names = [str(name).lower() for name in headers] if isinstance(headers, dict) else []
    if "retry-after" not in names:
        message = "has no Retry-After header"
        yield pair.at(Difference(Aspect.COMPLETE, Effect.HARMLESS, "429", message), node)
