"""The ten operations without a protocol: `(caller, arguments) -> data` ("Endpoints").

HTTP and tools call `admit`, `permit` and `perform` in this order. If several errors apply, the
response is the first of: credential, rate limit, permission, arguments, existence within the grant,
role, state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from conformance.reference import approval, arguments, catalogue, resources
from conformance.reference.access import Caller, authenticate, check_permission
from conformance.reference.arguments import Arguments
from conformance.reference.catalogue import Operation
from conformance.reference.clock import Clock
from conformance.reference.cursors import Cursors
from conformance.reference.errors import NotFound
from conformance.reference.queries import AccountReader, Window
from conformance.reference.rate_limit import RateLimiter
from conformance.reference.resources import Json
from conformance.reference.schemes import PresentedCredentials
from conformance.reference.store import Row, Store


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a list; `owner` identifies caller, list and parent, to which cursors are bound."""

    owner: str
    window: Window


class Service:
    """The operations of one store; thread-safe."""

    def __init__(self, store: Store, clock: Clock, seed: int) -> None:
        self._store = store
        self._clock = clock
        self._limiter = RateLimiter(clock)
        self._cursors = Cursors(blake2b(f"{seed} cursors".encode()).digest())
        self._handlers: dict[str, Callable[[Caller, Arguments], Json]] = {
            operation.id: getattr(self, operation.id) for operation in catalogue.operations()
        }

    def admit(self, presented_credentials: PresentedCredentials) -> Caller:
        """Return the caller; raise Unauthenticated, or RateLimited beyond the rate limit."""
        caller = authenticate(self._store, self._clock, presented_credentials)
        self._limiter.consume(caller.credential, caller.rate)
        return caller

    def permit(self, caller: Caller, operation: Operation) -> None:
        """Raise Forbidden if the credential lacks the permission of the operation."""
        check_permission(caller, operation)

    def perform(self, operation: Operation, caller: Caller, given: Arguments) -> Json:
        """Return the `data` of the response; ApiError for arguments, grant, role or state."""
        return self._handlers[operation.id](caller, given)

    def account_get(self, caller: Caller, _given: Arguments) -> Json:
        """The account of the caller."""
        return resources.account(_existing(self._reader(caller).account()))

    def project_list(self, caller: Caller, given: Arguments) -> Json:
        """Projects, filtered by `companyId`."""
        listing = self._listing(f"{caller.account} projects", given)
        company = arguments.optional_uuid(given, "companyId")
        rows = self._reader(caller).projects(listing.window, company)
        return self._page(listing, rows, resources.project)

    def project_get(self, caller: Caller, given: Arguments) -> Json:
        """One project."""
        project_id = arguments.uuid(given, "projectId")
        return resources.project(_existing(self._reader(caller).project(project_id)))

    def video_list(self, caller: Caller, given: Arguments) -> Json:
        """Videos with their localizations, filtered by `companyId` and `projectId`."""
        listing = self._listing(f"{caller.account} videos", given)
        company = arguments.optional_uuid(given, "companyId")
        project = arguments.optional_uuid(given, "projectId")
        reader = self._reader(caller)
        rows = reader.videos(listing.window, company, project)
        localizations = reader.localizations(rows)
        return self._page(listing, rows, lambda row: resources.video(row, localizations[row["id"]]))

    def video_get(self, caller: Caller, given: Arguments) -> Json:
        """One video with its localizations."""
        video_id = arguments.uuid(given, "videoId")
        reader = self._reader(caller)
        row = _existing(reader.video(video_id))
        return resources.video(row, reader.localizations([row])[row["id"]])

    def review_list(self, caller: Caller, given: Arguments) -> Json:
        """Reviews, filtered by `projectId`."""
        listing = self._listing(f"{caller.account} reviews", given)
        project = arguments.optional_uuid(given, "projectId")
        rows = self._reader(caller).reviews(listing.window, project)
        return self._page(listing, rows, resources.review)

    def review_get(self, caller: Caller, given: Arguments) -> Json:
        """One review."""
        review_id = arguments.uuid(given, "reviewId")
        return resources.review(_existing(self._reader(caller).review(review_id)))

    def review_approve(self, caller: Caller, given: Arguments) -> Json:
        """Approve a review; the same request with the same key returns the same result."""
        request = approval.ApprovalRequest(
            review_id=arguments.uuid(given, "reviewId"),
            expected_revision=arguments.integer(given, "expectedSubjectRevision"),
            idempotency_key=arguments.key(given, "idempotencyKey"),
        )
        return resources.approval(
            approval.approve(self._store, caller.account, request, self._clock.now())
        )

    def comment_list(self, caller: Caller, given: Arguments) -> Json:
        """Comments of a review, with their replies."""
        review_id = arguments.uuid(given, "reviewId")
        listing = self._listing(f"{caller.account} comments {review_id}", given)
        reader = self._reader(caller)
        _existing(reader.review(review_id))
        rows = reader.comments(listing.window, review_id)
        replies = reader.replies(rows)
        return self._page(listing, rows, lambda row: resources.comment(row, replies[row["id"]]))

    def activity_list(self, caller: Caller, given: Arguments) -> Json:
        """Activity of a project."""
        project_id = arguments.uuid(given, "projectId")
        listing = self._listing(f"{caller.account} activity {project_id}", given)
        reader = self._reader(caller)
        _existing(reader.project(project_id))
        rows = reader.activity(listing.window, project_id)
        return self._page(listing, rows, resources.activity)

    def _reader(self, caller: Caller) -> AccountReader:
        return AccountReader(self._store, caller.account)

    def _listing(self, owner: str, given: Arguments) -> Listing:
        """The page of `limit` and `cursor`; NotFound if the cursor has another owner."""
        page = arguments.page(given)
        after = self._cursors.position(owner, page.cursor)
        return Listing(owner, Window(after, page.limit))

    def _page(self, listing: Listing, rows: list[Row], render: Callable[[Row], Json]) -> Json:
        """The items of a page, and the cursor of the next one, or null on the last page."""
        items = rows[: listing.window.limit]
        more = len(rows) > len(items)
        cursor = self._cursors.issue(listing.owner, items[-1]["position"]) if more else None
        return {
            "items": [render(row) for row in items],
            "nextCursor": cursor,
        }


def _existing(row: Row | None) -> Row:
    """Return the row; raise NotFound if there is none within the grant."""
    if row is None:
        raise NotFound("There is no such resource.")
    return row
