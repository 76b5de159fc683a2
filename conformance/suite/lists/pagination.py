"""Pagination of one list: the pages that following `nextCursor` returns, and why it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import PARSED, Call, Exchange
from conformance.http.recent import recent
from conformance.http.sending import Sending
from conformance.rules.page import DEFAULTS
from conformance.rules.records import record_key
from conformance.runner.facts import fact_name
from conformance.suite.callers import expect
from conformance.target.target import Credential

PAGE = 100
"""The longest page (Limits)."""
DEFAULT_LIMIT = DEFAULTS["project_list"]
"""The default of `limit` on GET /projects."""
Sizes = tuple[int | None, ...]
"""The limits of consecutive pages; the last one is that of all further pages.

None requests a page without a limit.
"""
GROWTH: Sizes = (1, 3, None, 27, 81, PAGE)
"""The limits of growing pages."""
BEGINNING = 12
"""Pages that are read of a list that is too long."""
SHORT = 3
"""The limit of very short pages, of which the first ones are read."""
FARTHEST = 400
"""Most pages that are read before a list counts as losing records from its beginning on."""
SPARE = 2
"""A list is read in up to so many times the pages that it needs: some may be shorter."""
GROWING = 0
"""The limit of a pagination whose pages have several sizes: a cursor continues with any limit."""
UNSTATED = -1
"""The limit of a pagination that sends no `limit`."""
USUAL = 10
"""Records of a page without a limit, estimated low."""
ENDLESS = 400
"""Records that consecutive empty pages could hold before a list counts as ended."""
WIDEST_GAP = 100
"""Consecutive empty pages, of any limit, before a missing record is reported."""


class End(Enum):
    """Why a pagination ended."""

    LAST_PAGE = "the last page"
    LOOP = "a cursor that leads back"
    PAGE_COUNT = "as many pages as the depth of the run allows"
    REJECTED = "an error response"
    MALFORMED = "a response that is not a page"


@dataclass(frozen=True)
class Listed:
    """A record of a list, and the call whose page showed it."""

    record: dict[str, Any]
    call: Call


@dataclass(frozen=True)
class Pagination:
    """The pages of a list from the first one on, following `nextCursor`."""

    call: Call
    limit: int
    pages: tuple[Exchange, ...]
    end: End
    sizes: Sizes = GROWTH

    @cached_property
    def ids(self) -> list[str]:
        """The ids of all records, in lower case and in their order."""
        strings = [record["id"] for record in self.records if isinstance(record.get("id"), str)]
        return [id.lower() for id in strings]

    @recent(lambda pagination: PARSED * pagination.size)
    def records(self) -> list[dict[str, Any]]:
        """All records, in their order."""
        return [record for page in self.pages for record in page.items]

    @recent(lambda pagination: PARSED * pagination.size)
    def listed(self) -> list[Listed]:
        """The records with a valid id."""
        shown = [(record, page.call) for page in self.pages for record in page.items]
        return [Listed(record, call) for record, call in shown if is_uuid(record.get("id"))]

    @property
    def size(self) -> int:
        """The bytes of all its pages."""
        return sum(page.response.length for page in self.pages if page.response is not None)

    @property
    def without_id(self) -> int:
        """How many records have no valid id: each of them may be any record."""
        return len(self.records) - len(self.listed)

    @property
    def page_size(self) -> str:
        """The requested size of its pages, as a phrase."""
        growing = "growing pages" if self.sizes == GROWTH else f"the limits {_listed(self.sizes)}"
        phrases = {GROWING: growing, UNSTATED: "no limit"}
        return phrases.get(self.limit, f"limit={self.limit}")

    @property
    def is_whole(self) -> bool:
        """Whether it reached the last page."""
        return self.end is End.LAST_PAGE


@dataclass(frozen=True)
class Plan:
    """A pagination to be read: the list, the limit, the caller, and the largest number of pages.

    `scheme` is None where the client chooses it. `sizes` are the limits of pages of several sizes.
    """

    call: Call
    limit: int
    caller: Credential
    scheme: str | None
    most: int
    sizes: Sizes = GROWTH

    @property
    def name(self) -> str:
        """The name of the pagination as a fact of the run."""
        limit = {GROWING: "growing", UNSTATED: "unstated"}.get(self.limit, str(self.limit))
        sizes = "then".join(map(str, self.sizes)) if self.sizes != GROWTH else None
        parts = (limit, sizes, self.caller.name, self.scheme, f"{self.most}pages")
        return fact_name("pages", self.call, *parts)


class Paginator:
    """Reads a list page by page: `request` is the next request, `take` accepts its response.

    `cursor` is the name of the parameter, `gap` the consecutive empty pages that end a list.
    In the end there is either a `pagination` or a `problem`.
    """

    def __init__(self, plan: Plan, cursor: str, gap: int = 1) -> None:
        self.plan = plan
        self.pagination: Pagination | None = None
        self.problem: Inconclusive | None = None
        self._name = cursor
        self._gap = max(gap, ENDLESS // length(plan.limit))
        self._scheme = plan.scheme
        self._cursor: str | None = None
        self._pages: list[Exchange] = []
        self._followed: set[str] = set()

    @property
    def is_over(self) -> bool:
        """Whether there is no further page to read."""
        return self.pagination is not None or self.problem is not None

    @property
    def request(self) -> tuple[Call, Sending]:
        """The request for the next page."""
        sizes = self.plan.sizes
        grown = sizes[min(len(self._pages), len(sizes) - 1)]
        size = None if self.plan.limit == UNSTATED else self.plan.limit or grown
        purpose = f"page {len(self._pages) + 1} ({f'limit={size}' if size else 'no limit'})"
        limit = str(size) if size else None
        call = self.plan.call.asking(limit=limit, **{self._name: self._cursor})
        return call, Sending(self.plan.caller, self._scheme, purpose)

    @property
    def shows_cursor(self) -> bool:
        """Whether the second page shares no record with the first: the target knows the cursor."""
        if len(self._pages) != 2 or self._pages[1].status != 200 or not self._pages[0].items:
            return False
        first, second = (set(map(record_key, page.items)) for page in self._pages)
        return first.isdisjoint(second)

    def take(self, page: Exchange) -> None:
        """Continue after a page, or end there."""
        try:
            expect.clear(page)
        except Inconclusive as problem:
            self.problem = problem
            return
        is_known = _is_page(page) and page.cursor in self._followed
        is_loop = is_known and _leads_back(page, self._pages)
        self._pages.append(page)
        end = End.LOOP if is_loop else self._end()
        if end is None and len(self._pages) >= self.plan.most:
            end = End.PAGE_COUNT
        if end is not None:
            plan, pages = self.plan, tuple(self._pages)
            self.pagination = Pagination(plan.call, plan.limit, pages, end, plan.sizes)
            return
        # A cursor may be valid only for the credential that it was issued to.
        self._cursor, self._scheme = page.cursor, page.scheme
        self._followed.add(str(page.cursor))

    def _end(self) -> End | None:
        """Why the list ends at the page that was read last; None where it goes on."""
        page = self._pages[-1]
        # A cursor may be bound to the limit that it was issued under, and find nothing else.
        is_unheeded = self.plan.limit == GROWING and len(self._pages) == 2 and not page.items
        if page.status != 200 or is_unheeded:
            return End.REJECTED
        if not _is_page(page):
            return End.MALFORMED
        empty = _empty_pages(self._pages)
        is_gap_circular = empty > 0 and page.cursor in self._followed
        is_last = page.cursor is None or empty >= self._gap or is_gap_circular
        return End.LAST_PAGE if is_last else None


def _leads_back(page: Exchange, pages: Sequence[Exchange]) -> bool:
    """Whether a page has records, and all of them are on earlier pages.

    A repeated cursor alone is not a loop: a target that stores the position may use a single
    cursor.
    """
    known = {record_key(item) for earlier in pages for item in earlier.items}
    return bool(page.items) and all(record_key(item) in known for item in page.items)


def _is_page(response: Exchange) -> bool:
    """Whether a response has an array of items and a cursor that is null, absent or a UUID."""
    data = response.data if isinstance(response.data, dict) else {}
    cursor = data.get("nextCursor")
    return isinstance(data.get("items"), list) and (cursor is None or is_uuid(cursor))


def _empty_pages(pages: Sequence[Exchange]) -> int:
    """How many empty pages there are at the end."""
    backwards = enumerate(reversed(pages))
    return next((number for number, page in backwards if page.items), len(pages))


def _listed(sizes: Sizes) -> str:
    return ", ".join("none" if size is None else str(size) for size in sizes)


def length(limit: int) -> int:
    """The records of a page with this limit, estimated where the limit does not say."""
    return {GROWING: PAGE, UNSTATED: USUAL}.get(limit, limit)


def enough(records: int, limit: int) -> int:
    """The most pages that are read of a list of so many records."""
    return min(FARTHEST, SPARE * records // length(limit))
