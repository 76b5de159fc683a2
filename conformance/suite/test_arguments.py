"""Invalid arguments are rejected (Endpoints, Limits).

The rules check the responses of every exchange (`rules/arguments`). These checks send each boundary
from both sides, in the notations that clients use, alone and beside other arguments.
"""

from collections.abc import Sequence

from conformance.contract import openapi
from conformance.contract.openapi import Operation
from conformance.contract.verdict import (
    Inconclusive,
    NotApplicable,
)
from conformance.http.exchange import Call
from conformance.http.sending import Sending
from conformance.rules.records import every_value
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import own_filters
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.lists.malformed_ids import malformed
from conformance.suite.lists.parameters import NOT_A_UUID, confirmed_name

BESIDE_RANGE = ("0", "101")
OUT_OF_RANGE = (
    "-1",
    "2147483648",
    "9" * 40,
)
WIDE = (str(2**32 + 25), "9" * 18, str(2**64 + 25), str(2**32 + 25))
"""Limits of which each list gets two: two that are 25 where only 32 or 64 bits of them count, and
one between both."""
NO_INTEGERS = (
    "1.5",
    "1e9",
    "abc",
    "10abc",
    "1,5",
    "true",
    "null",
    "NaN",
    "Infinity",
    "0x10",
    "0b11",
    "1_0",
    "１０",
    "٣",
    "½",
)
BESIDE_CURSOR = ("0", "101", "abc", "-1", "1.5", "0", "101")
"""Limits of which each list gets some beside a cursor."""
BESIDE_FILTER = ("0", "101", "1.5")
"""Limits that each list gets beside each of its filters."""
FEW = 3
"""Malformed values that are sent beside other arguments too."""


@requirement("arguments/id")
def test_a_word_is_no_path_id(operation: Operation, live: Live) -> None:
    """The plainest case; it is seen first."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    word = call.at(**{parameter_of(operation): NOT_A_UUID})
    live.callers.probe(word, call, f"the path id {NOT_A_UUID}")


@requirement("arguments/limit")
def test_a_limit_beside_the_range_is_rejected(operation: Operation, live: Live) -> None:
    """The plainest cases; they are seen first."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    calls = {f"limit={value}": call.asking(limit=value) for value in BESIDE_RANGE}
    live.callers.probe_all(calls, call)


@requirement("arguments/id")
def test_a_path_id_that_is_not_a_uuid_is_rejected(operation: Operation, live: Live) -> None:
    """Also a real id in another notation."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    name = parameter_of(operation)
    values = [each for each in malformed(call.path[name]) if each != NOT_A_UUID]
    probes = {
        f"the path id {value}": call.at(**{name: value})
        for value in live.session.share(values, operation.id)
    }
    live.callers.probe_all(probes, call)


@requirement("arguments/limit")
def test_a_limit_out_of_range_is_rejected(operation: Operation, live: Live) -> None:
    """A limit is an integer from 1 to 100, also beside a cursor, and beside a filter."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    every = (*OUT_OF_RANGE, *WIDE[_turn(operation) % FEW :][:2], *NO_INTEGERS)
    values = live.session.share(every, operation.id)
    live.callers.probe_all({f"limit={value}": call.asking(limit=value) for value in values}, call)
    cursor = live.callers.baseline(call.asking(limit="1")).cursor
    name = live.session.name(operation, "cursor")
    if cursor is not None and name is not None:
        for value in BESIDE_CURSOR[_turn(operation) :][:FEW]:
            beside_cursor = call.asking(limit=value, **{name: cursor})
            live.callers.probe(beside_cursor, call, f"limit={value} beside a cursor")
    for name, id in own_filters(operation, live).items():
        filtered = call.asking(**{name: id})
        live.callers.require_baseline(filtered)
        limits = {f"limit={each} beside {name}": each for each in BESIDE_FILTER}
        beside = {purpose: filtered.asking(limit=each) for purpose, each in limits.items()}
        live.callers.probe_all(beside, filtered)


def _turn(operation: Operation) -> int:
    """A number below five that differs from list to list."""
    lists = [each.id for each in openapi.load().operations.values() if each.is_list]
    return lists.index(operation.id)


@requirement("arguments/cursor")
def test_a_cursor_that_is_not_a_uuid_is_rejected(operation: Operation, live: Live) -> None:
    """Also a cursor that was just issued, in another notation."""
    call = live.call(operation)
    issued = live.callers.baseline(call.asking(limit="1")).cursor
    name = confirmed_name(operation, "cursor", live)
    every = list(malformed(issued or live.made_up("cursor")))
    values = live.session.share(every, operation.id)
    probes = {f"the cursor {value}": call.asking(limit="1", **{name: value}) for value in values}
    for value in values[:FEW]:
        probes[f"the cursor {value} without a limit"] = call.asking(**{name: value})
    live.callers.probe_all(probes, call)


@requirement("arguments/filter")
def test_a_filter_that_is_not_a_uuid_is_rejected(operation: Operation, live: Live) -> None:
    """Filters by company and by project are UUIDs, also beside a limit or a cursor."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    is_probed = False
    for role, restricted in operation.filters.items():
        if live.session.name(operation, role) is None:
            continue
        name = confirmed_name(operation, role, live)
        records = [listed.record for listed in live.records(operation.id)]
        ids = every_value(records, restricted)
        every = list(malformed(ids[0] if ids else live.made_up(role)))
        values = live.session.share(every, operation.id)
        probes = {f"the {role} {value}": call.asking(**{name: value}) for value in values}
        for value in values[:FEW]:
            beside_limit = call.asking(limit="5", **{name: value})
            probes[f"the {role} {value} beside a limit"] = beside_limit
        is_probed = bool(live.callers.probe_all(probes, call))
        _probe_beside_cursor(operation, name, values[:FEW], live)
    if not is_probed:
        raise NotApplicable(f"{operation.id} has no filter")


def _probe_beside_cursor(
    operation: Operation, name: str, values: Sequence[str], live: Live
) -> None:
    """A malformed filter beside a cursor is never served.

    404 is allowed here: a cursor may be bound to the filter that it was issued under.
    """
    first = live.callers.baseline(Call(operation.id).asking(limit="1"))
    cursor = live.session.name(operation, "cursor")
    if first.cursor is None or cursor is None:
        return
    primary = live.callers.credential("primary")
    for value in values:
        call = Call(operation.id).asking(**{cursor: first.cursor, name: value})
        purpose = f"{name} {value} beside a cursor"
        response = live.session.client.send(
            call, Sending(primary, first.scheme, purpose, judge_arguments=False)
        )
        if response.status in (401, 403):
            raise Inconclusive(
                f"a request with a cursor by {response.scheme} returned {response.describe()}",
                exchanges=[response.id],
            )
        expect.status(response, 400, 404, 422, because="a malformed filter beside a cursor")
