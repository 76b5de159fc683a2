"""The approval of a trial: what is read before it and after it, of its review and of others."""

from collections.abc import Iterable, Sequence
from functools import partial

from conformance.http.exchange import Exchange
from conformance.runner.context import Context
from conformance.suite.approval.approvals import MOST_REVISIONS, Approvals
from conformance.suite.approval.bystanders import bystanders, newly_approved
from conformance.suite.approval.kept_cursors import pages_up_to
from conformance.suite.approval.review import Review
from conformance.suite.approval.trial import Approval, Bystander, Trial
from conformance.suite.approval.watched_pages import requests_of_pages
from conformance.suite.lists.live import Live


class WatchedApprovals:
    """Approves reviews, and watches them and others meanwhile."""

    def __init__(self, session: Context, live: Live, approvals: Approvals) -> None:
        self._session = session
        self._live = live
        self._approvals = approvals
        self._reader = approvals.reader

    def approve(self, review: Review, scheme: str, first: Trial | None = None) -> Trial:
        """Approve a review, and read it and others before and afterwards."""
        beside = bystanders(review, self._reader.listed(), self._approvals.pool.ids)
        watched = self._session.some(beside)
        pages, before = self._watched([(id, None) for id in watched])
        self._reader.read_in_other_ways(review, scheme)
        kept = pages_up_to(review, scheme, self._live)
        approval = self._approval(review, scheme, first)
        after = self._after(approval)
        # By the same scheme, since what a review shows may depend on who reads it.
        schemes = [read.scheme for read in before]
        later_pages, later = self._watched(list(zip(watched, schemes, strict=True)))
        known = {approval.review.id, *watched}
        near, *afar = (
            self._approved_on(*reads, known) for reads in zip(pages, later_pages, strict=True)
        )
        return Trial(
            approval.review,
            scheme,
            approval.key,
            approval.response,
            after,
            approval.rejected_key,
            bystanders=(*zip(before, later, strict=True), *near),
            afar=tuple(bystander for found in afar for bystander in found),
            kept=kept,
        )

    def _after(self, approval: Approval) -> Exchange:
        if approval.response.status == 200:
            return self._reader.read_approved(approval.review)
        return self._reader.read(approval.review.id)

    def _watched(
        self, reads: Sequence[tuple[str, str | None]]
    ) -> tuple[list[Exchange], list[Exchange]]:
        """The longest pages of reviews, which show many at once, and reviews by their ids."""
        requests = [*requests_of_pages(self._live), *self._reader.requests(reads)]
        responses = self._live.callers.send_each(requests)
        number = len(responses) - len(reads)
        return responses[:number], responses[number:]

    def _approved_on(
        self, page: Exchange, later: Exchange, known: Iterable[str]
    ) -> list[Bystander]:
        """Further reviews that became approved between two reads of a page."""
        lower = {id.lower() for id in known}
        ids = [id for id in newly_approved(page, later) if id.lower() not in lower]
        return [(page, read) for read in self._reader.read_each([(id, None) for id in ids])]

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
