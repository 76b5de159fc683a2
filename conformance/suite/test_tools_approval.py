"""Approval by tool: it has the effects and the guards of that over HTTP (Versioning)."""

from collections.abc import Callable, Mapping
from contextlib import suppress

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import MISSING, Call, Exchange
from conformance.rules.judgement import shown
from conformance.rules.tool_result import ToolResult
from conformance.suite.approval.approvals import MOST_REVISIONS, Approvals
from conformance.suite.approval.attempts import ahead, conflict
from conformance.suite.approval.bystanders import newly_approved, pending_beside
from conformance.suite.approval.key_transfer import transferred
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.approval.result import (
    check_is_approval_of,
    check_not_in_former_state,
    is_same_by_tool,
)
from conformance.suite.approval.review import Review, in_former_state, shown_revision
from conformance.suite.approval.tool_calls import arguments_of_approval, check_without_effect
from conformance.suite.approval.trial import Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.approval.watched_pages import pages_of_reviews
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, of_status
from conformance.suite.callers.requirement import requirement
from conformance.suite.reading.other_case import in_other_case
from conformance.suite.tools.former_state import Asked, check_left
from conformance.suite.tools.rejected_approvals import (
    check_rejected_by_tool,
    check_unapprovable_by_tool,
)
from conformance.suite.tools.results import check_rejected, data_of
from conformance.suite.tools.toolbox import Toolbox

READER = "review_get"
READERS = ("primary", "colleague")
"""Callers who are shown a review: a copy may be kept for each account."""
MOST_REPEATED = 4
"""Approvals that may have to repeat what one of them did."""
STALE: Mapping[str, tuple[Callable[[int], float], Callable[[str], str]]] = {
    "one revision ahead": (ahead, str),
    "one revision behind": (lambda right: right - 1, str),
    "far ahead": (lambda right: right + 1000, str),
    "one revision ahead, at the id in capitals": (ahead, in_other_case),
    "another revision that a float has room for": (lambda right: float(right % 1000 + 1001), str),
}
"""Stale revisions, made of the current one, each with the spelling of the id."""


@requirement("tools/approval")
def test_an_approval_by_tool_is_one_over_http(
    toolbox: Toolbox, approvals: Approvals, trials: Trials, preconditions: Preconditions
) -> None:
    """Tool and HTTP replay each other's approvals, and reject the same attempts."""
    trials.require_consent()
    operation = toolbox.live.operation("review_approve")
    toolbox.tool(operation)
    preconditions.check()
    _check_replay_by_tool(toolbox, operation, approvals, trials)
    check_rejected_by_tool(toolbox, operation, approvals, trials)
    check_unapprovable_by_tool(toolbox, operation, approvals, trials)
    review = approvals.pool.take(pending_beside(approvals.reader.listed()))
    review = _check_stale_by_tool(review, toolbox, operation, approvals, trials)
    _read_by_tool(review, toolbox)

    (review, key, first), also = _approved_and_watched(review, toolbox, operation, approvals)
    data, by_tool = data_of(first), first.exchange
    _check_result_by_tool(review, first)
    if not also and approvals.pool.can_spare():  # another one has other neighbours
        first, also = _approved_by_another_scheme(toolbox, operation, approvals, trials)
    _check_alone(first, also, toolbox, operation, approvals)

    after = _state_after(review, by_tool, toolbox, approvals)
    purpose = "replay over HTTP an approval by tool"
    replay = approvals.approve(review, key, scheme=toolbox.scheme, purpose=purpose)
    _require_replay(replay, after, approvals)
    _check_same_result(replay.data, data, toolbox, by_tool, replay)
    _check_again_by_tool(review, key, toolbox, operation, approvals)
    _check_key_over_http(Trial(review, toolbox.scheme, key, replay, after), toolbox, approvals)


def _check_again_by_tool(
    review: Review, key: str, toolbox: Toolbox, operation: Operation, approvals: Approvals
) -> None:
    """The used key is replayed, rejected with another revision, and a new one changes nothing."""
    same = arguments_of_approval(review.id, review.revision, key)
    replay = toolbox.call_until_served(operation, same, "replay by tool an approval by tool")
    if approvals.reader.read(review.id).status == 200:  # else it is out of reach by now
        data_of(replay)
    for revision in (review.revision - 1, 0 if review.revision else -1):  # 0 may pass for none
        other = arguments_of_approval(review.id, revision, key)
        check_rejected(toolbox.call_as_primary(operation, other, "the key with another revision"))
    new = approvals.key(review.id, "a new key by tool")
    arguments = arguments_of_approval(review.id, review.revision, new)
    result = toolbox.call_as_primary(operation, arguments, "a new key on an approved review")
    after = approvals.reader.read_approved(review)
    check_not_in_former_state(review, after, result.exchange)


