"""Arguments: what the contract allows is served, what it forbids is refused (Endpoints, Limits).

The answers are judged by the rules on every exchange (`rules/arguments`); these checks see to it that each bound is met from
both sides, in the notations that a client may send, alone and beside other arguments.
"""

from collections.abc import Iterator
from contextlib import suppress

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.arguments import REJECTIONS
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live, parameter_of

IN_RANGE = ("1", "2", "10", "50", "99", "100")
OUT_OF_RANGE = (
    "0",
    "-1",
    "-100",
    "101",
    "200",
    "1000",
    "2147483648",
    "9223372036854775808",
    "-9223372036854775809",
    "9" * 40,
)
NO_INTEGERS = (
    "1.5",
    "99.9",
    "0.5",
    "1e9",
    "abc",
    "10abc",
    "1,5",
    "true",
    "null",
    "NaN",
    "Infinity",
    "-0",
)
LONG = 2
"""Ids in a row: more than a column or a buffer for one holds, and less than any router takes for a segment of a path."""
FIRST_AND_LAST = "18"
"""The versions of a UUID that those who know some of them alone leave out."""
FEW = 3
"""Malformed values that are tried beside other arguments as well."""


@requirement("arguments/id")
def test_a_path_id_that_is_no_uuid_is_refused(operation: Operation, live: Live) -> None:
    """Also where it differs from a living id by its spelling alone."""
    call = live.call(operation)
    live.controlled(call)
    name = parameter_of(operation)
    live.probe_all(
        {f"the path id {value}": call.at(**{name: value}) for value in malformed(call.path[name])},
        call,
    )


@requirement("arguments/accepted")
def test_what_the_contract_allows_is_not_refused(operation: Operation, live: Live) -> None:
    """Every limit in range, identifiers of every version and in either case."""
    call = live.call(operation)
    live.controlled(call)
    calls = [call.asking(limit=value) for value in IN_RANGE if operation.is_list]
    made_up = live.made_up(operation.id)
    for name, id in call.path.items():
        versions = [f"{made_up[:14]}{version}{made_up[15:]}" for version in "12345678"]
        variants = [f"{made_up[:19]}{variant}{made_up[20:]}" for variant in "89ab"]
        calls += [
            call.at(**{name: value})
            for value in (*versions, *variants, id.upper(), made_up.upper())
        ]
    for name in _filters(operation, live):
        calls += [
            call.asking(**{name: f"{made_up[:14]}{version}{made_up[15:]}"})
            for version in FIRST_AND_LAST
        ]
    for answer in live.send_all(calls, "arguments within the contract"):
        expect.clear(answer)
        _not_turned_away(answer, call, live)


def _not_turned_away(answer: Exchange, call: Call, live: Live) -> None:
    """Violation where arguments within the contract make a call fail, or a limit alone has it refused, that is served without them.

    What is refused for an id may be absent, and what is refused as invalid is judged by the rules.
    """
    is_limited = answer.call == call.asking(limit=dict(answer.call.query).get("limit"))
    if answer.status in {200, *REJECTIONS} or (answer.status != 500 and not is_limited):
        return
    again = live.send(answer.call, scheme=answer.scheme, purpose=f"{answer.purpose}, once more")
    plain = live.send(call, scheme=answer.scheme, purpose="without them")
    kept = again.status == 200 or plain.status != 200
    expect.that(
        kept,
        defect(Kind.UNSORTED, f"{answer.purpose}: {answer.describe()}", expected="200"),
        answer,
        plain,
    )


@requirement("arguments/limit")
def test_a_limit_out_of_bounds_is_refused(operation: Operation, live: Live) -> None:
    """Limits are whole numbers from 1 to 100, also beside a cursor."""
    call = live.call(operation)
    live.controlled(call)
    live.probe_all(
        {f"the limit {value}": call.asking(limit=value) for value in (*OUT_OF_RANGE, *NO_INTEGERS)},
        call,
    )
    cursor, name = (
        live.control(call.asking(limit="1")).cursor,
        live.session.name(operation, "cursor"),
    )
    if cursor is not None and name is not None:
        for value in ("0", "101", "abc"):
            live.probe(
                call.asking(limit=value, **{name: cursor}),
                call,
                f"the limit {value} beside a cursor",
            )


