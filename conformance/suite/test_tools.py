"""Tools: the same operations under the same identifiers, with the same contract (What the service does, Versioning)."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from conformance.client import TRIES
from conformance.exchange import MISSING, Call
from conformance.openapi import Operation
from conformance.suite import expect
from conformance.suite.approvals import Approvals, is_approved, made_up, revision_of, shows_status
from conformance.suite.calls import MEMBERS
from conformance.suite.input_schema import places, plain, shape
from conformance.suite.live import Live, is_uuid, parameter_of
from conformance.suite.requirement import requirement
from conformance.suite.test_arguments import known
from conformance.suite.toolbox import Answer, Caller, Toolbox, refused, served
from conformance.target import Credential
from conformance.verdict import Inconclusive, NotApplicable

ROUNDS = 3
Place = tuple[str | int, ...]
WHOLE: set[Place] = {(), ("items",)}
"""Where a change leaves nothing to compare."""
RESOURCES = ("Account", "Project", "Video", "Localization", "Review", "Comment", "Reply", "ActivityItem")
KINDS = {"projectId": "project", "videoId": "video", "reviewId": "review"}


@pytest.fixture(scope="module")
def toolbox(live: Live) -> Toolbox:
    """The tool interface of the target."""
    return Toolbox(live)


@requirement("tools/listed")
def test_every_operation_is_a_tool(operation: Operation, toolbox: Toolbox) -> None:
    """A caller who may do everything is shown all ten operations."""
    toolbox.live.credential("primary")
    told = ", ".join(sorted(toolbox.tools)) or "no tool"
    expect.that(operation.id in toolbox.tools, f"{operation.id} is not among {told}", expected=f"a tool {operation.id}")


@requirement("tools/arguments")
def test_a_tool_takes_the_arguments_of_its_operation(operation: Operation, toolbox: Toolbox) -> None:
    """The input schema names the parameters that the contract names, flat or nested."""
    schema = _tool(toolbox, operation).get("inputSchema")
    expect.that(isinstance(schema, dict), "the tool has no input schema", expected="an input schema")
    assert isinstance(schema, dict)
    missing = [name for name in _named(operation) if plain(name) not in places(schema)]
    expect.that(not missing, f"the input schema does not name {', '.join(missing)}", expected=", ".join(_named(operation)))


@requirement("tools/data")
def test_a_tool_gives_the_data_of_its_operation(operation: Operation, toolbox: Toolbox) -> None:
    """What a tool answers is what the operation answers over HTTP, page by page."""
    live, call = toolbox.live, toolbox.live.call(operation)
    _tool(toolbox, operation)
    calls = [call.asking(limit="5"), call] if operation.is_list else [call]
    cursor = live.control(calls[0], scheme=_scheme(toolbox)).cursor if operation.is_list else None
    name = live.session.name(operation, "cursor") if operation.is_list else None
    if cursor and name:
        calls.append(call.asking(limit="5", **{name: cursor}))
    calls += [call.asking(limit="5", **{name: id}) for name, id in (_filters(operation, toolbox) if operation.is_list else ())]
    for one in calls:
        _same(one, operation, toolbox)
    if call.path:
        absent = {**_arguments(call), parameter_of(operation): live.made_up(operation.id)}
        refused(_as_primary(toolbox, operation, absent, "what does not exist"))


@requirement("tools/authentication")
def test_a_tool_needs_a_credential(operation: Operation, toolbox: Toolbox, approvals: Approvals) -> None:
    """No credential, an expired, a revoked and a made-up one are refused."""
    live = toolbox.live
    call, arguments = _probe(operation, toolbox, approvals)
    primary = live.credential("primary")
    callers: list[tuple[Credential | None, str | None]] = [(None, None)]
    callers += [(made_up(live.session, scheme), scheme) for scheme in primary.schemes]
    for name in ("expired", "revoked"):
        credential = live.session.target.credentials.get(name)
        callers += [(credential, scheme) for scheme in credential.schemes] if credential else []
    for credential, scheme in callers:
        who = f"{credential.name} by {scheme}" if credential else "nobody"
        refused(toolbox.call(operation, arguments, credential, scheme, purpose=f"call the tool as {who}"))
        _untouched(call, approvals, operation)


@requirement("tools/permission")
def test_a_tool_needs_the_permission(operation: Operation, scheme: str, toolbox: Toolbox, approvals: Approvals) -> None:
    """Without the permission of the operation its tool is refused, or not shown."""
    live = toolbox.live
    credential = live.by(f"lacking.{operation.permission}", scheme)
    call, arguments = _probe(operation, toolbox, approvals)
    refused(toolbox.call(operation, arguments, credential, scheme, purpose=f"without {operation.permission}"))
    _untouched(call, approvals, operation)


@requirement("tools/grants")
def test_a_tool_stays_within_the_grant(operation: Operation, toolbox: Toolbox, approvals: Approvals) -> None:
    """What is foreign or ungranted is refused to primary, and primary's to the outsider."""
    live = toolbox.live
    call, arguments = _probe(operation, toolbox, approvals)
    name, fixtures = parameter_of(operation), live.session.target.fixtures
    outside = [group[KINDS[name]] for group in (fixtures.foreign, fixtures.ungranted) if KINDS[name] in group]
    outsider = live.session.target.credentials.get("outsider")
    if not outside and outsider is None:
        raise Inconclusive("nothing outside the grant is known", needs=("fixtures.foreign", "fixtures.ungranted", "credentials.outsider"))
    if outsider is not None:
        refused(toolbox.call(operation, arguments, outsider, purpose="call the tool as the outsider"))
        _untouched(call, approvals, operation)
    for id in outside if not operation.writes else ():
        refused(_as_primary(toolbox, operation, {**arguments, name: id}, "something outside the grant"))


