"""Reviews as primary reads them: one by its id, until a change shows, and in the list."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.runner.context import Context
from conformance.suite.approval.review import (
    APPROVED,
    Record,
    Review,
    in_former_state,
    is_approved,
    lists_former_state,
    revision_of,
    shows_status,
)
from conformance.suite.approval.settling import INTERVALS, Settling, settle
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import Listed

READS_IN_A_ROW = 8
PAGES_IN_A_ROW = 4
"""Consecutive reads without the former state before a change counts as complete."""


class ReviewReader:
    """Reads reviews as primary."""

    def __init__(self, session: Context, live: Live) -> None:
        self._session = session
        self._live = live

    def read(self, id: str, scheme: str | None = None) -> Exchange:
        """Read a review by its id."""
        call = Call("review_get", {"reviewId": id})
        return self._live.callers.send(call, scheme=scheme, purpose="read the review")

    def review(self, id: str) -> Review | None:
        """The review; None where it cannot be read or is approved already."""
        read = self.read(id)
        if read.status != 200 or self._is_spent(id, read):
            return None
        return Review(id, revision_of(read), read)

    def approvable(self, id: str) -> Review | None:
        """The review; None where it cannot be read, is approved already, or cannot be approved."""
        review = self.review(id)
        return None if review is None or review.is_withheld else review

    def _is_spent(self, id: str, read: Exchange) -> bool:
        # Where reviews show no status, an approval that returned 200 counts as one.
        has_succeeded = id.lower() in self._session.approved
        return is_approved(read) or (has_succeeded and not shows_status(read))

    def revised(self, review: Review) -> Review | None:
        """The review at the revision that another client gave it since; None where it has none."""
        with suppress(Inconclusive):
            latest = self.approvable(review.id)
            if latest is not None and latest.revision != review.revision:
                return latest
        return None

    def read_approved(self, review: Review, scheme: str | None = None) -> Exchange:
        """Read a review that was approved, until it no longer shows its former state."""
        return self.read_until(review.id, lambda read: not in_former_state(review, read), scheme)

    def read_until(
        self, id: str, holds: Callable[[Exchange], bool], scheme: str | None = None
    ) -> Exchange:
        """Read a review until a condition holds, or reads no longer lag."""
        read = self.read(id, scheme)
        for seconds in INTERVALS:
            if holds(read):
                break
            self._session.transport.wait(seconds)
            read = self.read(id, scheme)
        return read

    def listed(self) -> list[Record]:
        """The reviews in the list; none where it cannot be read: an approval needs no list."""
        with suppress(Inconclusive):
            return [listed.record for listed in self._live.records("review_list")]
        return []

    def settle(self, review: Review, scheme: str) -> Settling:
        """Read an approved review until its change is complete."""
        read = partial(self.read, review.id, scheme)
        is_former = partial(in_former_state, review)
        return settle(read, is_former, self._session.transport.wait, READS_IN_A_ROW)

    def settle_pages(self, review: Review, scheme: str) -> Iterator[Settling]:
        """Read the pages that list an approved review until the change of each is complete.

        They are the page on which the review was found, and that of its project.
        """
        listed = self._listed(review.id)
        calls = [] if listed is None else [listed.call, *self._of_its_project(listed.record)]
        is_former = partial(lists_former_state, review)
        for call in calls:
            purpose = "the list after the approval"
            read = partial(self._live.callers.send, call, scheme=scheme, purpose=purpose)
            yield settle(read, is_former, self._session.transport.wait, PAGES_IN_A_ROW)

    def _listed(self, id: str) -> Listed | None:
        records = self._live.records("review_list")
        return next((each for each in records if each.record["id"].lower() == id.lower()), None)

    def _of_its_project(self, record: Record) -> Iterator[Call]:
        """The list of reviews of a record's project, where the name of that filter is certain."""
        project = record.get("projectId")
        roles = self._session.roles(self._live.operation("review_list"))
        if is_uuid(project):
            for name in (name for name, role in roles.items() if role == "project"):
                yield Call("review_list").asking(limit="100", **{name: project})

    def others_approve(self, beside: str, reads: int) -> bool:
        """Whether reviews become approved while this run approves none.

        The page on which the review `beside` was found is read so many times.
        """
        records = self._live.records("review_list")
        call = next(listed.call for listed in records if listed.record["id"] == beside)
        pending: set[str] = set()
        for _ in range(reads):
            page = self._live.callers.send(call, purpose="look for approvals by others")
            statuses = {str(item.get("id")): item.get("status") for item in page.items}
            if any(statuses.get(id) == APPROVED for id in pending):
                return True
            pending |= {id for id, status in statuses.items() if status != APPROVED}
        return False
