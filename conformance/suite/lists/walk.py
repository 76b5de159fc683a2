"""Walks of lists: what each has read, where it goes on, and why it stops."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.target.target import Credential

PAGE = 100
GROWTH = (1, 3, None, 27, 81, PAGE)
"""The limits of pages that grow; the page without one goes on as well, however long it is."""
BEGINNING = 12
"""Pages of a walk that would be too long."""
FARTHEST = 400
"""Pages of a walk, at most, that seems to lose records from its beginning on."""
SPARE = 2
"""How many times as many pages as would do, since some may be shorter than they might be."""
GROWING = 0
"""The limit of a walk whose pages grow from one to the longest: a cursor goes on where its page ended, whatever comes with it."""
UNSTATED = -1
"""The limit of a walk that states none, so that its pages are as long as the target likes."""
USUAL = 10
"""Records of a page without a limit, at a guess that is rather too low."""
ENDLESS = 400
"""Records that empty pages in a row could have held, before a list counts as over although it still gives cursors."""
WIDEST_GAP = 100
"""Empty pages in a row, whatever their limit, before anybody is blamed for what a list does not show."""


@dataclass(frozen=True)
class Listed:
    """A record of a list, and the call whose page showed it."""

    record: dict[str, Any]
    call: Call


@dataclass(frozen=True)
class Walk:
    """The pages of a list from its first on, along `nextCursor`; `end` says why it stopped: end, loop, bound, refused or malformed."""

    call: Call
    limit: int
    pages: tuple[Exchange, ...]
    end: str

    @cached_property
    def ids(self) -> list[str]:
        """The ids of all records, in small letters and in the order in which they came."""
        return [
            record["id"].lower() for record in self.records if isinstance(record.get("id"), str)
        ]

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """All records, in the order in which they came."""
        return [record for page in self.pages for record in page.items]

    @cached_property
    def listed(self) -> list[Listed]:
        """The records that have a usable id."""
        return [
            Listed(record, page.call)
            for page in self.pages
            for record in page.items
            if is_uuid(record.get("id"))
        ]

    @property
    def nameless(self) -> int:
        """How many records show no usable id, so that each of them may be any record; what is wrong with an id is judged by the rules."""
        return len(self.records) - len(self.listed)

    @property
    def told(self) -> str:
        """The size of its pages, in words."""
        return {GROWING: "pages that grow", UNSTATED: "no limit"}.get(
            self.limit, f"limit {self.limit}"
        )

    @property
    def is_whole(self) -> bool:
        """Whether it came to the end of the list."""
        return self.end == "end"


@dataclass(frozen=True)
class Route:
    """A walk to be made: which list, in pages of which size, as whom, by which scheme (None: the client's choice), and how far."""

    call: Call
    limit: int
    who: Credential
    scheme: str | None
    most: int

    @property
    def key(self) -> tuple[object, ...]:
        """What the walk is remembered by."""
        return (
            self.call.operation,
            tuple(self.call.path.items()),
            self.call.query,
            self.limit,
            self.who.name,
            self.scheme,
        )


class Trail:
    """A walk under way: `request` is the next page of it, and `take` what came; `walk` is there once it is over.

    `cursor` is the name of the parameter, `least` the empty pages in a row that end a list.
    `problem` is there instead of a walk where a page says nothing.
    """

    def __init__(self, route: Route, cursor: str, least: int = 1) -> None:
        self.route = route
        self.walk: Walk | None = None
        self.problem: Inconclusive | None = None
        self._name = cursor
        self._gap = max(least, ENDLESS // length(route.limit))
        self._scheme = route.scheme
        self._cursor: str | None = None
        self._pages: list[Exchange] = []
        self._seen: set[str] = set()

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to read."""
        return self.walk is not None or self.problem is not None

    @property
    def request(self) -> tuple[Call, Sending]:
        """The call of the next page, and how it is made."""
        grown = GROWTH[min(len(self._pages), len(GROWTH) - 1)]
        size = None if self.route.limit == UNSTATED else self.route.limit or grown
        purpose = f"page {len(self._pages) + 1} of {size or 'any length'}"
        call = self.route.call.asking(
            limit=str(size) if size else None, **{self._name: self._cursor}
        )
        return call, Sending(self.route.who, self._scheme, purpose)

    @property
    def leads_on(self) -> bool:
        """Whether it is at its second page, and that has nothing of the first: the target knows the name of its cursor."""
        if len(self._pages) != 2 or self._pages[1].status != 200 or not self._pages[0].items:
            return False
        return not {record_key(item) for item in self._pages[0].items} & {
            record_key(item) for item in self._pages[1].items
        }

    def take(self, page: Exchange) -> None:
        """Go on from a page, or stop there."""
        try:
            expect.clear(page)
        except Inconclusive as problem:
            self.problem = problem
            return
        loops = page.cursor in self._seen and _leads_back(page, self._pages)
        self._pages.append(page)
        end = (
            "loop"
            if loops
            else _stopped(self._pages, self.route.limit) or _end(self._pages, self._gap, self._seen)
        )
        if end is not None or len(self._pages) >= self.route.most:
            self.walk = Walk(self.route.call, self.route.limit, tuple(self._pages), end or "bound")
            return
        # A cursor may be good for nobody but the credential that it was issued to.
        self._cursor, self._scheme = page.cursor, page.scheme
        self._seen.add(str(page.cursor))


def _leads_back(page: Exchange, pages: Sequence[Exchange]) -> bool:
    """Whether a page shows records, and none that is new; where the target keeps the place, one cursor may lead all the way."""
    read = {record_key(item) for earlier in pages for item in earlier.items}
    return bool(page.items) and all(record_key(item) in read for item in page.items)


def _is_page(answer: Exchange) -> bool:
    """Whether an answer has an array of items and, if any, a cursor that is one; another one says nothing about the list."""
    data = answer.data if isinstance(answer.data, dict) else {}
    return isinstance(data.get("items"), list) and (
        data.get("nextCursor") is None or is_uuid(data["nextCursor"])
    )


def _stopped(pages: Sequence[Exchange], limit: int) -> str | None:
    """Why the last page is none of the list; beside another limit than its own a cursor was never issued, and may find nothing."""
    unheeded = limit == GROWING and len(pages) == 2 and not pages[-1].items
    return (
        "refused"
        if pages[-1].status != 200 or unheeded
        else None
        if _is_page(pages[-1])
        else "malformed"
    )


def _end(pages: Sequence[Exchange], gap: int, seen: set[str]) -> str | None:
    """Whether a list is over: no cursor, or one that leads from an empty page to nothing else, or from page to page in a gap."""
    empty = next((number for number, page in enumerate(reversed(pages)) if page.items), len(pages))
    over = pages[-1].cursor is None or empty >= gap or (empty > 0 and pages[-1].cursor in seen)
    return "end" if over else None


def length(limit: int) -> int:
    """How many records the pages of a walk hold, as far as that can be told before."""
    return {GROWING: PAGE, UNSTATED: USUAL}.get(limit, limit)


def enough(records: int, limit: int) -> int:
    """The pages in which a list of so many records is read whole."""
    return min(FARTHEST, SPARE * records // length(limit))


def record_key(record: dict[str, Any]) -> str:
    """What a record is told by: its id, or all of it where it has none."""
    id = record.get("id")
    return id.lower() if isinstance(id, str) else json.dumps(record, sort_keys=True)
