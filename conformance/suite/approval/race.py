"""Approvals of one review that are sent at once (States and transitions)."""

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Exchange
from conformance.http.retry import TRANSIENT
from conformance.http.sending import Sending
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import Review
from conformance.suite.callers import expect
from conformance.suite.lists.live import Live

AT_ONCE = 8
FEWEST = 2
"""Requests that make a race; those that were rejected for their rate took no part."""
MOST_RACES = 3


@dataclass(frozen=True)
class Race:
    """The review, and the responses to the requests that took part."""

    review: Review
    responses: tuple[Exchange, ...]

    @property
    def winner(self) -> Exchange | None:
        """The first response that succeeded."""
        return next((each for each in self.responses if each.status == 200), None)


def race(live: Live, approvals: Approvals, labels: Sequence[str]) -> Race:
    """Approve one review at once, with a key for each label.

    Transient errors, or somebody else's revision, spoil a race: then another review is taken.
    Raises Inconclusive where that is so each time, or where the profile allows no race.
    """
    if live.session.connections == 1:
        raise Inconclusive(
            "the profile allows one request at a time", needs=("limits.connections",)
        )
    for _ in range(MOST_RACES):
        review = approvals.pool.take()
        sent = _sent_at_once(live, approvals, review, labels)
        responses = [each for each in sent if each.status != 429]
        failed = [each for each in responses if each.response is None or each.status in TRANSIENT]
        is_race = len(responses) >= FEWEST
        if is_race and not failed and not _is_overtaken(approvals, review, responses):
            return Race(review, tuple(responses))
    for response in failed if is_race else sent:
        expect.clear(response)
    return Race(review, tuple(responses))


def _is_overtaken(approvals: Approvals, review: Review, responses: Sequence[Exchange]) -> bool:
    """Whether somebody else made another revision before the race."""
    all_conflict = {response.status for response in responses} == {409}
    return all_conflict and approvals.reader.revised(review) is not None


def _sent_at_once(
    live: Live, approvals: Approvals, review: Review, labels: Sequence[str]
) -> list[Exchange]:
    """Send approvals at once, each on a connection of its own and without retries."""
    primary = live.credential("primary")
    keys = [approvals.key(review.id, label) for label in labels]
    approvals.record(review.id, review.revision, keys[0])
    calls = [approvals.call(review.id, review.revision, key) for key in keys]
    sending = Sending(primary, primary.schemes[0], f"{len(calls)} at once", patient=False)
    return live.session.client.send_all(calls, [sending] * len(calls), together=True)
