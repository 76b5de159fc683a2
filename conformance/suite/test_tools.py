"""Tools: the same operations under the same identifiers, with the same contract (What the service does, Versioning)."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from conformance.exchange import MISSING, Call, Exchange
from conformance.openapi import Operation
from conformance.suite import expect
from conformance.suite.approvals import Approvals
from conformance.suite.calls import MEMBERS
from conformance.suite.faces import WHOLE, Place, added, promised, sound, unlike
from conformance.suite.impostors import made_up
from conformance.suite.live import PARENTS, Live, parameter_of
from conformance.suite.requirement import requirement
from conformance.suite.test_arguments import known
from conformance.suite.test_tools_approval import approval, untouched
from conformance.suite.tool_answers import Answer, refused, served
from conformance.suite.tool_schema import places, plain, refusal, shape
from conformance.suite.toolbox import Caller, Toolbox
from conformance.suite.trail import PAGE, is_uuid
from conformance.target import Credential
from conformance.verdict import Inconclusive, NotApplicable, Violation

ROUNDS = 3
PAGES = 3
"""Pages in a row that both faces are asked for."""
KINDS = {"projectId": "project", "videoId": "video", "reviewId": "review"}


@requirement("tools/listed")
def test_every_operation_is_a_tool(operation: Operation, toolbox: Toolbox) -> None:
    """A caller who may do everything is shown all ten operations."""
    toolbox.live.credential("primary")
    told = ", ".join(sorted(toolbox.tools)) or "no tool"
    expect.that(operation.id in toolbox.tools, f"{operation.id} is not among {told}", expected=f"a tool {operation.id}")


@requirement("tools/arguments")
def test_a_tool_takes_the_arguments_of_its_operation(operation: Operation, toolbox: Toolbox) -> None:
    """The input schema names the parameters that the contract names, flat or nested, and takes what the contract allows."""
    schema = toolbox.tool(operation).get("inputSchema")
    expect.that(isinstance(schema, dict), "the tool has no input schema", expected="an input schema")
    assert isinstance(schema, dict)
    missing = [name for name in _named(operation) if plain(name) not in places(schema)]
    expect.that(not missing, f"the input schema does not name {', '.join(missing)}", expected=", ".join(_named(operation)))
    where = places(schema)
    if any(len(where[plain(name)]) > 1 for name in _named(operation)) or not _named(operation):
        return  # what holds nested arguments together is the target's own
    for arguments in _allowed(operation, toolbox.live):
        flaw = refusal(shape(arguments, schema), schema)
        expect.that(flaw is None, f"the input schema refuses {arguments}: {flaw}", expected="a schema that takes what the contract allows")


@requirement("tools/data")
def test_a_tool_gives_the_data_of_its_operation(operation: Operation, toolbox: Toolbox) -> None:
    """What a tool answers is what the operation answers over HTTP, page by page."""
    live, call = toolbox.live, toolbox.live.call(operation)
    toolbox.tool(operation)
    if operation.is_list:
        _same_pages(call, operation, toolbox)
    for one in (call, *_of_others(call, operation, live)):
        _same(one, operation, toolbox)
    if call.path:
        absent = {**_arguments(call), parameter_of(operation): live.made_up(operation.id)}
        refused(toolbox.as_primary(operation, absent, "what does not exist"))


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
        untouched(call, approvals, operation)


@requirement("tools/permission")
def test_a_tool_needs_the_permission(operation: Operation, scheme: str, toolbox: Toolbox, approvals: Approvals) -> None:
    """Without the permission of the operation its tool is refused, or not shown."""
    live = toolbox.live
    credential = live.by(f"lacking.{operation.permission}", scheme)
    call, arguments = _probe(operation, toolbox, approvals)
    refused(toolbox.call(operation, arguments, credential, scheme, purpose=f"without {operation.permission}"))
    untouched(call, approvals, operation)


@requirement("tools/grants")
def test_a_tool_stays_within_the_grant(operation: Operation, toolbox: Toolbox, approvals: Approvals) -> None:
    """What is foreign or ungranted is refused to primary or not shown, and primary's is refused to the outsider."""
    live = toolbox.live
    call, arguments = _probe(operation, toolbox, approvals)
    if "{" not in operation.path:
        _shown_within_the_grant(operation, toolbox)
        return
    name, fixtures = parameter_of(operation), live.session.target.fixtures
    outside = [group[KINDS[name]] for group in (fixtures.foreign, fixtures.ungranted) if KINDS[name] in group]
    outsider = live.session.target.credentials.get("outsider")
    if not outside and outsider is None:
        raise Inconclusive("nothing outside the grant is known", needs=("fixtures.foreign", "fixtures.ungranted", "credentials.outsider"))
    if outsider is not None:
        refused(toolbox.call(operation, arguments, outsider, purpose="call the tool as the outsider"))
        untouched(call, approvals, operation)
    for id in outside if not operation.writes else ():
        refused(toolbox.as_primary(operation, {**arguments, name: id}, "something outside the grant"))


