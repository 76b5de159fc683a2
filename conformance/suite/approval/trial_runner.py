"""Trials as they are run: a review of the pool, attempts that have to be rejected, the approval.

The attempts travel together, and the review is read once after them. Where it has changed, each is
made once more on another review, alone, so that the evidence shows which of them changed it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.runner.context import Context
from conformance.suite.approval import plan
from conformance.suite.approval.approvals import MOST_REVISIONS, Approvals
from conformance.suite.approval.attempts import NEXT, ahead
from conformance.suite.approval.bystanders import worth
from conformance.suite.approval.plan import STALE_KIND, Planned
from conformance.suite.approval.review import Record, Review, is_withheld, revision_of
from conformance.suite.approval.trial import Attempt, NoneLeftToApprove, Trial
from conformance.suite.approval.watched_approvals import WatchedApprovals
from conformance.suite.lists.live import Live

MOST_EFFECTS = 3
"""Reviews that attempts of one kind may take before no more of that kind are made."""
AT_ONCE = 4
NEW, AGAIN = "stale approvals at once", "the same stale approval again"


class TrialRunner:
    """Runs trials on reviews of the pool."""

    def __init__(self, session: Context, live: Live, approvals: Approvals) -> None:
        self._session = session
        self._live = live
        self._approvals = approvals
        self._reader = approvals.reader
        self._pool = approvals.pool
        self._watched = WatchedApprovals(session, live, approvals)
        self._effects: Counter[str] = Counter()

    def full(self, scheme: str) -> Trial:
        """A trial with every attempt."""
        primary = self._live.callers.credential("primary")
        review, attempts = self._attempted(self._taken(), plan.asked_for(self._session, primary))
        review, concurrent = self._attempted_at_once(review, attempts)
        trial = self._watched.approve(review, scheme)
        return replace(trial, attempts=attempts, concurrent=concurrent, effects=dict(self._effects))

    def short(self, scheme: str, first: Trial) -> Trial:
        """A trial with the attempts whose response may depend on the kind of review."""
        primary = self._live.callers.credential("primary")
        self._effects.update(first.effects)
        planned = plan.few(self._session, primary, scheme)
        review, attempts = self._attempted(self._taken(unlike=first.review), planned)
        return replace(self._watched.approve(review, scheme, first), attempts=attempts)

    def plain(
        self, scheme: str, first: Trial, worth: Callable[[Record], int] | None = None
    ) -> Trial:
        """A trial without attempts, of the review that is worth the most."""
        review = self._taken() if worth is None else self._pool.take(worth)
        return self._watched.approve(review, scheme, first)

    def _taken(self, unlike: Review | None = None) -> Review:
        return self._pool.take(worth(self._reader.listed(), unlike))

    def _attempted(
        self, review: Review, planned: Iterable[Planned]
    ) -> tuple[Review, Mapping[str, Attempt]]:
        """Make attempts; the review to go on with: another one where an attempt had an effect."""
        wanted = [each for each in planned if self._effects[each.kind] < MOST_EFFECTS]
        if not wanted:
            return review, {}
        if self._pool.is_spent:  # none would be left to make them on again
            return self._attempted_one_by_one(review, wanted)
        together = self._attempted_together(review, wanted)
        last = together[wanted[-1].label]
        if not self._had_effect(last):
            return _as_read(review, last.after), together
        accepted = {label: each for label, each in together.items() if _is_accepted(each)}
        try:
            review = self._review_after(together)
        except Inconclusive as problem:
            raise NoneLeftToApprove(problem, accepted) from None
        review, alone = self._attempted_one_by_one(review, wanted)
        if any(_is_accepted(each) or self._had_effect(each) for each in alone.values()):
            return review, alone
        # Nothing shows alone: what was accepted beside the others is the defect.
        return review, alone | accepted

    def _had_effect(self, attempt: Attempt) -> bool:
        return attempt.changed_review or self._approvals.is_spent(attempt.before, attempt.after)

    def _review_after(self, together: Mapping[str, Attempt]) -> Review:
        """The review to go on with after attempts of which some had an effect."""
        accepted = [label for label, each in together.items() if _is_accepted(each)]
        label = (accepted or list(together))[0]
        attempt = together[label]
        review = attempt.before
        if self._approvals.is_spent(review, attempt.after):
            key = self._approvals.key(review.id, label)
            self._approvals.record(review.id, review.revision, key)
            return self._pool.take()
        if is_withheld(attempt.after):
            return self._pool.take_instead_of(review)
        if attempt.changed_status:  # a second attempt may leave it as the first has made it
            another = self._pool.take_instead_of(review)
            if another.id != review.id:
                self._pool.give_back(review)
                return another
        return _as_read(review, attempt.after)

    def _attempted_together(self, review: Review, planned: Sequence[Planned]) -> dict[str, Attempt]:
        """Make attempts side by side, and read the review after them."""
        keys = [self._approvals.key(review.id, each.label) for each in planned]
        requests = [
            self._request(review, each, key) for each, key in zip(planned, keys, strict=True)
        ]
        responses = self._live.callers.send_each(requests)
        settled = [
            self._with_usable_key(review, each, response)
            for each, response in zip(planned, responses, strict=True)
        ]
        after = self._read_after(review, settled)
        return {
            each.label: Attempt(response, after, review, each.kind)
            for each, response in zip(planned, settled, strict=True)
        }

    def _with_usable_key(self, review: Review, planned: Planned, response: Exchange) -> Exchange:
        """The response; to the attempt with another key where a transient error spoilt the key."""
        if response.status != 409 or not response.is_repeated:
            return response
        send = partial(self._send_planned, review, planned)
        _, again = self._approvals.with_new_key(review.id, f"{planned.label}, again", send)
        return again

    def _attempted_one_by_one(
        self, review: Review, planned: Iterable[Planned]
    ) -> tuple[Review, dict[str, Attempt]]:
        attempts: dict[str, Attempt] = {}
        for each in planned:
            if self._has_to_save_reviews:
                break
            if self._effects[each.kind] < MOST_EFFECTS:
                key, attempt = self._attempted_alone(review, each)
                attempts[each.label] = attempt
                try:
                    review = self._next_review(attempt, each, key)
                except Inconclusive as problem:
                    raise NoneLeftToApprove(problem, {each.label: attempt}) from None
        return review, attempts

    def _attempted_alone(self, review: Review, planned: Planned) -> tuple[str, Attempt]:
        """Make an attempt; once more at the new revision where another client has revised it.

        Returns the last key, too.
        """
        for number in range(MOST_REVISIONS):
            label = f"{planned.label}, alone{f' at another revision {number}' if number else ''}"
            send = partial(self._send_planned, review, planned)
            key, response = self._approvals.with_new_key(review.id, label, send)
            after = self._read_after(review, [response])
            attempt = Attempt(response, after, review, planned.kind)
            if not attempt.is_outrun:
                break
            review = _as_read(review, attempt.after)
        return key, attempt

    def _read_after(self, review: Review, responses: Iterable[Exchange]) -> Exchange:
        """A read after attempts; where one was accepted, reads may lag behind its effect."""
        if any(response.status == 200 for response in responses):
            return self._reader.read_approved(review)
        return self._reader.read(review.id)

    @property
    def _has_to_save_reviews(self) -> bool:
        """Whether attempts take reviews, and the last ones are needed for approvals."""
        return self._effects.total() > 0 and self._pool.is_nearly_spent

    def _send_planned(self, review: Review, planned: Planned, key: str) -> Exchange:
        return self._session.client.send(*self._request(review, planned, key))

    def _request(self, review: Review, planned: Planned, key: str) -> tuple[Call, Sending]:
        right = self._approvals.call(review.id, review.revision, key)
        call = planned.change(right, review.revision, key)
        return call, Sending(
            planned.credential, planned.scheme, planned.label, headers=planned.headers
        )

    def _next_review(self, attempt: Attempt, planned: Planned, key: str) -> Review:
        review = attempt.before
        if self._approvals.is_spent(review, attempt.after):
            self._approvals.record(review.id, review.revision, key)
            self._effects[planned.kind] += 1
            return self._pool.take()
        if planned.kind == STALE_KIND and is_withheld(attempt.after):
            self._effects[planned.kind] += 1
            return self._pool.take_instead_of(review)
        return _as_read(review, attempt.after)

    def _attempted_at_once(
        self, review: Review, earlier: Mapping[str, Attempt]
    ) -> tuple[Review, tuple[Attempt, ...]]:
        """Send stale attempts at once; the review to go on with, and the attempts.

        One of them was rejected before: its repetition is no replay of an approval. A narrow run
        makes none.
        """
        if self._has_to_save_reviews or self._session.depth.few is not None:
            return review, ()
        primary = self._live.callers.credential("primary")
        rejected = f"{NEXT[0]} by {primary.schemes[0]}"
        labels = [rejected, *(f"stale at once {n}" for n in range(1, AT_ONCE))]
        keys = [self._approvals.key(review.id, label) for label in labels]
        calls = [self._approvals.call(review.id, ahead(review.revision), key) for key in keys]
        tried = earlier.get(rejected)
        first = tried.response if tried and tried.before.id == review.id else None
        firsts = [first, *[None] * (AT_ONCE - 1)]
        sendings = [Sending(primary, primary.schemes[0], AGAIN if each else NEW) for each in firsts]
        responses = self._session.client.send_all(calls, sendings, together=True)
        after = self._read_after(review, responses)
        attempts = tuple(
            Attempt(response, after, review, STALE_KIND, first)
            for response, first in zip(responses, firsts, strict=True)
        )
        if self._approvals.is_spent(review, after):
            self._approvals.record(review.id, review.revision, keys[0])
            return self._pool.take(), attempts
        return (self._pool.take_instead_of(review) if is_withheld(after) else review), attempts


def _is_accepted(attempt: Attempt) -> bool:
    return attempt.response.status == 200


def _as_read(review: Review, read: Exchange) -> Review:
    """The review as it was read later; an attempt may have changed it, which a check reports."""
    try:
        return Review(review.id, revision_of(read), read)
    except Inconclusive:
        return review
