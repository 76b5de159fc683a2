"""Access by tool: who may call which tool (Authentication, What the service does)."""

from collections.abc import Iterator
from typing import Any

from conformance.contract import api
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call
from conformance.http.json_rpc import messages
from conformance.rules.tool_result import ToolResult
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.tool_calls import arguments_of_approval, check_without_effect
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.disclosure import check_names_nothing
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import PARENTS, Live, parameter_of
from conformance.suite.lists.malformed_ids import lookalikes
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.list_grants import check_list, with_primarys_cursor
from conformance.suite.tools.outside_approvals import check_out_of_reach
from conformance.suite.tools.results import check_rejected
from conformance.suite.tools.tool_access import one_of_each, without_valid_credential
from conformance.suite.tools.toolbox import Arguments, Toolbox, arguments_of
from conformance.target.target import Credential

KINDS = api.load().id_kinds
CONFLICTS = frozenset({400, 409, 422})
"""The statuses of an approval that is rejected for its revision."""


@requirement("tools/authentication")
def test_a_tool_needs_a_credential(
    operation: Operation, toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> None:
    """A tool call with no, an expired, a revoked or a made-up credential is rejected."""
    live = toolbox.live
    call, arguments = _baseline(operation, toolbox, approvals, trials)
    intruders = without_valid_credential(live.session, live.callers.credential("primary"))
    for each in intruders:
        who, scheme = each.caller.credential, each.caller.scheme
        check_rejected(toolbox.call(operation, arguments, who, scheme, purpose=each.purpose))
    check_without_effect(call, operation, approvals, trials)
    # A caller who is rejected at the handshake may still be served without it, or in a session.
    for each in one_of_each(intruders):
        _check_guest(operation, arguments, each.caller, toolbox)
    check_without_effect(call, operation, approvals, trials)


@requirement("tools/permission")
def test_a_tool_needs_the_permission(
    operation: Operation, scheme: str, toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> None:
    """A tool call without the permission of the operation is rejected, or the tool not listed."""
    credential = toolbox.live.callers.credential_with(f"lacking.{operation.permission}", scheme)
    call, arguments = _baseline(operation, toolbox, approvals, trials)
    purpose = "a caller without the permission"
    check_rejected(toolbox.call(operation, arguments, credential, scheme, purpose=purpose))
    _check_guest(operation, arguments, Caller(credential, scheme), toolbox)
    check_without_effect(call, operation, approvals, trials)
    for further in with_primarys_cursor(operation, toolbox, arguments):
        result = toolbox.call(
            operation, further, credential, scheme, purpose=f"{purpose}, a cursor"
        )
        check_rejected(result)


@requirement("tools/approval")
def test_an_approval_by_tool_needs_no_other_permission(
    toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> None:
    """A stale approval of a caller who lacks another permission is no lack of a permission.

    Codes show what a tool rejects. What HTTP rejects for more than the revision, others report.
    """
    live, operation = toolbox.live, toolbox.live.session.api.approval
    toolbox.tool(operation)
    trial, lacking = (
        trials.baseline(toolbox.scheme),
        live.session.target.lacking(operation.permission),
    )
    if lacking is None:
        raise NotApplicable(f"no caller lacks {operation.permission}")
    stale, key = trial.review.revision - 1, approvals.key(trial.review.id, "stale by tool")
    call = approvals.call(trial.review.id, stale, key)
    arguments = arguments_of_approval(trial.review.id, stale, key)

    def by_tool(caller: Credential) -> ToolResult:
        return toolbox.call(operation, arguments, caller, purpose="a stale approval by tool")

    usual, forbidden = by_tool(live.callers.credential("primary")), by_tool(lacking)
    if forbidden.code is None or forbidden.code == usual.code:
        raise NotApplicable("the codes of a tool do not tell a permission from a conflict")
    for each in _lacking_another(operation, lacking, live):
        response = live.callers.send(call, each, each.schemes[0], purpose="a stale approval")
        result = by_tool(each) if response.status in CONFLICTS else usual
        otherwise = defect(
            Kind.STATUS,
            "{caller} has the permission to approve, and is rejected by tool: {code}",
            expected=f"{usual.code}, as primary gets",
            actual=result.code,
            caller=each.name,
            code=result.code,
        ).at(result.error_place)
        is_forbidden = result.code == forbidden.code
        expect.that(not is_forbidden, otherwise, response, result.exchange)


def _lacking_another(operation: Operation, lacking: Credential, live: Live) -> Iterator[Credential]:
    """The callers who lack a permission, and have that of the operation."""
    target = live.session.target
    for permission in live.session.contract.permissions:
        other = target.lacking(permission)
        if permission != operation.permission and other and not other.shares_secret(lacking):
            yield other


@requirement("tools/grants")
def test_a_tool_stays_within_the_grant(
    operation: Operation, toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> None:
    """A tool shows primary nothing foreign or ungranted, and the outsider nothing of primary's."""
    live = toolbox.live
    call, arguments = _baseline(operation, toolbox, approvals, trials)
    if "{" not in operation.path:
        check_list(operation, toolbox)
        return
    name = parameter_of(operation)
    outside = _ids_outside(live, KINDS[name])
    outsider = live.session.target.credentials.get("outsider")
    if not outside and outsider is None:
        raise Inconclusive(
            "nothing outside the grant is known",
            needs=("fixtures.foreign", "fixtures.ungranted", "credentials.outsider"),
        )
    if outsider is not None:
        _check_out_of_outsiders_reach(operation, toolbox, outsider, arguments)
        check_without_effect(call, operation, approvals, trials)
    if operation.writes:
        for id in outside:
            check_out_of_reach(id, operation, toolbox, approvals)
        return
    for id in outside:
        purpose = "a record outside the grant"
        result = toolbox.call_as_primary(operation, {**arguments, name: id}, purpose)
        check_rejected(result)


def _check_out_of_outsiders_reach(
    operation: Operation, toolbox: Toolbox, outsider: Credential, arguments: Arguments
) -> None:
    """The outsider gets nothing by the id of a record of primary's, nor by a cursor below it."""
    result = toolbox.call(operation, arguments, outsider, purpose="the outsider")
    check_rejected(result)
    _check_names_nothing(result, operation, toolbox, outsider, arguments)
    for later in with_primarys_cursor(operation, toolbox, arguments):
        result = toolbox.call(operation, later, outsider, purpose="primary's cursor")
        check_rejected(result)
    _check_guest(operation, arguments, Caller.of(outsider), toolbox)


def _check_names_nothing(
    result: ToolResult,
    operation: Operation,
    toolbox: Toolbox,
    outsider: Credential,
    arguments: Arguments,
) -> None:
    """The rejection of a tool does not name the record of primary's that was asked for."""
    name, live = parameter_of(operation), toolbox.live
    records = (each.record for each in live.records(PARENTS[name]))
    record = next((each for each in records if each["id"] == arguments[name]), {})
    absent = {**arguments, name: live.made_up(f"absent {name}")}

    def usual() -> object:
        rejected = toolbox.call(operation, absent, outsider, purpose="a record that does not exist")
        return [*messages(rejected.exchange)]

    for message in messages(result.exchange):
        check_names_nothing(result.exchange, message, record, usual)


def _check_guest(
    operation: Operation, arguments: Arguments, caller: Caller, toolbox: Toolbox
) -> None:
    """A caller who may not call a tool is shown nothing after the handshake of another one.

    A session is no credential: each request in it has its own.
    """
    who = caller.credential.name if caller.credential else "nobody"
    purpose = f"{who}, after the handshake of primary"
    result = toolbox.call_as_guest(operation, arguments, caller, purpose)
    if result is not None:
        check_rejected(result)


def _ids_outside(live: Live, kind: str) -> list[str]:
    fixtures = live.session.target.fixtures
    return [group[kind] for group in (fixtures.foreign, fixtures.ungranted) if kind in group]


@requirement("tools/validation")
def test_a_tool_rejects_invalid_arguments(operation: Operation, toolbox: Toolbox) -> None:
    """A tool rejects limits out of range, ids that are not UUIDs, and a missing id."""
    call = toolbox.live.call(operation)
    arguments = arguments_of(call)
    toolbox.require_baseline(operation, arguments)
    invalid = _invalid_arguments(operation, toolbox, call)
    if not invalid:
        raise NotApplicable(f"{operation.id} takes no argument")
    shared = toolbox.live.session.share(invalid, operation.id)
    requests = {f"{name} {value!r}": {**arguments, name: value} for name, value in shared}
    for result in toolbox.call_all_as_primary(operation, requests):
        check_rejected(result)
    if call.path:
        purpose = f"no {parameter_of(operation)}"
        check_rejected(toolbox.call_as_primary(operation, {}, purpose))


def _invalid_arguments(operation: Operation, toolbox: Toolbox, call: Call) -> list[tuple[str, Any]]:
    # The beginning of an id could select by a pattern, and parsers accept it in braces. A database
    # may take no text with U+0000, and a library may end a text there.
    ids = [
        (name, value)
        for name, id in call.path.items()
        for value in (id[:-1], f"{{{id}}}", f"{id}\0", None, *lookalikes(id).values())
    ]
    if not operation.is_list:
        return ids
    limits = [("limit", value) for value in (0, 101, 1000, 1.5, "many", "0x10")]
    live = toolbox.live
    names = [name for name in live.session.roles(operation) if name != "limit"]
    taken = [name for name in names if toolbox.argument_name(operation, name) is not None]
    unknown = live.made_up("malformed")
    others = ("not-a-uuid", *lookalikes(unknown).values())
    return [*ids, *limits, *((name, value) for name in taken for value in others)]


def _baseline(
    operation: Operation, toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> tuple[Call, Arguments]:
    """A valid call and its arguments, with which primary's tool call, or an approval, succeeded."""
    toolbox.tool(operation)
    if not operation.writes:
        call = toolbox.live.call(operation)
        toolbox.require_baseline(operation, arguments_of(call))
        return call, arguments_of(call)
    trial = trials.baseline(toolbox.scheme)
    try:
        review = approvals.pool.pending()
        key = approvals.key(review.id, "rejected by tool")
    except Inconclusive:
        # No review is left. A replay has to be rejected for everybody who may not approve.
        review, key = trial.review, trial.key
        replay = arguments_of_approval(review.id, review.revision, key)
        toolbox.require_baseline(operation, replay)
    arguments = arguments_of_approval(review.id, review.revision, key)
    return approvals.call(review.id, review.revision, key), arguments
