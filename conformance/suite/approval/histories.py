"""Histories: sequences of approvals that the seed chooses, each on reviews of its own."""

import random
from collections.abc import Iterable
from collections.abc import Sequence as Ordered
from functools import partial
from typing import NamedTuple

from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.bystanders import TIES
from conformance.suite.approval.review import Review
from conformance.suite.approval.sequence import Sequence
from conformance.suite.approval.trials import Trials
from conformance.suite.lists.live import Live

REVIEWS = 2
"""The reviews of one history, while the pool lasts."""
STEPS = 20
KEYS = 4
DIFFERENCES = (0, 0, 0, 1, -1)


class Step(NamedTuple):
    """The numbers of a review and of a key, and how far off the expected revision is."""

    review: int
    key: int
    difference: int


OPENING = (
    Step(0, 0, 1), Step(0, 0, 0), Step(0, 0, 0), Step(0, 1, 0),
    Step(1, 2, -1), Step(1, 0, 0), Step(1, 1, 0), Step(1, 3, 0),
)  # fmt: skip
"""The first steps of the first history.

On one review stale, right, a replay, a new key; on another one stale, both used keys, a new key.
"""


def perform(live: Live, approvals: Approvals) -> None:
    """Perform the histories side by side, each a fact of the run; raise the first problem of any.

    Their reviews are reserved beforehand. Raises Inconclusive where no review is left.
    """
    session = live.session
    reserved = approvals.pool.take_up_to(REVIEWS * session.depth.sequences)
    wanted = {
        fact_name("history", number): partial(_perform, steps(session.seed, number), reviews)
        for number, reviews in enumerate(apart(reserved))
    }
    session.find_all(wanted)
    for name, find in wanted.items():
        session.fact(name, find)


def apart(reviews: Iterable[Review]) -> list[list[Review]]:
    """The reviews of each history.

    Reviews of one subject go into the same one, since the approval of one may revise the others.
    """
    groups: list[list[Review]] = []
    by_subject: dict[object, list[Review]] = {}
    for review in reviews:
        group = by_subject.get(_subject(review))
        if group is None:
            if not groups or len(groups[-1]) >= REVIEWS:
                groups.append([])
            group = by_subject[_subject(review)] = groups[-1]
        group.append(review)
    return groups


def _subject(review: Review) -> object:
    """What may tie a review to others: its subject, or what the review shows instead."""
    return next((review.record[tie] for tie in TIES if tie in review.record), None)


def steps(seed: int, number: int) -> list[Step]:
    """The steps of a history."""
    chosen = random.Random(f"{seed}:history {number}")
    begun = [] if number else list(OPENING)
    return begun + [
        Step(chosen.randrange(REVIEWS), chosen.randrange(KEYS), chosen.choice(DIFFERENCES))
        for _ in range(STEPS - len(begun))
    ]


def _perform(steps: Ordered[Step], reviews: Ordered[Review], own: Context) -> None:
    live = Live(own)
    approvals = Approvals(own, live)
    sequence = Sequence(live, approvals, Trials(own, live, approvals), reviews)
    for step in steps:
        sequence.step(*step)
