"""The paginations of a run: each list is read once for each page size, caller and scheme."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http import client
from conformance.http.exchange import Call
from conformance.runner.context import Context
from conformance.runner.facts import Fact
from conformance.suite.callers.callers import DEFAULT, Callers
from conformance.suite.lists.pagination import (
    BEGINNING,
    GROWING,
    SHORT,
    WIDEST_GAP,
    End,
    Pagination,
    Paginator,
    Plan,
    Sizes,
    enough,
    length,
)
from conformance.target.target import Credential


@dataclass(frozen=True)
class Reader:
    """A pagination under way, and the item that its requests belong to."""

    session: Context
    paginator: Paginator


class Paginations:
    """Reads lists by following `nextCursor`; each pagination is a fact of the run."""

    def __init__(self, session: Context, callers: Callers) -> None:
        self._session = session
        self._callers = callers

    def read(
        self, call: Call, limit: int, credential: Any = DEFAULT, scheme: str | None = None
    ) -> Pagination:
        """The pages of a list, at most as many as the depth of the run allows."""
        return self.follow(self.to_read(call, limit, credential, scheme))

    def to_read(
        self, call: Call, limit: int, credential: Any = DEFAULT, scheme: str | None = None
    ) -> Plan:
        """The plan of what `read` reads."""
        caller = self._callers.credential("primary") if credential is DEFAULT else credential
        return Plan(call, limit, caller, scheme, self._most(limit))

    def follow(self, plan: Plan) -> Pagination:
        """The pages of a planned pagination."""
        paginator = self._paginator(plan)
        return self._session.fact(plan.name, lambda own: _follow_alone(Reader(own, paginator)))

    def again(
        self, pagination: Pagination, scheme: str | None = None, records: int = 0
    ) -> Pagination:
        """Read a list once more as the same caller, by the same scheme unless one is given.

        It goes as far as before, or as `records` take.
        """
        caller, most = self._caller_of(pagination), self._most(pagination.limit)
        pages = len(pagination.pages) if pagination.end is End.PAGE_COUNT else most
        most = max(pages, enough(records, pagination.limit))
        plan = Plan(pagination.call, pagination.limit, caller, scheme, most, pagination.sizes)
        by_scheme = replace(plan, scheme=scheme or pagination.pages[0].scheme)
        # A violation may follow: what looks like the end of the list may be an unusually wide gap.
        paginator = self._paginator(by_scheme, WIDEST_GAP)
        return _follow_alone(Reader(self._session, paginator))

    def anew(self, pagination: Pagination, scheme: str | None = None) -> Pagination:
        """Read a list once more as the same caller, by the same scheme unless one is given."""
        plan = self.like(pagination, pagination.call, scheme or pagination.pages[0].scheme)
        return _follow_alone(Reader(self._session, self._paginator(plan)))

    def plan(self, call: Call, limit: int, records: int = 0) -> Plan:
        """A pagination as primary of a list of so many records.

        Only some pages are read of very short ones, and where the depth of the run does not allow
        all of them.
        """
        pages = self._most(limit)
        is_read = records < length(limit) * pages and limit not in range(1, SHORT + 1)
        most = pages if is_read else BEGINNING
        return Plan(call, limit, self._callers.credential("primary"), None, most)

    def plan_sizes(self, call: Call, sizes: Sizes) -> Plan:
        """A pagination as primary whose pages have these limits, one after the other."""
        primary, pages = self._callers.credential("primary"), self._session.depth.pages
        return Plan(call, GROWING, primary, None, pages, sizes)

    def like(self, pagination: Pagination, call: Call, scheme: str | None) -> Plan:
        """A pagination as the same caller of another list, with pages of the same sizes."""
        limit, sizes = pagination.limit, pagination.sizes
        caller, most = self._caller_of(pagination), self._most(limit)
        return Plan(call, limit, caller, scheme, most, sizes)

    def _caller_of(self, pagination: Pagination) -> Credential:
        return self._callers.credential(str(pagination.pages[0].credential))

    def _most(self, limit: int) -> int:
        """The most pages of one limit that the depth of the run allows."""
        depth = self._session.depth
        if limit == GROWING:  # its first pages are short ones
            return depth.pages
        return min(depth.pages, max(BEGINNING, depth.listed // length(limit)))

    def read_ahead(self, plans: Iterable[Plan]) -> None:
        """Read the lists of several plans concurrently, a page of each at a time.

        What keeps a list from being read ends the check that asks for it.
        """
        readable = [plan for plan in plans if self._cursor(plan) is not None]
        claimed = [(self._session.claim(plan.name), plan) for plan in readable]
        own = [(fact, self._paginator(plan)) for fact, plan in claimed if fact is not None]
        _find_all(own)

    def shows_cursor(self, call: Call) -> bool:
        """Whether two pages of one record show other records: the target knows the cursor."""
        primary = self._callers.credential("primary")
        paginator = self._paginator(Plan(call, 1, primary, None, most=2))
        _follow_alone(Reader(self._session, paginator))
        return paginator.shows_cursor

    def _cursor(self, plan: Plan) -> str | None:
        return self._session.name(self._session.contract.operation(plan.call.operation), "cursor")

    def _paginator(self, plan: Plan, gap: int = 1) -> Paginator:
        name = self._cursor(plan)
        if name is None:
            raise NotApplicable(f"{plan.call.operation} has no cursor")
        return Paginator(plan, name, gap)


def _follow_alone(reader: Reader) -> Pagination:
    _follow([reader])
    return _outcome(reader.paginator)


def _outcome(paginator: Paginator) -> Pagination:
    if paginator.problem is not None:
        raise paginator.problem
    assert paginator.pagination is not None
    return paginator.pagination


def _find_all(facts: Sequence[tuple[Fact, Paginator]]) -> None:
    """Read the lists of several facts concurrently."""
    problem: Exception | None = None
    try:
        _follow([Reader(fact.context, paginator) for fact, paginator in facts])
    except Inconclusive as raised:
        problem = raised
    except BaseException:
        for fact, paginator in facts:
            fact.fail(RuntimeError(f"{paginator.plan.name} was not read"))
        raise
    for fact, paginator in facts:
        if paginator.pagination is not None:
            fact.settle(paginator.pagination)
        else:
            fact.fail(paginator.problem or problem or RuntimeError("a list was not read"))


def _follow(readers: Sequence[Reader]) -> None:
    """Read the next page of every list, until all are over."""
    while unfinished := [each for each in readers if not each.paginator.is_over]:
        pages = client.send_all(
            [(each.session.client, *each.paginator.request) for each in unfinished]
        )
        for reader, page in zip(unfinished, pages, strict=True):
            reader.paginator.take(page)
