"""Approvals at once: those of one review make one approval (States and transitions)."""

from conformance.contract.verdict import Kind, NotApplicable, defect
from conformance.http.exchange import Exchange
from conformance.rules.judgement import shown
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import ON_APPROVED
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.approval.race import AT_ONCE, Race, race
from conformance.suite.approval.result import (
    check_not_in_former_state,
    check_replay,
    check_shows_approved,
    result_of,
)
from conformance.suite.approval.review import place
from conformance.suite.approval.side_by_side import Approved, side_by_side
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.lists.records import alike


@requirement("approval/one-key-at-once")
def test_one_approval_many_times_at_once_is_made_once(
    live: Live, approvals: Approvals, preconditions: Preconditions
) -> None:
    """At least one request succeeds, all that succeed return one result, and so does a replay."""
    preconditions.check()
    raced = race(live, approvals, ["one key at once"] * AT_ONCE)
    for response in raced.responses:
        expect.status(response, 200, 409)
    winner = _winner(raced)
    _check_one_result(raced, winner)
    purpose = "a replay after the race"
    replay = approvals.approve(raced.review, raced.keys[0], scheme=winner.scheme, purpose=purpose)
    expect.status(replay, 200)
    check_replay(replay, winner)
    check_not_in_former_state(raced.review, approvals.reader.read_approved(raced.review))


@requirement("approval/many-keys-at-once")
def test_many_approvals_at_once_leave_one_state(
    live: Live, approvals: Approvals, preconditions: Preconditions
) -> None:
    """At least one request succeeds; the others return what is allowed on an approved review."""
    preconditions.check()
    raced = race(live, approvals, [f"many keys at once {n}" for n in range(AT_ONCE)])
    for response in raced.responses:
        expect.status(response, *ON_APPROVED)
    _winner(raced)
    check_not_in_former_state(raced.review, approvals.reader.read_approved(raced.review))


@requirement("approval/result-status")
def test_results_of_two_reviews_at_once_are_their_own(
    live: Live, preconditions: Preconditions
) -> None:
    """Each result is that of the review that its request names."""
    for approved in _side_by_side(live, preconditions):
        for response in approved.successes:
            check_shows_approved(approved.review, response)


@requirement("approval/state")
def test_two_reviews_approved_at_once_are_both_approved(
    live: Live, preconditions: Preconditions
) -> None:
    """An approval that succeeds beside that of another review approves its own one."""
    for approved in _side_by_side(live, preconditions):
        if approved.successes:
            check_not_in_former_state(approved.review, approved.after, approved.successes[0])


def _side_by_side(live: Live, preconditions: Preconditions) -> tuple[Approved, ...]:
    """The reviews; NotApplicable where single approvals have a defect, which others report."""
    if preconditions.defects:
        raise NotApplicable("single approvals already have a defect")
    return side_by_side(live)


def _winner(raced: Race) -> Exchange:
    """The first response that succeeded. Raises Violation where there is none."""
    if raced.winner is None:
        otherwise = defect(
            Kind.STATUS, "no approval at once succeeded", expected="at least one 200"
        )
        expect.violated(otherwise, *raced.responses[:1])
    return raced.winner


def _check_one_result(raced: Race, winner: Exchange) -> None:
    first = result_of(winner)
    for response in raced.responses:
        if response.status == 200:
            result = result_of(response)
            otherwise = defect(
                Kind.DIFFERENCE,
                "approvals at once with one key returned several results: {result}",
                expected=shown(first),
                actual=result,
                result=shown(result),
            )
            is_same = alike(result, first)
            expect.that(is_same, otherwise.at(place(response)), winner, response)