@requirement("tools/validation")
def test_a_tool_refuses_invalid_arguments(operation: Operation, toolbox: Toolbox) -> None:
    """Limits out of range and ids that are no UUIDs, as over HTTP."""
    live, call = toolbox.live, toolbox.live.call(operation)
    arguments = _arguments(call)
    _controlled(_served_to_primary(toolbox, operation, arguments, "control"))
    invalid: list[tuple[str, Any]] = [(name, value) for name in call.path for value in ("not-a-uuid", "0")]
    if operation.is_list:
        invalid += [("limit", value) for value in (0, 101, -1, 1.5, "many")]
        known = places(_tool(toolbox, operation).get("inputSchema", {}))
        invalid += [(name, "not-a-uuid") for name in live.session.roles(operation) if name != "limit" and plain(name) in known]
    if not invalid:
        raise NotApplicable(f"{operation.id} takes no argument")
    for name, value in invalid:
        refused(_as_primary(toolbox, operation, {**arguments, name: value}, f"{name} {value!r}"))


@requirement("tools/stock-client")
def test_a_stock_client_lists_and_calls_a_tool(toolbox: Toolbox) -> None:
    """The protocol's official client finds the tool of the account, and gets its data, where a client that asks for little does."""
    operation = toolbox.live.operation("account_get")
    over_http = toolbox.live.control(toolbox.live.call(operation), scheme=_scheme(toolbox))
    if toolbox.live.session.problems(over_http):
        raise Inconclusive("what the operation answers breaks the contract already", exchanges=[over_http.id])
    _tool(toolbox, operation)
    _controlled(_as_primary(toolbox, operation, {}, "control"))
    from conformance.suite import stock_client  # noqa: PLC0415 - slow, and of no use without tools

    courier = stock_client.Courier(toolbox, operation, Caller.of(toolbox.live.credential("primary"), _scheme(toolbox)))
    names, result = stock_client.converse(courier, shape({}, _tool(toolbox, operation).get("inputSchema", {})))
    found = f"the client finds {', '.join(names) or 'no tool'}"
    expect.that(operation.id in names, found, *courier.exchanges, expected=f"a tool {operation.id}")
    told = "the client is told that the call has failed"
    expect.that(not result.is_error, told, courier.exchanges[-1], expected="a result that is no error")


