"""Trials as they are run: a review of the pool, attempts that have to be rejected, the approval."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.runner.context import Context
from conformance.suite.approval import plan
from conformance.suite.approval.approvals import MOST_REVISIONS, Approvals
from conformance.suite.approval.attempts import ahead
from conformance.suite.approval.bystanders import bystanders, newly_approved, worth
from conformance.suite.approval.plan import STALE_KIND, Planned
from conformance.suite.approval.review import Review, is_withheld, revision_of
from conformance.suite.approval.trial import Approval, Attempt, Bystander, Trial
from conformance.suite.lists.live import Live

MOST_EFFECTS = 3
"""Reviews that attempts of one kind may take before no more of that kind are made."""
AT_ONCE = 4


class TrialRunner:
    """Runs trials on reviews of the pool."""

    def __init__(self, session: Context, live: Live, approvals: Approvals) -> None:
        self._session = session
        self._live = live
        self._approvals = approvals
        self._reader = approvals.reader
        self._pool = approvals.pool
        self._effects: Counter[str] = Counter()

    def full(self, scheme: str) -> Trial:
        """A trial with every attempt."""
        primary = self._live.callers.credential("primary")
        review, attempts = self._attempted(self._taken(), plan.everything(self._session, primary))
        review, concurrent = self._attempted_at_once(review)
        trial = self._approve(review, scheme, None)
        return replace(trial, attempts=attempts, concurrent=concurrent, effects=dict(self._effects))

    def short(self, scheme: str, first: Trial) -> Trial:
        """A trial with the attempts whose response may depend on the kind of review."""
        primary = self._live.callers.credential("primary")
        self._effects.update(first.effects)
        planned = plan.few(self._session, primary, scheme)
        review, attempts = self._attempted(self._taken(unlike=first.review), planned)
        return replace(self._approve(review, scheme, first), attempts=attempts)

    def plain(self, scheme: str, first: Trial) -> Trial:
        """A trial without attempts."""
        return self._approve(self._taken(), scheme, first)

    def _taken(self, unlike: Review | None = None) -> Review:
        return self._pool.take(worth(self._reader.listed(), unlike))

    # --- attempts ---

    def _attempted(
        self, review: Review, planned: Iterable[Planned]
    ) -> tuple[Review, dict[str, Attempt]]:
        """Make attempts; the review to go on with: another one where an attempt had an effect."""
        attempts: dict[str, Attempt] = {}
        for each in planned:
            if self._effects[each.kind] < MOST_EFFECTS:
                send = partial(self._send_planned, review, each)
                key, response = self._approvals.with_new_key(review.id, each.label, send)
                attempt = Attempt(response, self._reader.read(review.id), review, each.kind)
                attempts[each.label] = attempt
                review = self._next_review(attempt, each, key)
        return review, attempts

    def _send_planned(self, review: Review, planned: Planned, key: str) -> Exchange:
        right = self._approvals.call(review.id, review.revision, key)
        call = planned.change(right, review.revision, key)
        sending = Sending(
            planned.credential, planned.scheme, planned.label, headers=planned.headers
        )
        return self._session.client.send(call, sending)

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

    def _attempted_at_once(self, review: Review) -> tuple[Review, tuple[Attempt, ...]]:
        """Send stale attempts at once; the review to go on with, and the attempts."""
        primary = self._live.callers.credential("primary")
        keys = [self._approvals.key(review.id, f"stale at once {n}") for n in range(AT_ONCE)]
        calls = [self._approvals.call(review.id, ahead(review.revision), key) for key in keys]
        sending = Sending(primary, primary.schemes[0], "stale approvals at once")
        responses = self._session.client.send_all(calls, [sending] * AT_ONCE, together=True)
        after = self._reader.read(review.id)
        attempts = tuple(Attempt(response, after, review, STALE_KIND) for response in responses)
        if self._approvals.is_spent(review, after):
            self._approvals.record(review.id, review.revision, keys[0])
            return self._pool.take(), attempts
        return (self._pool.take_instead_of(review) if is_withheld(after) else review), attempts

    # --- the approval ---

    def _approve(self, review: Review, scheme: str, first: Trial | None) -> Trial:
        """Approve a review, and read it and others before and afterwards."""
        watched = bystanders(review, self._reader.listed(), self._pool.ids)
        before = [self._reader.read(id) for id in watched]
        page = self._page()
        approval = self._approval(review, scheme, first)
        return Trial(
            approval.review,
            scheme,
            approval.key,
            approval.response,
            self._after(approval),
            approval.rejected_key,
            bystanders=(
                *self._read_again(before, watched),
                *self._approved_on(page, {approval.review.id, *watched}),
            ),
        )

    def _after(self, approval: Approval) -> Exchange:
        if approval.response.status == 200:
            return self._reader.read_approved(approval.review)
        return self._reader.read(approval.review.id)

    def _read_again(self, before: list[Exchange], ids: list[str]) -> list[Bystander]:
        # By the same scheme, since what a review shows may depend on who reads it.
        pairs = zip(before, ids, strict=True)
        return [(read, self._reader.read(id, read.scheme)) for read, id in pairs]

    def _approved_on(self, page: Exchange, known: set[str]) -> list[Bystander]:
        """Further reviews that became approved since a page was read."""
        lower = {id.lower() for id in known}
        ids = [id for id in newly_approved(page, self._page()) if id.lower() not in lower]
        return [(page, self._reader.read(id)) for id in ids]

    def _page(self) -> Exchange:
        """The longest page of reviews, which shows many others at once."""
        call = Call("review_list").asking(limit="100")
        return self._live.callers.send(call, purpose="the other reviews in the list")

    def _approval(self, review: Review, scheme: str, first: Trial | None) -> Approval:
        """Approve a review with a new key; after a first trial, one that resembles the used key."""
        if first is None:
            return self._with_fresh_key(review, scheme, None)
        key = resembling(first.key)
        purpose = "a new key that resembles a used one"
        response = self._approvals.approve(review, key, scheme=scheme, purpose=purpose)
        if response.status != 409:
            return Approval(review, key, response)
        is_excused = response.is_repeated or self._reader.revised(review) is not None
        return self._with_fresh_key(review, scheme, None if is_excused else response)

    def _with_fresh_key(
        self, review: Review, scheme: str, rejected_key: Exchange | None
    ) -> Approval:
        """Approve a review; once more at the new revision where another client has revised it."""
        for number in range(MOST_REVISIONS):
            label = f"approve at another revision {number}" if number else "approve"
            send = partial(self._approvals.approve, review, scheme=scheme)
            key, response = self._approvals.with_new_key(review.id, label, send)
            approval = Approval(review, key, response, rejected_key)
            latest = self._reader.revised(review) if response.status == 409 else None
            if latest is None:
                break
            review = latest
        return approval


def resembling(key: str) -> str:
    """A key that differs in its last digit."""
    return f"{key[:-1]}{'01'[key[-1] == '0']}"


def _as_read(review: Review, read: Exchange) -> Review:
    """The review as it was read later; an attempt may have changed it, which a check reports."""
    try:
        return Review(review.id, revision_of(read), read)
    except Inconclusive:
        return review
