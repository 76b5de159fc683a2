"""Rejections that show what they reject: no record, and no name of one that is out of reach."""

from collections.abc import Callable, Collection

from conformance.contract import openapi
from conformance.contract.pointer import pointer
from conformance.contract.verdict import Kind, Location, Part, defect
from conformance.http.exchange import Exchange
from conformance.rules import disclosure
from conformance.rules.records import Record
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


def check_names_nothing(
    response: Exchange, value: object, record: Record, absent: Callable[[], object]
) -> None:
    """Violation where `value`, from a rejection, has a name of the record that is out of reach.

    `absent` is the same of the rejection of an id without a record: what that says is no name.
    """
    told = disclosure.names_in(value, record) if len(response.body) <= LONGEST_BODY else {}
    usual = disclosure.names_in(absent(), record) if told else {}
    for name in [each for each in told if each not in usual][:1]:
        named = defect(
            Kind.FOREIGN,
            "{request}: the rejection names the record: {name}",
            expected="an error response without it",
            request=response.purpose,
            name=name,
        )
        expect.violated(named.at(Location(Part.BODY, pointer(told[name]), response.id)), response)


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
