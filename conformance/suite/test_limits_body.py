"""The size limit of request bodies (Limits)."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from conformance.contract.verdict import Inconclusive, Kind, Location, Part, defect
from conformance.http.exchange import Exchange
from conformance.http.retry import is_unavailable
from conformance.http.sending import Sending
from conformance.runner.scheduling import Stage
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import is_approved
from conformance.suite.approval.trial import Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import of_status
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

ROUNDS = 2
"""How often a body past the limit is sent again that gets no response of the target itself."""
LARGEST_PROBE = 16 * 1024 * 1024
"""Bytes of the largest body that is sent to find an undeclared limit."""
LARGEST_BODY = 2 * LARGEST_PROBE
"""Bytes of the largest body past a declared limit, but for the one just past it."""
FAR_PAST = (2 * 1024 * 1024, LARGEST_PROBE)
"""Bytes of bodies that may not get as far as the service: what is in front of it has limits too."""
FIRST_PROBE = 256 * 1024
GROWTH = 4
FILLER = "é"
"""A character of two bytes."""


@requirement("limits/body", stage=Stage.ALONE)
def test_a_body_past_the_limit_is_too_large(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """A body past the limit gets 413, with and without Content-Length; a smaller one does not."""
    target = live.session.target
    if not target.consent.oversized_bodies:
        raise Inconclusive(
            "sending oversized bodies has no consent", needs=("consent.oversized-bodies",)
        )
    bodies = Bodies(live, approvals, trials)
    limit = target.limits.max_body_bytes
    if limit is None:
        _find_limit(bodies)
        return
    schemes = bodies.schemes()
    for scheme in schemes:
        for size in (limit // 2, limit):
            _check_not_too_large(bodies.send_stale(size, scheme))
    probed = [(scheme, bodies.may_be_streamed(scheme)) for scheme in schemes]
    # Not before: the revision that a stale body states may have become the current one.
    was_approved = is_approved(bodies.read_review())
    for number, (scheme, may_be_streamed) in enumerate(probed):
        sizes = sorted({limit * 2, limit * 4, *FAR_PAST})
        further = [size for size in sizes if limit < size <= LARGEST_BODY]
        for size in (limit + 1, *further[number :: len(schemes)]):
            bodies.check_past_the_limit(size, scheme, may_be_streamed=may_be_streamed)
    bodies.check_bytes_count(limit, schemes[0])
    after = bodies.read_review()
    violation = defect(
        Kind.EFFECT,
        "an approval was rejected with 413, and the review is approved",
        expected="the review stays as it was",
    ).on("status")
    where = Location(Part.BODY, "/data/status", after.id)
    expect.that(was_approved or not is_approved(after), violation.at(where), after)


def _check_not_too_large(response: Exchange) -> None:
    violation = of_status(
        response, "a body within the limit is too large: {response}", expected="no 413"
    )
    expect.that(response.status != 413, violation, response)


def _find_limit(bodies: "Bodies") -> None:
    """Send growing bodies until one gets 413; Inconclusive if none does."""
    size = FIRST_PROBE
    while size <= LARGEST_PROBE:
        response = bodies.send_stale(size)
        if response.status == 413:
            return
        expect.clear(response)
        size *= GROWTH
    raise Inconclusive(
        f"no body up to {LARGEST_PROBE} bytes is too large", needs=("limits.max-body-bytes",)
    )


@dataclass(frozen=True)
class Padding:
    """What makes a body of a size in bytes: blanks behind it, or characters in a property."""

    size: int
    character: str = " "

    def added_to(self, body: bytes) -> bytes:
        """A JSON object with the same properties; one of at least this size."""
        missing = self.size - len(body)
        if self.character == " ":
            return body + b" " * missing
        number = max(1, missing // len(self.character.encode()))
        document = {**json.loads(body), "note": self.character * number}
        return json.dumps(document, ensure_ascii=False).encode()


class Bodies:
    """Approvals padded with blanks to a size, right or stale but for it.

    Without a review that is left, the right ones are replays of an approval, which succeed but for
    their size. Without consent to approve they name an absent review: then a rejection for another
    reason says nothing.
    """

    def __init__(self, live: Live, approvals: Approvals, trials: Trials) -> None:
        self._live = live
        self._approvals = approvals
        if live.session.target.consent.approve_reviews:
            trials.baseline()
        self._id, self._revision = live.made_up("oversized"), 1
        self._no_review: Inconclusive | None = None
        self._replayed: Trial | None = None
        self._statuses: dict[str | None, int | None] = {}
        try:
            review = approvals.pool.pending()
            self._id, self._revision = review.id, review.revision
        except Inconclusive as problem:
            self._no_review = problem
            self._replay(trials)

    def _replay(self, trials: Trials) -> None:
        """Take an approval whose replay succeeds in place of a review."""
        if not self._live.session.target.consent.approve_reviews:
            return
        trial = trials.baseline()
        purpose = "a replay, the baseline request of a larger one"
        replay = self._approvals.approve(
            trial.review, trial.key, scheme=trial.scheme, purpose=purpose
        )
        if replay.status == 200:
            self._replayed, self._no_review = trial, None
            self._id, self._revision = trial.review.id, trial.review.revision

    def schemes(self) -> list[str | None]:
        """The schemes by which bodies are sent: those by which a small one reaches the review.

        Access is further limited by the credential (Authentication), so that primary may approve by
        one scheme only. A replay has to be sent by the scheme of its approval.
        """
        primary = self._live.callers.credential("primary").schemes
        schemes = primary if self._replayed is None else (self._replayed.scheme,)
        beyond = {401, 403} if self._no_review is not None else {401, 403, 404}
        reaching = [each for each in schemes if self._small(each) not in beyond]
        return [*reaching] or [None]

    def _small(self, scheme: str | None) -> int | None:
        """The status of a small stale body, of which one is sent by each scheme."""
        if scheme not in self._statuses:
            self._statuses[scheme] = self.send_stale(0, scheme).status
        return self._statuses[scheme]

    def send_stale(self, size: int, scheme: str | None = None) -> Exchange:
        """A body of a size that is rejected for its revision at the latest."""
        return self._send(
            self._revision + 1, Padding(size), "a stale body within the limit", scheme
        )

    def send_right(self, size: int, scheme: str | None, *, stream: bool) -> Exchange:
        """A body with no defect but its size."""
        length = "without Content-Length" if stream else "with Content-Length"
        purpose = f"a body past the limit, {length}"
        return self._send(self._revision, Padding(size), purpose, scheme, stream=stream)

    def may_be_streamed(self, scheme: str | None) -> bool:
        """Whether a small body without Content-Length gets the status of one with it."""
        purpose = "a small stale body, without Content-Length"
        streamed = self._send(self._revision + 1, Padding(0), purpose, scheme, stream=True)
        return streamed.status == self._small(scheme)

    def check_past_the_limit(self, size: int, scheme: str | None, *, may_be_streamed: bool) -> None:
        """Violation unless a body of a size is too large, with and without Content-Length."""
        for stream in (False, True) if may_be_streamed else (False,):
            self.check_too_large(partial(self.send_right, size, scheme, stream=stream))

    def check_bytes_count(self, limit: int, scheme: str | None) -> None:
        """Violation unless a body is too large that has more bytes and fewer characters.

        They are in a further property: nothing is shown where a small one gets another status.
        """
        purpose = "a small stale body with a further property"
        small = self._send(self._revision + 1, Padding(0, FILLER), purpose, scheme)
        if small.status == self._small(scheme):
            purpose = "a body past the limit, in characters of two bytes"
            padding = Padding(limit + 1, FILLER)
            self.check_too_large(partial(self._send, self._revision, padding, purpose, scheme))

    def check_too_large(self, send: Callable[[], Exchange]) -> None:
        """Violation unless the response is 413.

        A closed connection is no response to a large body, nor is a 503, if small bodies get one.
        """
        response = send()
        for _ in range(ROUNDS):
            if not is_unavailable(response):
                break
            expect.clear(response if response.status == 429 else self.send_stale(200))
            response = send()
        if response.status == 413:
            return
        if self._no_review is not None and not is_unavailable(response):
            raise Inconclusive(
                f"{response.purpose}: {response.describe()}",
                needs=self._no_review.needs,
                exchanges=[response.id],
            )
        is_accepted = response.status is not None and response.status < 300
        violation = of_status(
            response,
            "{request}: {response}",
            expected="413",
            kind=Kind.ACCEPTED if is_accepted else Kind.STATUS,
            request=response.purpose,
        )
        expect.violated(violation, response)

    def read_review(self) -> Exchange:
        """The review as it reads now; an absent one never reads as approved."""
        return self._approvals.reader.read(self._id)

    def _send(
        self,
        revision: int,
        padding: Padding,
        purpose: str,
        scheme: str | None,
        *,
        stream: bool = False,
    ) -> Exchange:
        key = self._approvals.key(self._id, "body")
        if self._replayed is not None and revision == self._revision:
            key = self._replayed.key
        call = self._approvals.call(self._id, revision, key)
        assert call.body is not None
        padded = replace(call, body=padding.added_to(call.body))
        # A body without Content-Length, or with more, may be rejected, until a small one was not.
        is_probe = padding.size == 0 and (stream or padding.character != " ")
        sending = Sending(
            self._live.callers.credential("primary"),
            scheme,
            purpose,
            stream=stream,
            in_contract=not is_probe,
        )
        return self._live.session.client.send(padded, sending)
