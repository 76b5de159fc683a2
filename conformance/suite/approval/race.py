"""Approvals of one review that are sent at once (States and transitions)."""

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Exchange
from conformance.http.retry import is_transient, is_unavailable, retry_after
from conformance.http.sending import Sending
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import Review
from conformance.suite.callers import expect
from conformance.suite.lists.live import Live

AT_ONCE = 8
FEWEST = 2
MOST_RACES = 3
LONGEST_WAIT = 90.0
ASKING_TO_WAIT = frozenset({429, 503})


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
        final = _after_waiting(live, sent)
        # Where the rate limit is low, those within it make a race of their own.
        responses = [each for each in final if each.status != 429]
        spoiling = _spoiling(sent, responses)
        if not spoiling and not _is_overtaken(approvals, review, responses):
            break
    for response in spoiling:
        expect.clear(response)
    return Race(review, tuple(responses))


def _spoiling(sent: Sequence[Exchange], responses: Sequence[Exchange]) -> list[Exchange]:
    """The responses that spoil a race: to too few requests, or transient errors."""
    if len(responses) < FEWEST:
        return list(sent)
    failed = [each for each in responses if is_transient(each)]
    if failed or any(each.status == 200 for each in responses):
        return failed
    # A key may be unusable after a transient error: then no request could succeed.
    return [each for each in sent if is_unavailable(each)]


def _after_waiting(live: Live, sent: Sequence[Exchange]) -> list[Exchange]:
    """The responses; where some ask to wait, those to the same requests after that time.

    A target may do so with requests that lose a race.
    """
    waits = [_seconds_to_wait(response) for response in sent]
    longest = max((seconds for seconds in waits if seconds is not None), default=None)
    if longest is None:
        return list(sent)
    live.session.transport.wait(longest)
    return [
        response if seconds is None else live.session.client.send(response.call, _sending(live))
        for response, seconds in zip(sent, waits, strict=True)
    ]


def _seconds_to_wait(response: Exchange) -> float | None:
    """The time that a 429 or 503 asks to wait; None where there is none, or too long a time."""
    if response.response is None or response.status not in ASKING_TO_WAIT:
        return None
    seconds = retry_after(response.response)
    return seconds if seconds is not None and seconds <= LONGEST_WAIT else None


def _is_overtaken(approvals: Approvals, review: Review, responses: Sequence[Exchange]) -> bool:
    """Whether somebody else made another revision before the race."""
    all_conflict = {response.status for response in responses} == {409}
    return all_conflict and approvals.reader.revised(review) is not None


def _sent_at_once(
    live: Live, approvals: Approvals, review: Review, labels: Sequence[str]
) -> list[Exchange]:
    """Send approvals at once, each on a connection of its own and without retries."""
    keys = [approvals.key(review.id, label) for label in labels]
    approvals.record(review.id, review.revision, keys[0])
    calls = [approvals.call(review.id, review.revision, key) for key in keys]
    return live.session.client.send_all(calls, [_sending(live)] * len(calls), together=True)


def _sending(live: Live) -> Sending:
    primary = live.callers.credential("primary")
    return Sending(primary, primary.schemes[0], "approvals at once", patient=False)
