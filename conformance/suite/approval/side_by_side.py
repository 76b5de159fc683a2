"""Approvals of two reviews in the same moment: each is one of its own (States and transitions).

With a key each, of two reviews as close as there are: the approval of one may undo that of another.
With one key for both, one may be a conflict, and none has the result of the other.
"""

from dataclasses import dataclass
from functools import partial
from itertools import combinations

from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Exchange
from conformance.http.retry import is_transient, is_unavailable
from conformance.http.sending import Sending
from conformance.runner.facts import fact_name
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.bystanders import TIES
from conformance.suite.approval.review import Record, Review
from conformance.suite.lists.live import Live

REVIEWS = 2
OF_EACH = 4
"""Requests for each review, all with its key."""


@dataclass(frozen=True)
class Approved:
    """One of the reviews with its key, what succeeded, and the review as it reads afterwards."""

    review: Review
    key: str
    successes: tuple[Exchange, ...]
    after: Exchange


def side_by_side(live: Live, *, one_key: bool) -> tuple[Approved, ...]:
    """The reviews that were approved beside each other: a fact of the run.

    Raises NotApplicable where reviews or connections are few, or where others disturb the race.
    """
    name = fact_name("side-by-side", "one-key" if one_key else "own-keys")
    return live.fact(name, partial(_side_by_side, one_key=one_key))


def _side_by_side(live: Live, *, one_key: bool) -> tuple[Approved, ...]:
    approvals = Approvals(live.session, live)
    if live.session.connections == 1 or not approvals.pool.can_spare(REVIEWS):
        raise NotApplicable("the profile allows no race, or has few reviews")
    reviews = _closest(approvals)
    if one_key:
        keys = [approvals.key(reviews[0].id, "one key side by side")] * REVIEWS
    else:
        keys = [approvals.key(review.id, "side by side") for review in reviews]
    responses = _sent(list(zip(reviews, keys, strict=True)), live, approvals)
    approved = tuple(
        _approved(*keyed, responses[place::REVIEWS], approvals)
        for place, keyed in enumerate(zip(reviews, keys, strict=True))
    )
    if any(is_transient(each) or is_unavailable(each) for each in responses):
        raise NotApplicable("the race was disturbed by others")
    return approved


def _closest(approvals: Approvals) -> list[Review]:
    """Two reviews of the pool, of one subject, video or project if there are such."""
    records = {record["id"].lower(): record for record in approvals.reader.listed()}
    pool = [records.get(id.lower(), {}) for id in approvals.pool.ids]
    nothing_known: tuple[Record, ...] = ({},) * REVIEWS  # a command makes the reviews
    pairs = combinations(pool, REVIEWS)
    pair = max(pairs, key=lambda pair: _closeness(*pair), default=nothing_known)
    taken: list[Review] = []
    try:
        for record in pair:
            taken.append(approvals.pool.take(partial(_closeness, record)))
    except Inconclusive as reason:
        for review in taken:
            approvals.pool.give_back(review)
        raise NotApplicable("the reviews are left to other checks") from reason
    return taken


def _closeness(one: Record, other: Record) -> int:
    """How closely two reviews are tied, by what they show; most where they are one."""
    tied = [name in one and one[name] == other.get(name) for name in ("id", *TIES)]
    return len(tied) - tied.index(True) if True in tied else 0


def _sent(keyed: list[tuple[Review, str]], live: Live, approvals: Approvals) -> list[Exchange]:
    """The responses to the requests for the reviews, in turn."""
    primary, calls = live.callers.credential("primary"), []
    for review, key in keyed:
        approvals.record(review.id, review.revision, key)
        calls.append(approvals.call(review.id, review.revision, key))
    purpose = "approvals of two reviews at once"
    sending = Sending(primary, primary.schemes[0], purpose, patient=False)
    requests = calls * OF_EACH
    return live.session.client.send_all(requests, [sending] * len(requests), together=True)


def _approved(
    review: Review, key: str, responses: list[Exchange], approvals: Approvals
) -> Approved:
    successes = tuple(response for response in responses if response.status == 200)
    reader = approvals.reader
    after = reader.read_approved(review) if successes else reader.read(review.id)
    if not approvals.is_spent(review, after):
        approvals.pool.give_back(review)
    return Approved(review, key, successes, after)
