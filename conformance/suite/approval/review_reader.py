"""Reviews as primary reads them: one by its id, until a change shows, and in the list."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.runner.context import Context
from conformance.suite.approval.review import (
    APPROVED,
    Record,
    Review,
    identified,
    in_former_state,
    is_approved,
    lists_former_state,
    revision_of,
    shows_status,
)
from conformance.suite.approval.settling import Settling, settle
from conformance.suite.callers.callers import Request
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import DEFAULT_LIMIT, PAGE, Listed
from conformance.suite.reading.other_case import in_other_case
from conformance.target.target import Credential

READS_AT_ONCE = 8
PAGES_AT_ONCE = 4
"""Reads at once without the former state before a change counts as complete."""
PAGES_TO_WATCH = 256
"""Reads that look for changes by others.

They are many times those from before an approval until others have been read. Who changes something
now and then, and by chance in that time, does so in this time as well.
"""
PAGES_TOGETHER = 16
"""So many of them at once: the time between them is what matters."""
MOST_PAGES = 5
SHORT = 7
"""Records of a short page."""
READS_AGAIN = 12
READS_TO_CONFIRM = 36


class ReviewReader:
    """Reads reviews as primary."""

    def __init__(self, session: Context, live: Live) -> None:
        self._session = session
        self._live = live

    def read(self, id: str, scheme: str | None = None) -> Exchange:
        """Read a review by its id."""
        call = Call("review_get", {"reviewId": id})
        return self._live.callers.send(call, scheme=scheme, purpose="read the review")

    def read_each(self, reads: Sequence[tuple[str, str | None]]) -> list[Exchange]:
        """Read reviews side by side, each by its id and by a scheme, or by any."""
        return self._live.callers.send_each(self.requests(reads))

    def requests(self, reads: Sequence[tuple[str, str | None]]) -> list[Request]:
        """The requests that read reviews, each by its id and by a scheme, or by any."""
        primary = self._live.callers.credential("primary")
        return [
            (Call("review_get", {"reviewId": id}), Sending(primary, scheme, "read the review"))
            for id, scheme in reads
        ]

    def review(self, id: str) -> Review | None:
        """The review; None where it cannot be read or is approved already."""
        return self.review_in(self.read(id), id)

    def review_in(self, read: Exchange, id: str) -> Review | None:
        """The review that a response shows; None where it shows none, or one that is approved."""
        if read.status != 200 or self._is_spent(id, read):
            return None
        return Review(id, revision_of(read), read)

    def approvable(self, id: str) -> Review | None:
        """The review; None where it cannot be read, is approved already, or cannot be approved."""
        review = self.review(id)
        return None if review is None or review.is_withheld else review

    def by_another_scheme(self, review: Review) -> Review | None:
        """The review as another scheme of primary may approve it; None where none may."""
        schemes = self._live.callers.credential("primary").schemes
        others = (self.read(review.id, each) for each in schemes if each != review.read.scheme)
        found = (self.review_in(read, review.id) for read in others)
        return next((each for each in found if each is not None and not each.is_withheld), None)

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

    def require_found(self, response: Exchange, seen: Exchange) -> None:
        """Inconclusive where a review that was read after its approval has moved on since."""
        if self.has_moved_on(response, seen):
            raise Inconclusive(
                "the review is no longer found, some time after its approval",
                needs=("a review that can be read well after its approval",),
                exchanges=[seen.id, response.id],
            )

    def has_moved_on(self, response: Exchange, seen: Exchange) -> bool:
        """Whether a review that was read after its approval is no longer found, as in an archive.

        `seen` is that read, `response` that to a later request for the review.
        """
        if response.status != 404 or seen.status != 200:
            return False
        is_read = response.operation == "review_get"
        read = response if is_read else self.read(response.call.path["reviewId"])
        return read.status == 404

    def read_until(
        self, id: str, holds: Callable[[Exchange], bool], scheme: str | None = None
    ) -> Exchange:
        """Read a review until a condition holds, or reads no longer lag."""
        read = self.read(id, scheme)
        for seconds in self._session.lag.pauses:
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

        def read(number: int) -> list[Exchange]:
            return self.read_each([(review.id, scheme)] * number)

        is_former = partial(in_former_state, review)
        return settle(read, is_former, self._session, READS_AT_ONCE)

    def unsettled(self, review: Review) -> list[Exchange]:
        """Reads of an approved review, by every scheme, that show its former state long afterwards.

        Where one does, it is read again when no read can lag any more: [] if that shows nothing.
        """
        if not self._former_reads(review, READS_AGAIN):
            return []
        self._session.transport.wait(self._session.lag.patience)
        return self._former_reads(review, READS_TO_CONFIRM)

    def _former_reads(self, review: Review, number: int) -> list[Exchange]:
        schemes = self._live.callers.credential("primary").schemes
        reads = self.read_each([(review.id, schemes[n % len(schemes)]) for n in range(number)])
        return [read for read in reads if in_former_state(review, read)]

    def listed_unsettled(self, review: Review, approval: Exchange) -> list[Exchange]:
        """Pages that list an approved review in its former state, long after its approval.

        Where one does, it is read again when no page can lag any more: [] if that shows nothing.
        """
        call = next(iter(self._pages_of(review)), None)
        if call is None:
            return []
        earlier = approval
        for _ in range(2):
            self._session.wait_after(earlier, self._session.lag.patience)
            earlier = self._live.callers.send(
                call, scheme=approval.scheme, purpose="the list, well after"
            )
            if not lists_former_state(review, earlier):
                return []
        return [earlier]

    def settle_as(self, review: Review, caller: Credential, scheme: str) -> Settling | None:
        """Read an approved review as another caller, until its change shows; None if rejected."""
        call = Call("review_get", {"reviewId": review.id})
        purpose = f"read the review as {caller.name}"
        sending = Sending(caller, scheme, purpose)

        def read(number: int) -> list[Exchange]:
            return self._live.callers.send_each([(call, sending)] * number)

        if read(1)[0].status != 200:
            return None
        is_former = partial(in_former_state, review)
        return settle(read, is_former, self._session, 1)

    def read_in_other_ways(self, review: Review, scheme: str) -> None:
        """Read a review by its id in the other case, and the list under its filters.

        A target may remember each response by its address. What it remembers from before an
        approval shows when the same is read afterwards.
        """
        primary = self._live.callers.credential("primary")
        sending = Sending(primary, scheme, "in another way, before the approval")
        by_id = Call("review_get", {"reviewId": in_other_case(review.id)})
        calls = [by_id, *self._under_its_filters(review.record)]
        self._live.callers.send_each([(call, sending) for call in calls])

    def settle_page_as(self, review: Review, caller: Credential, scheme: str) -> Settling:
        """Read a page of another caller's list, until it does not show the former state."""
        longest = Call("review_list").asking(limit=str(PAGE))
        call = next(self._under_its_filters(review.record), longest)
        sending = Sending(caller, scheme, f"the list of {caller.name} after the approval")
        read = partial(self._read_page, (call, sending))
        is_former = partial(lists_former_state, review)
        return settle(read, is_former, self._session, 1)

    def settle_pages(self, review: Review, scheme: str) -> Iterator[Settling]:
        """Read the pages that list an approved review until the change of each is complete.

        They are the page on which the review was found, those of its filters, and those of two
        other sizes: a target may remember each page by its address.
        """
        is_former = partial(lists_former_state, review)
        primary = self._live.callers.credential("primary")
        sending = Sending(primary, scheme, "the list after the approval")
        for call in self._pages_of(review):
            read = partial(self._read_page, (call, sending))
            yield settle(read, is_former, self._session, PAGES_AT_ONCE)

    def _read_page(self, request: tuple[Call, Sending], number: int) -> list[Exchange]:
        return self._live.callers.send_each([request] * number)

    def _pages_of(self, review: Review) -> list[Call]:
        listed = self.find_listed(review.id)
        if listed is None:
            return []
        calls = [listed.call, *self._under_its_filters(listed.record), *self._short_pages(review)]
        return list({str(call.query): call for call in calls}.values())[:MOST_PAGES]

    def _short_pages(self, review: Review) -> Iterator[Call]:
        """The page of the default size that showed a review before its approval, and a short one.

        The short one may follow a cursor.
        """
        with suppress(Inconclusive):
            for size in (DEFAULT_LIMIT, SHORT):
                pagination = self._live.paginations.read(Call("review_list"), size)
                calls = {each.record["id"].lower(): each.call for each in pagination.listed}
                if review.id.lower() in calls:
                    yield calls[review.id.lower()]

    @property
    def shared(self) -> frozenset[str]:
        """The reviews that each scheme of primary lists, by their ids in lower case."""
        return self._live.shared("review_list")

    def find_listed(self, id: str) -> Listed | None:
        """A review as the list showed it before any approval; None where it did not."""
        records = self._live.records("review_list")
        return next((each for each in records if each.record["id"].lower() == id.lower()), None)

    def _under_its_filters(self, record: Record) -> Iterator[Call]:
        """The list of reviews under each filter whose name is certain, with the record's value."""
        operation = self._live.operation("review_list")
        for name, role in self._session.roles(operation).items():
            value = record.get(operation.filters[role]) if role in operation.filters else None
            if is_uuid(value):
                yield Call("review_list").asking(limit="100", **{name: str(value)})

    def others_approve(self, beside: str) -> bool:
        """Whether reviews become approved while this run approves none.

        The page on which the review `beside` was found is read many times, some at once.
        """
        pending: set[str] = set()
        for page in self._pages(beside):
            statuses = {item["id"]: item.get("status") for item in identified(page)}
            if any(statuses.get(id) == APPROVED for id in pending):
                return True
            pending |= {id for id, status in statuses.items() if status != APPROVED}
        return False

    def others_revise(self, beside: str) -> bool:
        """Whether reviews get further revisions while this run approves none; as above."""
        known: dict[str, object] = {}
        for page in self._pages(beside):
            for item in identified(page):
                revision = item.get("subjectRevision")
                if known.setdefault(item["id"], revision) != revision:
                    return True
        return False

    def _pages(self, beside: str) -> Iterator[Exchange]:
        records = self._live.records("review_list")
        call = next(listed.call for listed in records if listed.record["id"] == beside)
        purpose = "look for changes by others"
        for _ in range(PAGES_TO_WATCH // PAGES_TOGETHER):
            yield from self._live.callers.send_all([call] * PAGES_TOGETHER, purpose)
