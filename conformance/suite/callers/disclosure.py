"""Rejections that show what they reject: a caller without access is shown no record."""

from collections.abc import Collection

from conformance.contract import openapi
from conformance.contract.pointer import pointer
from conformance.contract.verdict import Kind, Location, Part, defect
from conformance.http.exchange import Exchange
from conformance.rules import disclosure
from conformance.suite.callers import expect

LONGEST_BODY = 1_000_000
"""Bytes of an error response that is searched."""


def check_undisclosed(response: Exchange) -> None:
    """Violation where a rejection over HTTP shows a record of the operation.

    Whoever may read other records could be shown one of those: what counts is a record that has an
    id of the path.
    """
    if response.response is not None and len(response.body) <= LONGEST_BODY:
        check_shows_no_record(response, response.json, response.call.path.values())


def check_shows_no_record(response: Exchange, value: object, named: Collection[str] = ()) -> None:
    """Violation where `value`, from a rejection, has a record of the operation, with such an id.

    The result of an approval is no record: whoever is rejected may be told the state of a review.
    """
    contract = openapi.load()
    operation = contract.operations.get(response.operation)  # none for a handshake
    if operation is None or operation.writes:
        return
    ids = {id.lower() for id in named}
    place = disclosure.record_in(value, operation.resource, contract, ids)
    shown = defect(
        Kind.FOREIGN,
        "{request}: the rejection shows a record",
        expected="an error response without the record",
        request=response.purpose,
    ).at(Location(Part.BODY, pointer(place or ()), response.id))
    expect.that(place is None, shown, response)
