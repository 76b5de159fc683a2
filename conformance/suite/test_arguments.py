"""Arguments: valid ones are accepted, invalid ones are rejected (Endpoints, Limits).

The rules check the responses of every exchange (`rules/arguments`). These checks send each boundary
from both sides, in the notations that clients use, alone and beside other arguments.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from conformance.contract import openapi
from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import (
    Inconclusive,
    Kind,
    NotApplicable,
    defect,
)
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.arguments import REJECTIONS
from conformance.suite.callers import expect
from conformance.suite.callers.places import status_line
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.filters import ids_inside
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.lists.parameters import NOT_A_UUID, confirmed_name
from conformance.suite.lists.records import every_value

IN_RANGE = ("1", "50", "99", "100")
"""Limits that the checks of pagination do not all send to each list."""
MOST_REPEATED = 6
"""Repetitions that tell a rule from chance."""
OUT_OF_RANGE = (
    "0",
    "-1",
    "101",
    "2147483648",
    "9" * 40,
)
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
)
BESIDE_CURSOR = ("0", "101", "abc", "-1", "1.5", "0", "101")
"""Limits of which each list gets some beside a cursor."""
WORDS = ("undefined", "0", "null", "all", "not-a-uuid")
"""Values that a client may send where it has none, and that a target may ignore."""
LONG = 2
"""Ids in a row: longer than a column for one id, shorter than any limit on a path segment."""
VERSIONS = "12345678"
FIRST_AND_LAST = "18"
"""The versions of a UUID that parsers of some versions leave out."""
VARIANTS = "89ab"
FEW = 3
"""Malformed values that are sent beside other arguments too."""


@requirement("arguments/id")
def test_a_path_id_that_is_not_a_uuid_is_rejected(operation: Operation, live: Live) -> None:
    """Also a real id in another notation."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    name = parameter_of(operation)
    values = malformed(call.path[name])
    probes = {f"the path id {value}": call.at(**{name: value}) for value in values}
    live.callers.probe_all(probes, call)
    right_in_query = call.at(**{name: NOT_A_UUID}).asking(**{name: call.path[name]})
    purpose = f"the path id {NOT_A_UUID}, and the right one in the query"
    expect.status(live.callers.probe(right_in_query, call, purpose), 400, 404, 422)


@requirement("arguments/limit")
def test_a_limit_out_of_range_is_rejected(operation: Operation, live: Live) -> None:
    """A limit is an integer from 1 to 100, also beside a cursor."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    values = (*OUT_OF_RANGE, *NO_INTEGERS)
    live.callers.probe_all({f"limit={value}": call.asking(limit=value) for value in values}, call)
    cursor = live.callers.baseline(call.asking(limit="1")).cursor
    name = live.session.name(operation, "cursor")
    if cursor is not None and name is not None:
        for value in BESIDE_CURSOR[_turn(operation) :][:FEW]:
            beside_cursor = call.asking(limit=value, **{name: cursor})
            live.callers.probe(beside_cursor, call, f"limit={value} beside a cursor")


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
    values = list(malformed(issued or live.made_up("cursor")))
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
        values = list(malformed(ids[0] if ids else live.made_up(role)))
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


# --- valid arguments ---


@requirement("arguments/accepted")
def test_valid_arguments_are_accepted(operation: Operation, live: Live) -> None:
    """Every limit in range, and UUIDs of every version in upper and lower case."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    calls = [call.asking(limit=value) for value in IN_RANGE if operation.is_list]
    made_up = live.made_up(operation.id)
    for name, id in call.path.items():
        values = dict.fromkeys((*_other_forms(made_up), id.upper(), made_up.upper()))
        calls += [call.at(**{name: value}) for value in values]
    for role, name in _filter_names(operation, live):
        ids = _own_ids(operation, operation.filters[role], live)
        _require_own_accepted(call, [call.asking(**{name: id}) for id in ids], live)
        _require_all_versions(call, name, made_up, live)
    for response in live.callers.send_all(calls, "arguments within the contract"):
        expect.clear(response)
        _require_accepted(response, call, live)


def _other_forms(id: str) -> Iterator[str]:
    """A UUID in every version, and in every variant."""
    for version in VERSIONS:
        yield _of_version(id, version)
    for variant in VARIANTS:
        yield f"{id[:19]}{variant}{id[20:]}"


def _of_version(id: str, version: str) -> str:
    return f"{id[:14]}{version}{id[15:]}"