@requirement("arguments/cursor")
def test_a_cursor_that_is_no_uuid_is_refused(operation: Operation, live: Live) -> None:
    """Also where it differs from a cursor just issued by its spelling alone."""
    call = live.call(operation)
    issued = live.control(call.asking(limit="1")).cursor
    name = known(operation, "cursor", live, call)
    values = list(malformed(issued or live.made_up("cursor")))
    probes = {f"the cursor {value}": call.asking(limit="1", **{name: value}) for value in values}
    probes |= {
        f"the cursor {value} without a limit": call.asking(**{name: value})
        for value in values[:FEW]
    }
    live.probe_all(probes, call)


@requirement("arguments/filter")
def test_a_filter_that_is_no_uuid_is_refused(operation: Operation, live: Live) -> None:
    """Every filter is a UUID."""
    call = live.call(operation)
    live.controlled(call)
    probed = False
    for role, member in operation.filters.items():
        if live.session.name(operation, role) is None:
            continue
        name = known(operation, role, live, call)
        ids = [
            listed.record[member]
            for listed in live.records(operation.id)
            if isinstance(listed.record.get(member), str)
        ]
        values = list(malformed(ids[0] if ids else live.made_up(role)))
        probes = {f"the {role} {value}": call.asking(**{name: value}) for value in values}
        probes |= {
            f"the {role} {value} beside a limit": call.asking(limit="5", **{name: value})
            for value in values[:FEW]
        }
        probed = bool(live.probe_all(probes, call))
        _beside_a_cursor(operation, name, values[:FEW], live)
    if not probed:
        raise NotApplicable(f"{operation.id} has no filter")


def _filters(operation: Operation, live: Live) -> Iterator[str]:
    """The names of the filters that this target is certain to know."""
    for role in operation.filters:
        with suppress(Inconclusive, NotApplicable):
            yield known(operation, role, live, live.call(operation))


def _beside_a_cursor(operation: Operation, name: str, values: list[str], live: Live) -> None:
    """A cursor may be refused beside another filter than that which it was issued under, but no answer is made of a malformed one."""
    first = live.control(Call(operation.id).asking(limit="1"))
    cursor = live.session.name(operation, "cursor")
    if first.cursor is None or cursor is None:
        return
    for value in values:
        call = Call(operation.id).asking(**{cursor: first.cursor, name: value})
        sending = Sending(
            live.credential("primary"),
            first.scheme,
            f"{name} {value} beside a cursor",
            judge_arguments=False,
        )
        answer = live.session.client.send(call, sending)
        if answer.status in (401, 403):
            raise Inconclusive(
                f"beside a cursor {answer.scheme} is answered {answer.describe()}",
                exchanges=[answer.id],
            )
        expect.status(answer, 400, 404, 422)


def known(operation: Operation, role: str, live: Live, call: Call) -> str:
    """The name of a query parameter that this target is certain to know; Inconclusive where that cannot be told.

    A target that neither the specification nor the profile ties to a name shows that it knows one by what it does with it.
    """
    name = live.session.name(operation, role)
    if name is None:
        raise NotApplicable(f"{operation.id} has no {role}")
    if name not in live.session.roles(operation):
        live.learn_cursor(operation, call) if role == "cursor" else live.learn_filter(
            operation, role
        )
    if name not in live.session.roles(operation):
        where = f"parameters.{operation.id}.{role}"
        raise Inconclusive(
            f"nothing shows that the {role} of {operation.id} is called {name} here", needs=(where,)
        )
    return name


def malformed(id: str) -> Iterator[str]:
    """Values that are no UUID of the contract, most of them spellings that lenient parsers take for the given one."""
    # Words that a client may send where it has no value, and that a target may take for none, stand for all others.
    yield from ("undefined", "0", "null", "all", "not-a-uuid", id * LONG)
    yield id.replace("-", "")
    yield f"{{{id}}}"
    yield f"urn:uuid:{id}"
    yield f"{id}0"
    yield id[:-1]
    yield f"g{id[1:]}"
    yield f"{id[:14]}0{id[15:]}"
    yield f"{id[:14]}9{id[15:]}"
    yield f"{id[:19]}7{id[20:]}"
    yield f"{id[:19]}c{id[20:]}"
    yield f"{id[:4]}-{id[4:8]}{id[8:]}"
