"""Approvals of one review that are sent at once (States and transitions)."""

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Exchange
from conformance.http.retry import is_transient, is_unavailable, retry_after
from conformance.http.sending import Sending
from conformance.suite.approval.approvals import MOST_REVISIONS, Approvals
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
    """The review, the keys, and the responses to the requests that took part.

    `spoiling` are the responses because of which it shows nothing.
    """

    review: Review
    keys: tuple[str, ...]
    responses: tuple[Exchange, ...]
    spoiling: tuple[Exchange, ...] = ()

    @property
    def winner(self) -> Exchange | None:
        """The first response that succeeded."""
        return next((each for each in self.responses if each.status == 200), None)


def one_key_race(live: Live) -> Race:
    """A race of requests that are all the same, with one key: a fact of the run."""

    def find(live: Live) -> Race:
        return race(live, Approvals(live.session, live), ["one key at once"] * AT_ONCE)

    return live.fact("one-key-race", find)


def race(
    live: Live, approvals: Approvals, labels: Sequence[str], behind: Sequence[int] = ()
) -> Race:
    """Approve one review at once, with a key for each label.

    `behind` has how far the revision of each request is behind the current one: by default, not.

    Another review is raced for where transient errors spoil a race. Raises Inconclusive where that
    is so each time, where others revise the subject each time, or where the profile allows no race.
    """
    if live.session.connections == 1:
        raise Inconclusive(
            "the profile allows one request at a time", needs=("limits.connections",)
        )
    for _ in range(MOST_RACES):
        raced = _race_at_current_revision(live, approvals, labels, behind or [0] * len(labels))
        if not raced.spoiling:
            return raced
    for response in raced.spoiling:
        expect.clear(response)
    return raced


def _race_at_current_revision(
    live: Live, approvals: Approvals, labels: Sequence[str], behind: Sequence[int]
) -> Race:
    """Race for one review; once more where others have revised its subject meanwhile."""
    review = approvals.pool.take()
    for number in range(MOST_REVISIONS):
        suffix = f" at another revision {number}" if number else ""
        keys = tuple(approvals.key(review.id, f"{label}{suffix}") for label in labels)
        revisions = [review.revision - difference for difference in behind]
        raced = _race_once(live, approvals, review, list(zip(revisions, keys, strict=True)))
        latest = _revised(approvals, raced)
        if latest is None:
            return raced
        review = latest
    raise Inconclusive(
        "others revised the subject before each race",
        needs=("a review whose subject is not revised",),
        exchanges=[response.id for response in raced.responses],
    )


def _revised(approvals: Approvals, raced: Race) -> Review | None:
    """The review at the revision that others made before the race, where that is why all failed."""
    all_conflict = {response.status for response in raced.responses} == {409}
    return approvals.reader.revised(raced.review) if all_conflict else None


def _race_once(
    live: Live, approvals: Approvals, review: Review, guards: Sequence[tuple[int, str]]
) -> Race:
    """Approve a review at once, each on a connection of its own and without retries.

    `guards` are the revision and the key of each request.
    """
    keys = tuple(key for _, key in guards)
    approvals.record(review.id, review.revision, keys[0])
    calls = [approvals.call(review.id, *guard) for guard in guards]
    client = live.session.client
    exchanges = client.send_all(calls, [_sending(live)] * len(calls), together=True)
    final = _after_waiting(live, exchanges)
    # Where the rate limit is low, those within it make a race of their own.
    responses = tuple(each for each in final if each.status != 429)
    return Race(review, keys, responses, tuple(_spoiling(exchanges, responses)))


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


def _sending(live: Live) -> Sending:
    primary = live.callers.credential("primary")
    return Sending(primary, primary.schemes[0], "approvals at once", patient=False)