@requirement("tools/approval")
def test_an_approval_is_one_over_both_faces(toolbox: Toolbox, approvals: Approvals) -> None:
    """Stale revisions are refused, an approval by tool is an approval, and either face replays the other's."""
    approvals.consent()
    operation = toolbox.live.operation("review_approve")
    _tool(toolbox, operation)
    _replays_by_tool(toolbox, approvals, operation)
    _refusals_by_tool(toolbox, approvals, operation)
    review = approvals.take()
    key = approvals.key(review.id, "by tool")
    stale = _approval(review.id, review.revision + 1, approvals.key(review.id, "stale by tool"))
    refused(_as_primary(toolbox, operation, stale, "a stale revision by tool"))
    _untouched(approvals.call(review.id, review.revision, key), approvals, operation)

    approvals.note(review, key)
    first = _served_to_primary(toolbox, operation, _approval(review.id, review.revision, key), "approve by tool")
    data = served(first)

    after = approvals.look_approved(review.id)
    kept = is_approved(after) or not shows_status(after)
    expect.that(kept, "the review is not approved after its tool said so", first.exchange, after, expected="approved")
    again = approvals.approve(review, key, scheme=_scheme(toolbox), purpose="replay over HTTP what was approved by tool")
    expect.status(again, 200)
    kept = again.data is MISSING or not _differs(again.data, data, toolbox)
    expect.that(kept, f"the replay says {again.data}", first.exchange, again, expected=str(data))
    refused(_as_primary(toolbox, operation, _approval(review.id, review.revision + 1, key), "the key with another revision"))


def _replays_by_tool(toolbox: Toolbox, approvals: Approvals, operation: Operation) -> None:
    trial = approvals.trial(_scheme(toolbox))
    if trial.approval.status != 200:
        raise Inconclusive("the approval over HTTP does not succeed", exchanges=[trial.approval.id])
    replay = _approval(trial.review.id, trial.review.revision, trial.key)
    again = _served_to_primary(toolbox, operation, replay, "replay by tool what was approved over HTTP")
    told = f"the replay says {again.data}"
    first = trial.approval.data
    expect.that(first is MISSING or not _differs(first, served(again), toolbox), told, again.exchange, expected=str(first))


def _refusals_by_tool(toolbox: Toolbox, approvals: Approvals, operation: Operation) -> None:
    """What HTTP refuses is refused by tool: a role that may not approve, a revision that is a text, a review that cannot be approved."""
    live, review = toolbox.live, approvals.pending()
    key = approvals.key(review.id, "refused by tool")
    viewer = live.session.target.credentials.get("no-review-role")
    if viewer is not None:
        arguments = _approval(review.id, review.revision, key)
        refused(toolbox.call(operation, arguments, viewer, purpose="approve by tool without the role"))
    textual = {**_approval(review.id, review.revision, key), "expectedSubjectRevision": str(review.revision)}
    refused(_as_primary(toolbox, operation, textual, "a revision that is a text, by tool"))
    _untouched(approvals.call(review.id, review.revision, key), approvals, operation)
    for id in live.session.target.fixtures.unapprovable_reviews[:1]:
        read = approvals.look(id)
        if isinstance(read.data, dict) and read.data.get("approvable") is False and not is_approved(read):
            arguments = _approval(id, revision_of(read), approvals.key(id, "refused by tool"))
            refused(_as_primary(toolbox, operation, arguments, "approve by tool what cannot be approved"))


def _filters(operation: Operation, toolbox: Toolbox) -> Iterator[tuple[str, str]]:
    """The filters whose names are certain and that the tool takes, each with the value of the first record."""
    taken, live = places(_tool(toolbox, operation).get("inputSchema", {})), toolbox.live
    for role, member in MEMBERS.items():
        with suppress(Inconclusive, NotApplicable):
            name = known(operation, role, live, Call(operation.id))
            value = str(live.records(operation.id)[0].record.get(member))
            if plain(name) in taken and is_uuid(value):
                yield name, value


def _as_primary(toolbox: Toolbox, operation: Operation, arguments: dict[str, Any], purpose: str) -> Answer:
    return toolbox.call(operation, arguments, toolbox.live.credential("primary"), _scheme(toolbox), purpose=purpose)


def _scheme(toolbox: Toolbox) -> str:
    """One scheme for both faces, since the key of an approval and a cursor may belong to the credential."""
    return toolbox.scheme


def _tool(toolbox: Toolbox, operation: Operation) -> dict[str, Any]:
    found = toolbox.tools.get(operation.id)
    if not isinstance(found, dict):
        raise Inconclusive(f"there is no tool {operation.id}", needs=("tools.url",))
    return found


def _named(operation: Operation) -> list[str]:
    """The arguments that the contract itself names."""
    body = ["expectedSubjectRevision", "idempotencyKey"] if operation.writes else []
    return [parameter.name for parameter in operation.parameters if not parameter.name_is_open] + body


def _arguments(call: Call) -> dict[str, Any]:
    """The arguments of a call as a tool takes them: numbers as numbers."""
    query = {name: int(value) if name == "limit" else value for name, value in call.query}
    return {**call.path, **query}


