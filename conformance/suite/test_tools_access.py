"""Access by tool: who may call which tool, on what, and with which arguments (Authentication, What the service does)."""

from typing import Any

from conformance.contract import api
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.tool_calls import arguments_of_approval, check_without_effect
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.forged_credentials import made_up
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import parameter_of
from conformance.suite.lists.walk import PAGE
from conformance.suite.test_tools_data import filters
from conformance.suite.tools.answers import controlled, refused
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.toolbox import Toolbox, arguments_of
from conformance.target.target import Credential

KINDS = api.load().id_kinds


@requirement("tools/authentication")
def test_a_tool_needs_a_credential(
    operation: Operation, toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> None:
    """No credential, an expired, a revoked and a made-up one are refused."""
    live = toolbox.live
    call, arguments = _probe(operation, toolbox, approvals, trials)
    primary = live.credential("primary")
    callers: list[tuple[Credential | None, str | None]] = [(None, None)]
    callers += [(made_up(live.session, scheme), scheme) for scheme in primary.schemes]
    for name in ("expired", "revoked"):
        credential = live.session.target.credentials.get(name)
        callers += [(credential, scheme) for scheme in credential.schemes] if credential else []
    for credential, scheme in callers:
        who = f"{_name(credential)} by {scheme}" if credential else _name(credential)
        refused(
            toolbox.call(
                operation, arguments, credential, scheme, purpose=f"call the tool as {who}"
            )
        )
        check_without_effect(call, operation, approvals, trials)
    # Once for each kind: who is refused at the handshake may still be served without one.
    for who, caller in {
        _name(credential): Caller(credential, scheme) for credential, scheme in callers
    }.items():
        answer = toolbox.call_uninvited(
            operation, arguments, caller, f"past the handshake, as {who}"
        )
        if answer is not None:
            refused(answer)
            check_without_effect(call, operation, approvals, trials)


def _name(credential: Credential | None) -> str:
    return credential.name if credential else "nobody"


@requirement("tools/permission")
def test_a_tool_needs_the_permission(
    operation: Operation, scheme: str, toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> None:
    """Without the permission of the operation its tool is refused, or not shown."""
    live = toolbox.live
    credential = live.by(f"lacking.{operation.permission}", scheme)
    call, arguments = _probe(operation, toolbox, approvals, trials)
    refused(
        toolbox.call(
            operation, arguments, credential, scheme, purpose=f"without {operation.permission}"
        )
    )
    check_without_effect(call, operation, approvals, trials)


@requirement("tools/grants")
def test_a_tool_stays_within_the_grant(
    operation: Operation, toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> None:
    """What is foreign or ungranted is refused to primary or not shown, and primary's is refused to the outsider."""
    live = toolbox.live
    call, arguments = _probe(operation, toolbox, approvals, trials)
    if "{" not in operation.path:
        _shown_within_the_grant(operation, toolbox)
        return
    name, fixtures = parameter_of(operation), live.session.target.fixtures
    outside = [
        group[KINDS[name]]
        for group in (fixtures.foreign, fixtures.ungranted)
        if KINDS[name] in group
    ]
    outsider = live.session.target.credentials.get("outsider")
    if not outside and outsider is None:
        raise Inconclusive(
            "nothing outside the grant is known",
            needs=("fixtures.foreign", "fixtures.ungranted", "credentials.outsider"),
        )
    if outsider is not None:
        refused(
            toolbox.call(operation, arguments, outsider, purpose="call the tool as the outsider")
        )
        check_without_effect(call, operation, approvals, trials)
    for id in outside if not operation.writes else ():
        refused(
            toolbox.as_primary(operation, {**arguments, name: id}, "something outside the grant")
        )


@requirement("tools/validation")
def test_a_tool_refuses_invalid_arguments(operation: Operation, toolbox: Toolbox) -> None:
    """Limits out of range, ids that are no UUIDs, and none at all where the path has one, as over HTTP."""
    live, call = toolbox.live, toolbox.live.call(operation)
    arguments = arguments_of(call)
    controlled(toolbox.served_to_primary(operation, arguments, "control"))
    invalid: list[tuple[str, Any]] = [
        (name, value) for name in call.path for value in ("not-a-uuid", None)
    ]
    if operation.is_list:
        invalid += [("limit", value) for value in (0, 101, 1000, 1.5, "many")]
        named = [name for name in live.session.roles(operation) if name != "limit"]
        invalid += [
            (name, "not-a-uuid") for name in named if toolbox.argument(operation, name) is not None
        ]
    if not invalid:
        raise NotApplicable(f"{operation.id} takes no argument")
    for answer in toolbox.each_as_primary(
        operation, {f"{name} {value!r}": {**arguments, name: value} for name, value in invalid}
    ):
        refused(answer)
    if call.path:
        refused(toolbox.as_primary(operation, {}, f"no {parameter_of(operation)}"))


def _shown_within_the_grant(operation: Operation, toolbox: Toolbox) -> None:
    """Nothing from outside stands on the longest page, nor on that of a filter that names something outside."""
    live = toolbox.live
    groups = (live.session.target.fixtures.foreign, live.session.target.fixtures.ungranted)
    if not any(groups):
        raise Inconclusive(
            "nothing outside the grant is known", needs=("fixtures.foreign", "fixtures.ungranted")
        )
    asked: list[dict[str, Any]] = [{"limit": PAGE}]
    for name, _ in filters(operation, toolbox):
        role = live.session.roles(operation)[name]
        asked += [{"limit": PAGE, name: group[role]} for group in groups if role in group]
    for arguments in asked:
        answer = toolbox.as_primary(
            operation, arguments, "a page that may show nothing from outside"
        )
        items = answer.data.get("items") if isinstance(answer.data, dict) else None
        found = (
            [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
        )
        strays = [item for item in found if live.is_outside(item, operation.id)]
        expect.that(
            not strays,
            defect(
                Kind.UNSORTED, f"{len(strays)} items from outside the grant", expected="no item"
            ),
            answer.exchange,
        )


def _probe(
    operation: Operation, toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> tuple[Call, dict[str, Any]]:
    """A valid call and its arguments, after the control: primary's call succeeds, or an approval has over HTTP."""
    toolbox.tool(operation)
    if not operation.writes:
        call = toolbox.live.call(operation)
        if operation.id not in toolbox.baselines:
            controlled(toolbox.served_to_primary(operation, arguments_of(call), "control"))
            toolbox.baselines.add(operation.id)
        return call, arguments_of(call)
    trial = trials.baseline(toolbox.scheme)
    try:
        review = approvals.pool.pending()
        key = approvals.key(review.id, "refused by tool")
    except (
        Inconclusive
    ):  # where no review is left, a replay is as good: it is refused to whom the approval would be
        review, key = trial.review, trial.key
        controlled(
            toolbox.served_to_primary(
                operation, arguments_of_approval(review.id, review.revision, key), "control"
            )
        )
    return approvals.call(review.id, review.revision, key), arguments_of_approval(
        review.id, review.revision, key
    )
