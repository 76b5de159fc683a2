"""Approvals at once: those of one review make one approval (States and transitions)."""

from collections import Counter
from collections.abc import Collection

from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Exchange
from conformance.rules.attempt import is_same_result
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import ON_APPROVED, conflict
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.approval.race import AT_ONCE, Race, one_key_race, race
from conformance.suite.approval.result import (
    check_not_in_former_state,
    check_replay,
    result_of,
    several_results,
)
from conformance.suite.approval.review import record_of
from conformance.suite.approval.side_by_side import Approved, side_by_side
from conformance.suite.approval.trial import revision_sent
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

FURTHER = ("", ", again", ", once more")
"""Races with a key each, of which the first one is enough where one request succeeds."""


@requirement("approval/one-key-at-once", observes="observe/races")
def test_one_approval_many_times_at_once_is_made_once(
    live: Live, approvals: Approvals, preconditions: Preconditions
) -> None:
    """At least one request succeeds, all that succeed return one result, and so does a replay."""
    preconditions.check()
    raced = one_key_race(live)
    _observe(live, "one key at once", raced)
    for response in raced.responses:
        expect.status(response, 200, 409)
    winner = _winner(raced)
    _check_one_result(raced, winner)
    purpose = "a replay after the race"
    replay = approvals.approve(raced.review, raced.keys[0], scheme=winner.scheme, purpose=purpose)
    expect.status(replay, 200)
    check_replay(replay, winner)
    check_not_in_former_state(raced.review, approvals.reader.read_approved(raced.review))


@requirement("approval/many-keys-at-once", observes="observe/races")
def test_many_approvals_at_once_leave_one_state(
    live: Live, approvals: Approvals, preconditions: Preconditions
) -> None:
    """At least one request succeeds; the others return what is allowed on an approved review.

    Where several succeed, the last one decides on the state, which differs from race to race.
    """
    preconditions.check()
    for further in FURTHER:
        raced = race(live, approvals, [f"many keys at once{further} {n}" for n in range(AT_ONCE)])
        _observe(live, "a key each at once", raced)
        for response in raced.responses:
            expect.status(response, *ON_APPROVED)
        _winner(raced)
        check_not_in_former_state(raced.review, approvals.reader.read_approved(raced.review))
        has_several = sum(response.status == 200 for response in raced.responses) > 1
        if not has_several or not approvals.pool.can_spare():
            return


@requirement("approval/key-other-revision")
def test_one_key_with_two_revisions_at_once_is_a_conflict(
    live: Live, approvals: Approvals, preconditions: Preconditions
) -> None:
    """A request with another revision does not get the result of the one that it overlaps."""
    _require_plain_approvals(live, preconditions)
    if live.session.connections == 1 or not approvals.pool.can_spare():
        raise NotApplicable("the profile allows no race, or has few reviews")
    behind = [number % 2 for number in range(AT_ONCE)]  # a lower one never becomes the current one
    try:
        raced = race(live, approvals, ["one key, two revisions"] * AT_ONCE, behind)
    except Inconclusive as reason:
        raise NotApplicable("the race was disturbed by others") from reason
    for response in raced.responses:
        stated = revision_sent(response)
        is_current = stated == raced.review.revision
        expect.status(
            response,
            *(ON_APPROVED if is_current else conflict(stated)),
            because="one key with two revisions at once",
        )


@requirement("approval/result-status")
def test_results_of_two_reviews_at_once_are_their_own(
    live: Live, preconditions: Preconditions
) -> None:
    """Each result is that of the review that its request names."""
    _require_plain_approvals(live, preconditions)
    _check_results(side_by_side(live, one_key=False))


@requirement("approval/state")
def test_two_reviews_approved_at_once_are_both_approved(
    live: Live, preconditions: Preconditions
) -> None:
    """An approval that succeeds beside that of another review approves its own one."""
    _require_plain_approvals(live, preconditions)
    for approved in side_by_side(live, one_key=False):
        _check_approved(approved)