def _approval(review: str, revision: int, key: str) -> dict[str, Any]:
    return {"reviewId": review, "expectedSubjectRevision": revision, "idempotencyKey": key}


def _probe(operation: Operation, toolbox: Toolbox, approvals: Approvals) -> tuple[Call, dict[str, Any]]:
    """A valid call and its arguments, after the control: primary's call succeeds, or an approval has over HTTP."""
    _tool(toolbox, operation)
    if not operation.writes:
        call = toolbox.live.call(operation)
        if operation.id not in toolbox.controls:
            _controlled(_served_to_primary(toolbox, operation, _arguments(call), "control"))
            toolbox.controls.add(operation.id)
        return call, _arguments(call)
    approvals.control()
    review = approvals.pending()
    key = approvals.key(review.id, "refused by tool")
    return approvals.call(review.id, review.revision, key), _approval(review.id, review.revision, key)


def _controlled(answer: Answer) -> None:
    if answer.refused or answer.data is MISSING:
        raise Inconclusive(f"the control by tool is answered {answer.told}", needs=("tools.url",), exchanges=[answer.exchange.id])


def _untouched(call: Call, approvals: Approvals, operation: Operation) -> None:
    if operation.writes:
        looked = approvals.look(call.path["reviewId"])
        expect.that(not is_approved(looked), "a refused caller approved the review", looked, expected="the review stays as it was")


def _same(call: Call, operation: Operation, toolbox: Toolbox) -> None:
    """Violation where the two faces keep telling different things; what changes over HTTP as well is none."""
    kept: set[Place] | None = None
    for number in range(ROUNDS):
        over_http = toolbox.live.control(call, scheme=_scheme(toolbox))
        answer = _served_to_primary(toolbox, operation, _arguments(call), "the data by tool")
        if answer.refused and call.query and toolbox.live.send(call, scheme=_scheme(toolbox), purpose="once more").status != 200:
            return  # A cursor may be good for one use.
        differing = _promised(_unlike(over_http.data, served(answer)), toolbox) if over_http.data is not MISSING else set()
        if not differing:
            return  # Without data over HTTP, which is judged elsewhere, there is nothing to compare.
        for _ in range(number + 1):  # more of them each time, or what takes turns would seem to stay
            again = toolbox.live.control(call, scheme=_scheme(toolbox))
        changing = _unlike(over_http.data, again.data)
        stable = {place for place in differing if not any(place[: len(other)] == other for other in changing)}
        if not stable and not changing & WHOLE:
            return
        kept = stable if kept is None else kept & stable
    if not kept:
        raise Inconclusive(f"the data of {operation.id} change with every reading", needs=("data that stay as they are",))
    told = ", ".join(sorted(".".join(map(str, place)) or "all of it" for place in kept)[:3])
    expect.broken(f"tool and operation differ in {told}", over_http, answer.exchange, expected="the same data")


def _differs(one: Any, other: Any, toolbox: Toolbox) -> bool:
    return bool(_promised(_unlike(one, other), toolbox))


def _promised(found: set[Place], toolbox: Toolbox) -> set[Place]:
    """The places that the contract speaks of; what else an answer carries may belong to the way by which it came."""
    names = {"items", "nextCursor"}
    for resource in RESOURCES:
        names |= set(toolbox.live.session.contract.schema(resource)["properties"])
    return {place for place in found if all(name in names for name in place if isinstance(name, str))}


def _unlike(one: Any, other: Any, place: Place = ()) -> set[Place]:
    """Where two values differ; a cursor may be another one in each answer."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = [name for name in {*one, *other} if name != "nextCursor" or (one.get(name) is None) != (other.get(name) is None)]
        return set().union(*(_unlike(one.get(name, MISSING), other.get(name, MISSING), (*place, name)) for name in names))
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return set().union(*(_unlike(*pair, (*place, number)) for number, pair in enumerate(zip(one, other, strict=True))))
    return set() if one == other else {place}


def _served_to_primary(toolbox: Toolbox, operation: Operation, arguments: dict[str, Any], purpose: str) -> Answer:
    """A call that ought to be served, made again where it is not: a tool's error does not always tell what is over in a moment."""
    for number in range(TRIES):
        toolbox.live.session.transport.wait(float(number))
        answer = _as_primary(toolbox, operation, arguments, purpose)
        if not answer.refused and answer.data is not MISSING:
            break
    return answer