@requirement("tools/validation")
def test_a_tool_refuses_invalid_arguments(operation: Operation, toolbox: Toolbox) -> None:
    """Limits out of range, ids that are no UUIDs, and none at all where the path has one, as over HTTP."""
    live, call = toolbox.live, toolbox.live.call(operation)
    arguments = _arguments(call)
    _controlled(toolbox.served_to_primary(operation, arguments, "control"))
    invalid: list[tuple[str, Any]] = [(name, value) for name in call.path for value in ("not-a-uuid", None)]
    if operation.is_list:
        invalid += [("limit", value) for value in (0, 101, 1000, 1.5, "many")]
        named = [name for name in live.session.roles(operation) if name != "limit"]
        invalid += [(name, "not-a-uuid") for name in named if toolbox.argument(operation, name) is not None]
    if not invalid:
        raise NotApplicable(f"{operation.id} takes no argument")
    for answer in toolbox.each_as_primary(operation, {f"{name} {value!r}": {**arguments, name: value} for name, value in invalid}):
        refused(answer)
    if call.path:
        refused(toolbox.as_primary(operation, {}, f"no {parameter_of(operation)}"))


@requirement("tools/stock-client")
def test_a_stock_client_lists_and_calls_a_tool(toolbox: Toolbox) -> None:
    """The protocol's official client finds the tool of the account, and gets its data, where a client that asks for little does."""
    operation = toolbox.live.operation("account_get")
    over_http = toolbox.live.control(toolbox.live.call(operation), scheme=toolbox.scheme)
    if toolbox.live.session.problems(over_http):
        raise Inconclusive("what the operation answers breaks the contract already", exchanges=[over_http.id])
    toolbox.tool(operation)
    _controlled(toolbox.served_to_primary(operation, {}, "control"))
    for number in range(1, ROUNDS):
        with suppress(Violation):  # the client asks once, and a tool's error does not always tell what is over in a moment
            _understood(operation, toolbox)
            return
        toolbox.live.session.transport.wait(float(number))
    _understood(operation, toolbox)


def _understood(operation: Operation, toolbox: Toolbox) -> None:
    from conformance.suite import stock_client  # noqa: PLC0415 - slow, and of no use without tools

    courier = stock_client.Courier(toolbox, operation, Caller.of(toolbox.live.credential("primary"), toolbox.scheme))
    names, result = stock_client.converse(courier, shape({}, toolbox.tool(operation).get("inputSchema", {})))
    found = f"the client finds {', '.join(names) or 'no tool'}"
    expect.that(operation.id in names, found, *courier.exchanges, expected=f"a tool {operation.id}")
    told = "the client is told that the call has failed"
    expect.that(not result.is_error, told, courier.exchanges[-1], expected="a result that is no error")