def _read_by_tool(review: Review, toolbox: Toolbox) -> None:
    """Read a review by tool before its approval: what is shown then may be kept."""
    operation = toolbox.live.operation(READER)
    purpose = {"the review by tool, before its approval": {"reviewId": review.id}}
    for name in _readers(toolbox):
        toolbox.call_all(operation, purpose, toolbox.caller(name))


def _readers(toolbox: Toolbox) -> list[str]:
    """Whoever reads a review by tool before its approval and after it."""
    return [name for name in READERS if name in toolbox.live.session.target.credentials]


def _state_after(
    review: Review, approval: Exchange, toolbox: Toolbox, approvals: Approvals
) -> Exchange:
    """A read after an approval by tool; Violation where it, or the tool, shows the former state."""
    after = approvals.reader.read_approved(review)
    check_not_in_former_state(review, after, approval)
    for name in _readers(toolbox):
        if _is_left_over_http(review, name, toolbox):
            check_left(review, Asked(READER, {"reviewId": review.id}, name), toolbox, at_once=1)
    return after


def _is_left_over_http(review: Review, name: str, toolbox: Toolbox) -> bool:
    """Whether a caller is not shown the former state over HTTP: else the tool is not the reason."""
    caller, call = toolbox.caller(name), Call(READER, {"reviewId": review.id})
    purpose = "the approved review over HTTP"
    read = toolbox.live.callers.send(call, caller.credential, caller.scheme, purpose=purpose)
    return not in_former_state(review, read)


def _require_replay(replay: Exchange, after: Exchange, approvals: Approvals) -> None:
    approvals.reader.require_found(replay, after)
    expect.status(replay, 200)


def _check_alone(
    approval: ToolResult,
    also: Mapping[str, Exchange],
    toolbox: Toolbox,
    operation: Operation,
    approvals: Approvals,
) -> None:
    """Violation where approvals by tool approve other reviews, and others approve none."""
    if not also:
        return
    with suppress(Inconclusive):  # no review is left to repeat it
        for _ in range(MOST_REPEATED):
            _, also = _next_approved_and_watched(toolbox, operation, approvals)
            if also:
                break
    listed = [record["id"] for record in approvals.reader.listed() if record["id"] in also]
    if not listed or approvals.reader.others_approve(listed[0]):
        return
    otherwise = defect(
        Kind.EFFECT,
        "an approval by tool approved another review as well",
        expected="one review approved",
        actual=listed[0],
    )
    page = also[listed[0]]
    expect.violated(otherwise.on("status").at(in_data(page, "items")), approval.exchange, page)


def _check_key_over_http(by_tool: Trial, toolbox: Toolbox, approvals: Approvals) -> None:
    """A key that was used by tool is used over HTTP too, for its revision and its review."""
    review = by_tool.review
    call = approvals.call(review.id, review.revision + 1, by_tool.key)
    purpose = "over HTTP, the key of an approval by tool with another revision"
    response = toolbox.live.callers.send(call, scheme=toolbox.scheme, purpose=purpose)
    approvals.reader.require_found(response, by_tool.after)
    expect.status(response, *conflict(review.revision + 1))
    if not approvals.pool.can_spare():
        return
    transfer = transferred(approvals, by_tool)
    expect.clear(transfer.response)
    otherwise = of_status(
        transfer.response,
        "over HTTP, the key of an approval by tool for another review: {response}",
        expected="409, or 200 that approves the other review",
    )
    expect.that(transfer.conforms, otherwise, transfer.response, transfer.after)


def _check_result_by_tool(review: Review, first: ToolResult) -> None:
    """Violation where the result is of another review, or says another status than `approved`."""
    places = dict.fromkeys(("id", "status"), first.where)
    for data in first.shown:
        result = data if isinstance(data, dict) else {}
        check_is_approval_of(review.id, result, "the result by tool", places, first.exchange)


def _check_replay_by_tool(
    toolbox: Toolbox, operation: Operation, approvals: Approvals, trials: Trials
) -> None:
    """A replay by tool of an approval over HTTP returns its result."""
    trial = trials.by(toolbox.scheme)
    arguments = arguments_of_approval(trial.review.id, trial.review.revision, trial.key)
    purpose = "replay by tool an approval over HTTP"
    replay = toolbox.call_until_served(operation, arguments, purpose)
    if not replay.is_served:
        _require_replay_over_http(trial, approvals)
    first = trial.approval.data
    _check_same_result(first, data_of(replay), toolbox, trial.approval, replay.exchange)
    newer = arguments_of_approval(trial.review.id, ahead(trial.review.revision), trial.key)
    purpose = "by tool, the key of an approval over HTTP with another revision"
    check_rejected(toolbox.call_as_primary(operation, newer, purpose))


