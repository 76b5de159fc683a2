"""Approvals of two reviews in the same moment: each is one of its own (States and transitions)."""

from dataclasses import dataclass

from conformance.contract.verdict import NotApplicable
from conformance.http.exchange import Exchange
from conformance.http.retry import is_transient, is_unavailable
from conformance.http.sending import Sending
from conformance.runner.facts import fact_name
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import Review
from conformance.suite.lists.live import Live

REVIEWS = 2
OF_EACH = 4
"""Requests for each review, with one key."""


@dataclass(frozen=True)
class Approved:
    """One of the reviews, the responses that succeeded, and the review as it reads afterwards."""

    review: Review
    successes: tuple[Exchange, ...]
    after: Exchange


def side_by_side(live: Live) -> tuple[Approved, ...]:
    """The reviews that were approved beside each other: a fact of the run.

    Raises NotApplicable where reviews or connections are few, or where others disturb the race.
    """
    return live.fact(fact_name("side-by-side"), _side_by_side)


def _side_by_side(live: Live) -> tuple[Approved, ...]:
    approvals = Approvals(live.session, live)
    reviews = _taken(live, approvals)
    responses = _sent(reviews, live, approvals)
    approved = tuple(
        _approved(review, responses[place::REVIEWS], approvals)
        for place, review in enumerate(reviews)
    )
    if any(is_transient(each) or is_unavailable(each) for each in responses):
        raise NotApplicable("the race was disturbed by others")
    return approved


def _taken(live: Live, approvals: Approvals) -> list[Review]:
    if live.session.connections == 1 or not approvals.pool.can_spare(REVIEWS):
        raise NotApplicable("the profile allows no race, or has few reviews")
    reviews = approvals.pool.take_up_to(REVIEWS)
    if len(reviews) < REVIEWS:
        for review in reviews:
            approvals.pool.give_back(review)
        raise NotApplicable("the reviews are left to other checks")
    return reviews


def _sent(reviews: list[Review], live: Live, approvals: Approvals) -> list[Exchange]:
    """The responses to the requests for the reviews, in turn."""
    primary, calls = live.callers.credential("primary"), []
    for review in reviews:
        key = approvals.key(review.id, "side by side")
        approvals.record(review.id, review.revision, key)
        calls.append(approvals.call(review.id, review.revision, key))
    sending = Sending(
        primary, primary.schemes[0], "approvals of two reviews at once", patient=False
    )
    return live.session.client.send_all(
        calls * OF_EACH, [sending] * len(calls) * OF_EACH, together=True
    )


def _approved(review: Review, responses: list[Exchange], approvals: Approvals) -> Approved:
    successes = tuple(response for response in responses if response.status == 200)
    reader = approvals.reader
    after = reader.read_approved(review) if successes else reader.read(review.id)
    if not approvals.is_spent(review, after):
        approvals.pool.give_back(review)
    return Approved(review, successes, after)
