"""Reviews as primary reads them: one by its id, until a change shows, and in the list."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.runner.session import Session
from conformance.suite.approval.review import (
    APPROVED,
    Record,
    Review,
    is_approved,
    is_withheld,
    revision_of,
    shows_status,
)
from conformance.suite.lists.live import Live
from conformance.suite.lists.walk import Listed

INTERVALS = (0.25, 0.25, 0.5, 0.5, 0.5, 1.0, 2.0, 3.0)
"""Seconds between the requests that wait for an approval to show."""


class ReviewReader:
    """Reads reviews as primary."""

    def __init__(self, session: Session, live: Live) -> None:
        self._session = session
        self._live = live

    def read(self, id: str, scheme: str | None = None) -> Exchange:
        """Read a review by its id."""
        call = Call("review_get", {"reviewId": id})
        return self._live.send(call, scheme=scheme, purpose="read the review")

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
        """The review at the revision that somebody else gave it since; None where it has none."""
        with suppress(Inconclusive):
            latest = self.approvable(review.id)
            if latest is not None and latest.revision != review.revision:
                return latest
        return None

    def read_approved(self, id: str, scheme: str | None = None) -> Exchange:
        """Read a review that has just been approved, until it shows that."""
        return self.read_until(id, lambda read: is_approved(read) or not shows_status(read), scheme)

    def read_until(
        self, id: str, holds: Callable[[Exchange], bool], scheme: str | None = None
    ) -> Exchange:
        """Read a review until a condition holds, or reads no longer lag behind; the last response."""
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

    def outdated_page(self, id: str, scheme: str) -> Exchange | None:
        """A page that goes on showing an approved review with another status, or None.

        The pages are that of the list on which the review was found, and those of its project.
        """
        listed = self._listed(id)
        if listed is None:
            return None
        calls = (listed.call, *self._of_its_project(listed.record))
        pages = (self._outdated(id, call, scheme) for call in calls)
        return next((page for page in pages if page is not None), None)

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

    def _outdated(self, id: str, call: Call, scheme: str) -> Exchange | None:
        for seconds in INTERVALS:
            page = self._live.send(call, scheme=scheme, purpose="the list after the approval")
            statuses = [
                item.get("status", APPROVED)
                for item in page.items
                if str(item.get("id")).lower() == id.lower()
            ]
            if statuses in ([], [APPROVED]):
                return None
            self._session.transport.wait(seconds)
        return page

    def changes_by_itself(self, review: Review, reads: int) -> bool:
        """Whether a review that nobody here approves gets another revision, or is withheld."""
        with suppress(Inconclusive):
            for _ in range(reads):
                if self.revised(review) is not None or is_withheld(self.read(review.id)):
                    return True
        return False

    def others_approve(self, beside: str, reads: int) -> bool:
        """Whether reviews become approved while nobody here approves any.

        The page on which the review `beside` was found is read so many times.
        """
        records = self._live.records("review_list")
        call = next(listed.call for listed in records if listed.record["id"] == beside)
        pending: set[str] = set()
        for _ in range(reads):
            page = self._live.send(call, purpose="does anybody else approve?")
            statuses = {str(item.get("id")): item.get("status") for item in page.items}
            if any(statuses.get(id) == APPROVED for id in pending):
                return True
            pending |= {id for id, status in statuses.items() if status != APPROVED}
        return False