def _require_replay_over_http(trial: Trial, approvals: Approvals) -> None:
    """Inconclusive where HTTP no longer replays it either, which approval/replay shows.

    Time has passed since its last replay, so that the interface need not be the reason.
    """
    approvals.reader.require_found(approvals.reader.read(trial.review.id), trial.after)
    purpose = "replay over HTTP, after the tool did not"
    again = approvals.approve(trial.review, trial.key, scheme=trial.scheme, purpose=purpose)
    if again.status != 200:
        raise Inconclusive("HTTP does not replay the approval either", exchanges=[again.id])


def _check_same_result(
    over_http: object, by_tool: object, toolbox: Toolbox, *evidence: Exchange
) -> None:
    """Raise Violation where HTTP and tool return different results of one approval."""
    contract = toolbox.live.session.contract
    if over_http is MISSING or is_same_by_tool(by_tool, over_http, contract):
        return
    otherwise = defect(
        Kind.DIFFERENCE,
        "a replay returned another result by tool than over HTTP: {by_tool}",
        expected=shown(over_http),
        actual=by_tool,
        by_tool=shown(by_tool),
    )
    expect.violated(otherwise, *evidence)


def _check_stale_by_tool(
    review: Review, toolbox: Toolbox, operation: Operation, approvals: Approvals, trials: Trials
) -> Review:
    """An approval by tool at another revision is rejected; the review to go on with."""
    made = {label: (stale(review.revision), at(review.id)) for label, (stale, at) in STALE.items()}
    calls = {
        f"{label}, by tool": arguments_of_approval(
            id, revision, approvals.key(review.id, f"{label}, by tool")
        )
        for label, (revision, id) in made.items()
    }
    results = toolbox.call_all_as_primary(operation, calls)
    for (revision, _), result in zip(made.values(), results, strict=True):
        if not result.is_rejected and _is_overtaken(review.id, revision, approvals, trials):
            return approvals.pool.take()
        check_rejected(result)
    call = approvals.call(review.id, review.revision, approvals.key(review.id, "by tool"))
    check_without_effect(call, operation, approvals, trials)
    return review


def _is_overtaken(id: str, sent: float, approvals: Approvals, trials: Trials) -> bool:
    """Whether others made the revision that a stale approval expected."""
    current = shown_revision(approvals.reader.read(id))
    is_made = isinstance(current, int | float) and current >= sent
    return is_made and trials.are_subjects_revised


def _next_approved_and_watched(
    toolbox: Toolbox, operation: Operation, approvals: Approvals
) -> tuple[tuple[Review, str, ToolResult], Mapping[str, Exchange]]:
    """Approve the review of the pool that has the most pending reviews beside it in the list."""
    review = approvals.pool.take(pending_beside(approvals.reader.listed()))
    return _approved_and_watched(review, toolbox, operation, approvals)


def _approved_by_another_scheme(
    toolbox: Toolbox, operation: Operation, approvals: Approvals, trials: Trials
) -> tuple[ToolResult, Mapping[str, Exchange]]:
    """The same, by another scheme that the tools accept; Violation where it is rejected.

    Primary may have to approve by this one; a review that a scheme does not reach is none of its
    own.
    """
    by_another = toolbox.by_another_scheme()
    other = by_another if by_another.scheme in trials.schemes else toolbox
    (review, _, result), also = _next_approved_and_watched(other, operation, approvals)
    if result.is_served or approvals.reader.read(review.id, other.scheme).status != 404:
        data_of(result)
    return result, also


def _approved_and_watched(
    review: Review, toolbox: Toolbox, operation: Operation, approvals: Approvals
) -> tuple[tuple[Review, str, ToolResult], Mapping[str, Exchange]]:
    """Approve a review by tool; also the pages that show another one approved since, by its id."""
    before = pages_of_reviews(toolbox.live)
    approved = _approved_by_tool(review, toolbox, operation, approvals)
    after = pages_of_reviews(toolbox.live)
    # A list may show an earlier approval of this run only now.
    own = toolbox.live.session.approved
    own.add(approved[0].id.lower())
    also = {
        id: page
        for earlier, page in zip(before, after, strict=False)
        for id in newly_approved(earlier, page)
        if id.lower() not in own
    }
    return approved, also


def _approved_by_tool(
    review: Review, toolbox: Toolbox, operation: Operation, approvals: Approvals
) -> tuple[Review, str, ToolResult]:
    """Approve a review by tool; once more where another client has revised it.

    The result is the review, its key and the response.
    """
    for number in range(MOST_REVISIONS):
        label = f"by tool, at another revision {number}" if number else "by tool"
        key = approvals.key(review.id, label)
        approvals.record(review.id, review.revision, key)
        arguments = arguments_of_approval(review.id, review.revision, key)
        result = toolbox.call_until_served(operation, arguments, "approve by tool")
        latest = approvals.reader.revised(review) if result.is_rejected else None
        if latest is None:
            break
        review = latest
    else:
        Trials(toolbox.live.session, toolbox.live, approvals).require_unrevised(result.exchange)
    return review, key, result
