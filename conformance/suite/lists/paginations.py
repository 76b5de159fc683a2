"""The paginations of a run: each list is read once for each page size, caller and scheme."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Call
from conformance.runner.session import Session
from conformance.suite.callers.callers import DEFAULT, Callers
from conformance.suite.lists.pagination import (
    BEGINNING,
    GROWING,
    WIDEST_GAP,
    End,
    Pagination,
    Paginator,
    Plan,
    Sizes,
    enough,
    length,
)


class Paginations:
    """Reads lists by following `nextCursor`, and remembers what it read."""

    def __init__(self, session: Session, callers: Callers) -> None:
        self._session = session
        self._callers = callers
        self._read: dict[tuple[object, ...], Pagination] = {}

    def read(
        self, call: Call, limit: int, credential: Any = DEFAULT, scheme: str | None = None
    ) -> Pagination:
        """The pages of a list, at most as many as the depth of the run allows."""
        caller = self._callers.credential("primary") if credential is DEFAULT else credential
        return self.follow(Plan(call, limit, caller, scheme, self._session.depth.pages))

    def follow(self, plan: Plan) -> Pagination:
        """The pages of a planned pagination."""
        if plan.key not in self._read:
            self._read[plan.key] = self._follow_alone(self._paginator(plan))
        return self._read[plan.key]

    def again(
        self, pagination: Pagination, scheme: str | None = None, records: int = 0
    ) -> Pagination:
        """Read a list once more as primary, by the same scheme unless one is given.

        It goes as far as before, or as `records` take.
        """
        primary, depth = self._callers.credential("primary"), self._session.depth.pages
        pages = len(pagination.pages) if pagination.end is End.PAGE_COUNT else depth
        most = max(pages, enough(records, pagination.limit))
        plan = Plan(pagination.call, pagination.limit, primary, scheme, most, pagination.sizes)
        by_scheme = replace(plan, scheme=scheme or pagination.pages[0].scheme)
        # A violation may follow: what looks like the end of the list may be an unusually wide gap.
        self._read[plan.key] = self._follow_alone(self._paginator(by_scheme, WIDEST_GAP))
        return self._read[plan.key]

    def plan(self, call: Call, limit: int, records: int = 0) -> Plan:
        """A pagination as primary of a list of so many records.

        Only some pages are read where the depth of the run does not allow all of them.
        """
        pages = self._session.depth.pages
        most = pages if records <= length(limit) * pages else BEGINNING
        return Plan(call, limit, self._callers.credential("primary"), None, most)

    def plan_sizes(self, call: Call, sizes: Sizes) -> Plan:
        """A pagination as primary whose pages have these limits, one after the other."""
        primary, pages = self._callers.credential("primary"), self._session.depth.pages
        return Plan(call, GROWING, primary, None, pages, sizes)

    def like(self, pagination: Pagination, call: Call, scheme: str | None) -> Plan:
        """A pagination as primary of another list, with pages of the same sizes."""
        limit, sizes, pages = pagination.limit, pagination.sizes, self._session.depth.pages
        return Plan(call, limit, self._callers.credential("primary"), scheme, pages, sizes)

    def has_read(self, call: Call, limit: int) -> bool:
        """Whether a list has been read as primary with this limit."""
        return self.plan(call, limit).key in self._read

    def read_ahead(self, plans: Iterable[Plan]) -> None:
        """Read the lists of several plans concurrently, a page of each at a time.

        A list that cannot be read is left out; `read` tries it again.
        """
        new = {plan.key: plan for plan in plans if plan.key not in self._read}.values()
        paginators = [self._paginator(plan) for plan in new if self._cursor(plan) is not None]
        with suppress(Inconclusive):
            self._follow(paginators)
        self._read |= {
            paginator.plan.key: paginator.pagination
            for paginator in paginators
            if paginator.pagination is not None
        }

    def try_cursor(self, call: Call) -> None:
        """Read two pages of one record: other records show that the target knows the cursor."""
        primary = self._callers.credential("primary")
        self._follow_alone(self._paginator(Plan(call, 1, primary, None, most=2)))

    def _cursor(self, plan: Plan) -> str | None:
        return self._session.name(self._session.contract.operation(plan.call.operation), "cursor")

    def _paginator(self, plan: Plan, gap: int = 1) -> Paginator:
        name = self._cursor(plan)
        if name is None:
            raise NotApplicable(f"{plan.call.operation} has no cursor")
        return Paginator(plan, name, gap)

    def _follow_alone(self, paginator: Paginator) -> Pagination:
        self._follow([paginator])
        if paginator.problem is not None:
            raise paginator.problem
        assert paginator.pagination is not None
        return paginator.pagination

    def _follow(self, paginators: Sequence[Paginator]) -> None:
        """Read the next page of every list, until all are over."""
        while unfinished := [each for each in paginators if not each.is_over]:
            pages = self._callers.send_each([each.request for each in unfinished])
            for paginator, page in zip(unfinished, pages, strict=True):
                paginator.take(page)
                if paginator.shows_cursor:
                    self._session.confirm_parameter(page.operation, "cursor")
