"""Requests to approve reviews, and the ledger of those that may succeed.

Only reviews that the profile lists, or that its command makes, are ever approved at the right
revision, and only with its consent.
"""

import uuid
from collections.abc import Callable, Iterator
from typing import Any

from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.runner.context import Context
from conformance.suite.approval.review import Review, in_former_state, is_approved
from conformance.suite.approval.review_pool import ReviewPool
from conformance.suite.approval.review_reader import ReviewReader
from conformance.suite.approval.trial import Attempt
from conformance.suite.lists.live import Live
from conformance.target.forged import NAMESPACE

MOST_KEYS = 3
"""Keys that are tried where transient errors may have left one unusable."""
MOST_REVISIONS = 5
"""Revisions that an approval is tried at where others make another one each time."""


class Approvals:
    """Sends requests to approve as primary; `pool` has the reviews for it, `reader` reads them."""

    def __init__(self, session: Context, live: Live) -> None:
        self._session = session
        self._live = live
        self.reader = ReviewReader(session, live)
        self.pool = ReviewPool(session, self.reader)

    def key(self, review: str, label: str) -> str:
        """An idempotency key that depends on the seed, the review and the label."""
        made = uuid.uuid5(NAMESPACE, f"{self._session.seed}:{review}:{label}")
        # Some targets take no UUID of another version.
        return str(uuid.UUID(bytes=made.bytes, version=4))

    def with_new_key(
        self, review: str, label: str, send: Callable[[str], Exchange]
    ) -> tuple[str, Exchange]:
        """Send a request with a new key; the key and the response.

        A request that was repeated after a transient error may leave its key unusable: a 409 to it
        leads to another key.
        """
        for number in range(MOST_KEYS):
            key = self.key(review, f"{label} {number}" if number else label)
            response = send(key)
            if response.status != 409 or not response.is_repeated:
                break
        return key, response

    def call(self, review: str, revision: Any, key: Any) -> Call:
        """The call that approves a review."""
        body = {"expectedSubjectRevision": revision, "idempotencyKey": key}
        return Call("review_approve", {"reviewId": review}).carrying(body)

    def approve(
        self, review: Review, key: str, *, scheme: str | None = None, purpose: str = "approve"
    ) -> Exchange:
        """Approve a review at its revision."""
        self.record(review.id, review.revision, key)
        call = self.call(review.id, review.revision, key)
        return self._live.callers.send(call, scheme=scheme, purpose=purpose)

    def attempt_each_kind(
        self, revision: Callable[[int], int], sending: Sending
    ) -> Iterator[Attempt]:
        """Attempts that have to be rejected, on reviews of several kinds, which stay in the pool.

        The first one is made alone: where it is accepted, no other review is lost to it.
        """
        reviews = list(self.pool.of_each_kind(self._session.depth.few))
        for group in filter(None, (reviews[:1], reviews[1:])):
            keys = [self.key(each.id, sending.purpose) for each in group]
            calls = [
                self.call(each.id, revision(each.revision), key)
                for each, key in zip(group, keys, strict=True)
            ]
            responses = self._live.callers.send_each([(call, sending) for call in calls])
            reads = self.reader.read_each([(each.id, None) for each in group])
            for review, key, response, after in zip(group, keys, responses, reads, strict=True):
                if response.status == 200 or is_approved(after):
                    self.record(review.id, revision(review.revision), key)
                    self.pool.spend(review)
                yield Attempt(response, after, review)

    def record(self, review: str, revision: int, key: str) -> None:
        """Write into the ledger that a review may be approved now."""
        self._session.enter(review, revision, key)

    def is_spent(self, review: Review, read: Exchange) -> bool:
        """Whether a review counts as approved.

        Where it shows another status, or none, an approval that returned 200 decides.
        """
        if is_approved(read):
            return True
        has_succeeded = review.id.lower() in self._session.approved
        return has_succeeded and not in_former_state(review, read)