def _shown_within_the_grant(operation: Operation, toolbox: Toolbox) -> None:
    """Nothing from outside stands on the longest page, nor on that of a filter that names something outside."""
    live = toolbox.live
    groups = (live.session.target.fixtures.foreign, live.session.target.fixtures.ungranted)
    if not any(groups):
        raise Inconclusive("nothing outside the grant is known", needs=("fixtures.foreign", "fixtures.ungranted"))
    asked: list[dict[str, Any]] = [{"limit": PAGE}]
    for name, _ in _filters(operation, toolbox):
        role = live.session.roles(operation)[name]
        asked += [{"limit": PAGE, name: group[role]} for group in groups if role in group]
    for arguments in asked:
        answer = toolbox.as_primary(operation, arguments, "a page that may show nothing from outside")
        items = answer.data.get("items") if isinstance(answer.data, dict) else None
        found = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
        strays = [item for item in found if live.is_outside(item, operation.id)]
        expect.that(not strays, f"{len(strays)} items from outside the grant", answer.exchange, expected="no item")


def _same_pages(call: Call, operation: Operation, toolbox: Toolbox) -> None:
    """The longest page and the shortest, and three short ones in a row; under each filter two."""
    name = _cursor(call, operation, toolbox)
    for limit in ("100", "1"):
        _same(call.asking(limit=limit), operation, toolbox)
    _in_a_row(call.asking(limit="5"), operation, toolbox, (name, PAGES))
    for filter, id in _filters(operation, toolbox):
        with suppress(Inconclusive):  # a cursor may bring its filter along, and be refused beside it
            _in_a_row(call.asking(limit="5", **{filter: id}), operation, toolbox, (name, PAGES - 1))


def _in_a_row(page: Call, operation: Operation, toolbox: Toolbox, way: tuple[str | None, int]) -> None:
    """Some pages of a list, one after the other, given the name of the cursor and how many they may be."""
    name, most = way
    for _ in range(most):
        cursor = _same(page, operation, toolbox).cursor
        if cursor is None or name is None:
            break
        page = page.asking(**{name: cursor})


def _cursor(call: Call, operation: Operation, toolbox: Toolbox) -> str | None:
    """The name of the cursor; None where it is not certain, or the tool has none, so that the two faces would show different pages."""
    with suppress(Inconclusive, NotApplicable):
        name = known(operation, "cursor", toolbox.live, call)
        return None if toolbox.argument(operation, name) is None else name
    return None


def _of_others(call: Call, operation: Operation, live: Live) -> list[Call]:
    """The same call for the last record and for that with the most in it, or for the parent with the longest page: tools may shorten."""
    if not call.path:
        return []
    name = parameter_of(operation)
    if operation.is_list:
        pages = live.children(operation.id)
        ids = [max(pages, key=lambda id: len(str(pages[id].items)))]
    else:
        records = [listed.record for listed in live.records(PARENTS[name])]
        ids = [records[-1]["id"], max(records, key=lambda record: len(str(record)))["id"]]
    return [call.at(**{name: id}) for id in dict.fromkeys(ids) if id != call.path[name]]


def _filters(operation: Operation, toolbox: Toolbox) -> Iterator[tuple[str, str]]:
    """The filters whose names are certain and that the tool takes, each with the value of the first record."""
    live = toolbox.live
    for role, member in MEMBERS.items():
        with suppress(Inconclusive, NotApplicable):
            name = known(operation, role, live, Call(operation.id))
            value = str(live.records(operation.id)[0].record.get(member))
            if toolbox.argument(operation, name) is not None and is_uuid(value):
                yield name, value


def _differing(over_http: Exchange, by_tool: Any, operation: Operation, live: Live) -> set[Place]:
    """Where a tool tells other than its operation, but for what is malformed over HTTP, which is judged by the rules."""
    contract = live.session.contract
    differing = unlike(over_http.data, by_tool)
    found = promised(differing, contract) | added(differing, over_http.data, contract.schema(operation.resource))
    return {place for place in found if sound(place, over_http.data, operation.resource, contract)}


