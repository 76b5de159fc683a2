"""The limit of the size of request bodies (Limits)."""

from dataclasses import replace

from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Exchange
from conformance.http.retry import is_unavailable
from conformance.http.sending import Sending
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import is_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

LARGEST_PROBE = 16 * 1024 * 1024
FAR = 2 * LARGEST_PROBE
"""Bytes beyond which one body past the limit has to do: larger ones fill memories, and take too long on most networks."""
FIRST_PROBE = 256 * 1024


@requirement("limits/body")
def test_a_body_past_the_limit_is_too_large(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Just past the limit and far past it, with the length announced and without, and not within it."""
    target = live.session.target
    if not target.consent.oversized_bodies:
        raise Inconclusive(
            "sending oversized bodies here has not been consented to",
            needs=("consent.oversized-bodies",),
        )
    bodies = Bodies(live, approvals, trials)
    limit = target.limits.max_body_bytes
    if limit is None:
        _grow(bodies)
        return
    for size in (limit // 2, limit):
        fits = bodies.stale(size)
        expect.that(
            fits.status != 413,
            defect(
                Kind.UNSORTED,
                f"a body of {size} bytes, within the limit of {limit}: {fits.describe()}",
                expected="no 413",
            ),
            fits,
        )
    ways = (False, True) if bodies.may_be_streamed() else (False,)
    was_approved = bodies.is_approved()
    for size in (limit + 1, *(size for size in (limit * 2, limit * 4) if size <= FAR)):
        for stream in ways:
            bodies.too_large(bodies.right(size, stream=stream))
    told = "413, and the review is approved"
    expect.that(
        was_approved or not bodies.is_approved(),
        defect(Kind.UNSORTED, told, expected="the review stays as it was"),
        bodies.read,
    )


class Bodies:
    """Approvals that are right, or stale, but for their size; padded with blanks, so that the size is their only fault."""

    read: Exchange

    def __init__(self, live: Live, approvals: Approvals, trials: Trials) -> None:
        self._live = live
        self._approvals = approvals
        if live.session.target.consent.approve_reviews:
            trials.baseline()
        # Without consent to approve, or a review for it, an id of nothing stands in; what is then refused for another reason says nothing.
        self._id, self._revision = live.made_up("oversized"), 1
        self._missing: Inconclusive | None = None
        try:
            review = approvals.pool.pending()
            self._id, self._revision = review.id, review.revision
        except Inconclusive as problem:
            self._missing = problem

    def stale(self, size: int) -> Exchange:
        """A body that will be refused for its revision at the latest."""
        return self._send(self._revision + 1, size, f"a stale body of {size} bytes")

    def right(self, size: int, *, stream: bool = False) -> Exchange:
        """A body that nothing but its size speaks against."""
        how = "without its length" if stream else "with its length"
        return self._send(self._revision, size, f"a body of {size} bytes {how}", stream=stream)

    def may_be_streamed(self) -> bool:
        """Whether a small body is answered alike with and without its length: a server may insist on one."""
        streamed = self._send(
            self._revision + 1, 0, "a small stale body without its length", stream=True
        )
        return streamed.status == self.stale(0).status

    def too_large(self, answer: Exchange) -> None:
        """Violation unless the answer is 413."""
        if answer.status == 413:
            return
        if is_unavailable(answer):
            # Hanging up on a large body tells the caller nothing; a target that is dead for everybody is another matter.
            expect.clear(answer if answer.status == 429 else self.stale(200))
        elif self._missing is not None:
            raise Inconclusive(
                f"{answer.purpose}: {answer.describe()}",
                needs=self._missing.needs,
                exchanges=[answer.id],
            )
        raise Violation(
            defect(Kind.UNSORTED, f"{answer.purpose}: {answer.describe()}", expected="413"),
            exchanges=[answer.id],
        )

    def is_approved(self) -> bool:
        """Whether the review reads as approved now; one that stands in for it never does."""
        self.read = self._approvals.reader.read(self._id)
        return is_approved(self.read)

    def _send(self, revision: int, size: int, purpose: str, *, stream: bool = False) -> Exchange:
        call = self._approvals.call(self._id, revision, self._approvals.key(self._id, "body"))
        assert call.body is not None
        padded = replace(call, body=call.body + b" " * (size - len(call.body)))
        # Whether a body may come without its length is outside the contract, until it has been seen that it may.
        sending = Sending(
            self._live.callers.credential("primary"),
            None,
            purpose,
            stream=stream,
            in_contract=size > 0 or not stream,
        )
        return self._live.session.client.send(padded, sending)


def _grow(bodies: Bodies) -> None:
    size = FIRST_PROBE
    while size <= LARGEST_PROBE:
        answer = bodies.stale(size)
        if answer.status == 413:
            return
        expect.clear(answer)
        size *= 4
    raise Inconclusive(
        f"no body up to {LARGEST_PROBE} bytes is too large", needs=("limits.max-body-bytes",)
    )
