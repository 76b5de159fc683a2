"""Rejections that show what they reject: no record, and no name of one that is out of reach."""

from collections.abc import Callable

from conformance.contract.pointer import pointer
from conformance.contract.verdict import Kind, Location, Part, defect
from conformance.http.exchange import Exchange
from conformance.rules import disclosure
from conformance.rules.records import Record
from conformance.suite.callers import expect

LONGEST_BODY = 1_000_000
"""Bytes of an error response that is searched."""


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