def _named(operation: Operation) -> list[str]:
    """The arguments that the contract itself names."""
    body = ["expectedSubjectRevision", "idempotencyKey"] if operation.writes else []
    return [parameter.name for parameter in operation.parameters if not parameter.name_is_open] + body


def _allowed(operation: Operation, live: Live) -> Iterator[dict[str, Any]]:
    """Arguments within the contract: as few as may be, and for a list its bounds and its cursor."""
    id = live.made_up("tool")
    least: dict[str, Any] = {parameter_of(operation): id} if "{" in operation.path else {}
    yield {**least, "expectedSubjectRevision": 3, "idempotencyKey": id} if operation.writes else least
    for limit in (1, 25, 100) if operation.is_list else ():
        yield {**least, "limit": limit}
    if operation.is_list and "cursor" in _named(operation):
        yield {**least, "cursor": id}


def _arguments(call: Call) -> dict[str, Any]:
    """The arguments of a call as a tool takes them: numbers as numbers."""
    query = {name: int(value) if name == "limit" else value for name, value in call.query}
    return {**call.path, **query}


def _probe(operation: Operation, toolbox: Toolbox, approvals: Approvals) -> tuple[Call, dict[str, Any]]:
    """A valid call and its arguments, after the control: primary's call succeeds, or an approval has over HTTP."""
    toolbox.tool(operation)
    if not operation.writes:
        call = toolbox.live.call(operation)
        if operation.id not in toolbox.controls:
            _controlled(toolbox.served_to_primary(operation, _arguments(call), "control"))
            toolbox.controls.add(operation.id)
        return call, _arguments(call)
    trial = approvals.control(toolbox.scheme)
    try:
        review = approvals.pending()
        key = approvals.key(review.id, "refused by tool")
    except Inconclusive:  # where no review is left, a replay is as good: it is refused to whom the approval would be
        review, key = trial.review, trial.key
        _controlled(toolbox.served_to_primary(operation, approval(review.id, review.revision, key), "control"))
    return approvals.call(review.id, review.revision, key), approval(review.id, review.revision, key)


def _controlled(answer: Answer) -> None:
    if answer.refused or answer.data is MISSING:
        raise Inconclusive(f"the control by tool is answered {answer.told}", needs=("tools.url",), exchanges=[answer.exchange.id])


def _same(call: Call, operation: Operation, toolbox: Toolbox) -> Exchange:
    """What HTTP answers; Violation where the two faces keep telling different things; what changes over HTTP as well is none."""
    live = toolbox.live
    kept: set[Place] | None = None
    for number in range(ROUNDS):
        over_http = live.control(call, scheme=toolbox.scheme)
        answer = toolbox.served_to_primary(operation, _arguments(call), "the data by tool")
        if answer.refused and call.query and toolbox.live.send(call, scheme=toolbox.scheme, purpose="once more").status != 200:
            return over_http  # A cursor may be good for one use.
        differing = _differing(over_http, served(answer), operation, live) if over_http.data is not MISSING else set()
        if not differing:
            return over_http  # Without data over HTTP, which is judged elsewhere, there is nothing to compare.
        for _ in range(number + 1):  # more of them each time, or what takes turns would seem to stay
            again = toolbox.live.control(call, scheme=toolbox.scheme)
        changing = unlike(over_http.data, again.data)
        stable = {place for place in differing if not any(place[: len(other)] == other for other in changing)}
        if not stable and not changing & WHOLE:
            return over_http
        kept = stable if kept is None else kept & stable
    if not kept:
        raise Inconclusive(f"the data of {operation.id} change with every reading", needs=("data that stay as they are",))
    told = ", ".join(sorted(".".join(map(str, place)) or "all of it" for place in kept)[:3])
    exchanges = [over_http.id, answer.exchange.id]
    raise Violation(f"tool and operation differ in {told}", expected="the same data", exchanges=exchanges)