@requirement("approval/replay")
def test_two_reviews_approved_at_once_keep_their_results(
    live: Live, approvals: Approvals, preconditions: Preconditions
) -> None:
    """The record of one key takes nothing from that of another, nor of the same for another review.

    Where one key approved two reviews, it is one of each of them. Where the results are not those
    of their reviews, or differ, other checks report that.
    """
    _require_plain_approvals(live, preconditions)
    both = [*side_by_side(live, one_key=False), *side_by_side(live, one_key=True)]
    scheme, purpose = live.callers.credential("primary").schemes[0], "a replay after two at once"
    for approved in filter(_has_one_result, both):
        # Of one key, either review may be approved: the same is sent whichever it is.
        replay = approvals.approve(approved.review, approved.key, scheme=scheme, purpose=purpose)
        for first in approved.successes[:1]:
            approvals.reader.require_found(replay, approved.after)
            expect.status(replay, 200, before=first)
            check_replay(replay, first)


@requirement("approval/key-other-review", observes="observe/races")
def test_one_key_for_two_reviews_at_once_is_a_conflict_or_an_approval(
    live: Live, preconditions: Preconditions
) -> None:
    """A request that succeeds approves the review that it names, and has its result."""
    _require_plain_approvals(live, preconditions)
    both = side_by_side(live, one_key=True)
    outcome = f"{sum(bool(each.successes) for each in both)} of {len(both)} approved"
    shown = next(iter(success for each in both for success in each.successes), None)
    live.session.observe("observe/races", "one key for two reviews", outcome, shown)
    _check_results(both)
    for approved in both:
        _check_approved(approved)


def _require_plain_approvals(live: Live, preconditions: Preconditions) -> None:
    """NotApplicable where plainer approvals have a defect or cannot be tried, as others report.

    Those are single ones, and the same one many times at once.
    """
    try:
        has_defect = bool(preconditions.defects) or not _is_one_approval(one_key_race(live))
    except Inconclusive as reason:
        raise NotApplicable("plainer approvals could not be tried") from reason
    if has_defect:
        raise NotApplicable("plainer approvals already have a defect")


def _is_one_approval(raced: Race) -> bool:
    """Whether requests that are all the same had one result, or a conflict with it."""
    are_allowed = {each.status for each in raced.responses} <= {200, 409}
    results = [each.data for each in raced.responses if each.status == 200]
    return (
        are_allowed and any(results) and all(is_same_result(each, results[0]) for each in results)
    )


def _check_results(both: Collection[Approved]) -> None:
    """Violation where a success has the result of the other review."""
    reviews = {approved.review.id.lower() for approved in both}
    for approved in both:
        others = reviews - {approved.review.id.lower()}
        for response in approved.successes:
            id = record_of(response).get("id")
            otherwise = defect(
                Kind.FOREIGN,
                "an approval beside that of another review returned the result of the other",
                expected=approved.review.id,
                actual=id,
            ).on("id")
            is_own = str(id).lower() not in others
            expect.that(is_own, otherwise.at(in_data(response, "id")), response)


def _has_one_result(approved: Approved) -> bool:
    """Whether all that succeeded returned one result, if any did, which names the review."""
    results = [record_of(each) for each in approved.successes]
    own = approved.review.id.lower()
    return all(
        is_same_result(each, results[0]) and str(each.get("id", own)).lower() == own
        for each in results
    )


def _check_approved(approved: Approved) -> None:
    if approved.successes:
        check_not_in_former_state(approved.review, approved.after, approved.successes[0])


def _observe(live: Live, subject: str, raced: Race) -> None:
    """Say what the requests of a race returned: 200 for all, or a conflict for most."""
    counted = Counter(response.describe() for response in raced.responses)
    outcome = ", ".join(f"{number} × {returned}" for returned, number in sorted(counted.items()))
    live.session.observe("observe/races", subject, outcome, *raced.responses[:1])


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
            otherwise = several_results(first, result)
            is_same = is_same_result(result, first)
            expect.that(is_same, otherwise.at(in_data(response)), winner, response)