def _filter_names(operation: Operation, live: Live) -> Iterator[tuple[str, str]]:
    """The filters whose names this target knows for certain, by their role."""
    for role in operation.filters:
        with suppress(Inconclusive, NotApplicable):
            yield role, confirmed_name(operation, role, live)


def _own_ids(operation: Operation, restricted: str, live: Live) -> list[str]:
    """Ids for a filter that records have, and one of them in upper case."""
    ids = [id for id in ids_inside(operation, restricted, live) if is_uuid(id)]
    return [*ids, *(id.upper() for id in ids[:1])]


def _require_own_accepted(call: Call, calls: Sequence[Call], live: Live) -> None:
    """Violation where a filter rejects an id that records of the list have."""
    for response in live.callers.send_all(calls, "a filter by an id of the list"):
        expect.clear(response)
        if response.status in REJECTIONS:
            plain = live.callers.send(call, scheme=response.scheme, purpose="without a filter")
            if plain.status == 200:
                _report_rejected(response, plain)
        _require_accepted(response, call, live)


def _require_all_versions(call: Call, name: str, made_up: str, live: Live) -> None:
    """Violation where a filter rejects unknown ids of one version of UUID, and not of another.

    A target may reject every unknown id.
    """
    values = [made_up, *(_of_version(made_up, version) for version in FIRST_AND_LAST)]
    # By one scheme: what a filter by an unknown id returns may depend on it.
    primary = live.callers.credential("primary")
    sending = Sending(primary, primary.schemes[0], "a filter by an unknown id")
    calls = [call.asking(**{name: value}) for value in values]
    plain, *responses = live.callers.send_each([(each, sending) for each in calls])
    for response in responses:
        expect.clear(response)
        if plain.status not in REJECTIONS and response.status in REJECTIONS:
            _confirm_version_rejected(response, plain, live)
        _require_accepted(response, call, live)


def _confirm_version_rejected(response: Exchange, plain: Exchange, live: Live) -> None:
    """Violation where each repetition separates the versions.

    An unknown id may be rejected, or match nothing, and need not meet the same every time.
    """
    for number in range(MOST_REPEATED):
        # In changing order, since servers that differ may take turns.
        order = (plain, response) if number % 2 else (response, plain)
        statuses = {each.id: _status_again(each, live) for each in order}
        if statuses[plain.id] in REJECTIONS or statuses[response.id] not in REJECTIONS:
            return
    _report_rejected(response, plain)


def _status_again(exchange: Exchange, live: Live) -> int | None:
    purpose = f"{exchange.purpose}, once more"
    return live.callers.send(exchange.call, scheme=exchange.scheme, purpose=purpose).status


def _require_accepted(response: Exchange, call: Call, live: Live) -> None:
    """Violation where a request fails with valid arguments, and succeeds without them.

    For an id, every error response is allowed but 500; 400 and 422 violate a rule, or another check
    of this requirement.
    """
    is_limited = response.call == call.asking(limit=dict(response.call.query).get("limit"))
    is_open = response.status != 500 and not is_limited
    if response.status in {200, *REJECTIONS} or is_open:
        return
    purpose = f"{response.purpose}, once more"
    again = live.callers.send(response.call, scheme=response.scheme, purpose=purpose)
    plain = live.callers.send(call, scheme=response.scheme, purpose="without them")
    if again.status == 200 or plain.status != 200:
        return
    _report_rejected(response, plain)


def _report_rejected(response: Exchange, baseline: Exchange) -> None:
    expect.violated(
        defect(
            Kind.STATUS,
            "valid arguments returned {response}, the baseline request {baseline}",
            expected=f"{baseline.status}",
            actual=response.status,
            response=response.describe(),
            baseline=baseline.describe(),
        ).at(status_line(response)),
        response,
        baseline,
    )


def malformed(id: str) -> Iterator[str]:
    """Values that are not UUIDs of the contract, most of them notations that parsers accept."""
    # The words come first: they stand for all others beside further arguments.
    yield from (*WORDS, id * LONG)
    yield id.replace("-", "")
    yield f"{{{id}}}"
    yield f"urn:uuid:{id}"
    yield f"{id}0"
    yield f"{id}\n"
    yield f" {id}"
    yield id[:-1]
    yield f"g{id[1:]}"
    yield f"{id[:14]}0{id[15:]}"
    yield f"{id[:14]}9{id[15:]}"
    yield f"{id[:19]}7{id[20:]}"
    yield f"{id[:19]}c{id[20:]}"
    yield f"{id[:4]}-{id[4:8]}{id[8:]}"
