"""Paginations of one list with several limits."""

from collections.abc import Sequence

from conformance.contract.openapi import Operation
from conformance.http.exchange import Call
from conformance.suite.lists import page_sizes
from conformance.suite.lists.changing_lists import common
from conformance.suite.lists.features import ties
from conformance.suite.lists.live import LISTS, Live, parameter_of
from conformance.suite.lists.pagination import (
    BEGINNING,
    DEFAULT_LIMIT,
    GROWING,
    UNSTATED,
    End,
    Pagination,
    Plan,
)

LIMITS = (page_sizes.USUAL[0], GROWING, *page_sizes.USUAL[1:], UNSTATED)
FIRST = (GROWING, UNSTATED, *page_sizes.USUAL[1:])
"""The others in the order of what a run of little depth reads first."""
NARROWED = (page_sizes.USUAL[0], GROWING, DEFAULT_LIMIT, UNSTATED)
"""Those of a narrowed run, beside the ones that its failures are about."""
ALONE = 3
"""Sizes of a list whose cursors are bound to the limit that they were issued under."""
SHORTEST_ALONE = 8
"""The smallest of them: each reads the whole list."""
FITTING = 3
"""One size of so many is one that all records fit on, if there are such."""
PART = 6
"""Under a filter, or below the record with the most, it is one size for so many of a whole list."""


def lists(operation: Operation, live: Live) -> list[Call]:
    """The list itself, or below records the longest list, and the shortest with several records."""
    if "{" not in operation.path:
        return [Call(operation.id)]
    name = parameter_of(operation)
    longest, *others = live.parents(operation.id)
    pages = live.children(operation.id)
    several = [id for id in others if len(pages[id].items) > 1]
    both = live.session.some([longest, *(several or others)[-1:]])
    return [Call(operation.id, {name: id}) for id in both]


def with_all_limits(call: Call, live: Live) -> list[Pagination]:
    """Paginations of one list with several limits, the longest pages first."""
    live.callers.require_baseline(call.asking(limit="1"))
    usual = _with_usual_limits(call, live)
    plans = _plans_beside(usual, live)
    live.paginations.read_ahead(plans)
    return [*usual, *map(live.paginations.follow, plans)]


def _with_usual_limits(call: Call, live: Live) -> list[Pagination]:
    paginations = live.paginations
    longest = paginations.follow(paginations.plan(call, LIMITS[0]))
    count = len(longest.ids)
    first = FIRST[: live.session.depth.limits] if live.session.depth.limits else ()
    limits = narrowed(_other_limits(longest), NARROWED, live)
    read = [limit for limit in limits if not first or limit in first]
    others = [paginations.plan(call, limit, count) for limit in read]
    paginations.read_ahead(others)
    usual = [longest, *map(paginations.follow, others)]
    # Where each limit has an order of its own, pages of several sizes have none.
    has_order = _has_one_order(usual)
    return [each for each in usual if each.limit != GROWING or has_order]


def narrowed(limits: Sequence[int], few: Sequence[int], live: Live) -> list[int]:
    """The limits of a whole run; in a narrowed one a few, and those of its failures."""
    focus = live.session.focus
    if focus is None:
        return [*limits]
    return [limit for limit in limits if limit in few or limit in focus.limits]


def _has_one_order(usual: Sequence[Pagination]) -> bool:
    """Whether paginations of one page size each have their records in one order.

    A target may have an order for each limit, or a new one for each pagination.
    """
    whole = [each for each in usual if each.is_whole and each.limit != GROWING]
    return all(common(usual[0], each) == common(each, usual[0]) for each in whole)


def _plans_beside(usual: Sequence[Pagination], live: Live) -> list[Plan]:
    """Paginations with unusual page sizes of a list that was read to its end."""
    longest = usual[0]
    return size_plans(longest.call, len(longest.ids), usual, live) if longest.is_whole else []


def size_plans(call: Call, records: int, usual: Sequence[Pagination], live: Live) -> list[Plan]:
    """Paginations of a list of so many records with unusual page sizes.

    They change the size from page to page, where the target allows that: `usual` are those of the
    list with the usual limits, without a filter. A size that all records fit on is read alone.
    """
    number = _number_of_sizes(call, live)
    every = page_sizes.ordered(live.session.seed, _turn(call), number)
    if call.query:
        every = [*page_sizes.UNFILTERED, *every]
    if live.session.focus is not None:
        every = [size for size in every if size in live.session.focus.limits]
    fitting = [size for size in every if size >= records]
    longer, last = fitting[: number // FITTING], fitting[number // FITTING :]
    sizes = [size for size in every if size < records][: number - len(longer)]
    paginations = live.paginations
    growing = [each for each in usual if each.limit == GROWING]
    if not growing:
        return []  # a list without one order, or at work, is read often enough to be understood
    if growing[0].is_whole:
        sequences = page_sizes.sequences(sizes, records, last)
        plans = [paginations.plan_sizes(call, each) for each in sequences]
        return [*plans, *(paginations.plan(call, size, records) for size in longer)]
    alone = [size for size in sizes if size >= SHORTEST_ALONE][:ALONE]
    return [paginations.plan(call, size, records) for size in alone]


def _number_of_sizes(call: Call, live: Live) -> int:
    """How many unusual sizes a list is read with: fewer under a filter, or below a record.

    Below records, only the list with the most is: a short one shows little of a page size.
    """
    number = live.session.depth.sizes
    if not number:
        return 0
    if call.operation in LISTS.values():
        return number // PART + len(page_sizes.UNFILTERED) if call.query else number
    richest = live.parents(call.operation)[0]
    return number // PART if richest in call.path.values() else 0


def _turn(call: Call) -> int:
    """The position of a list among the lists of the contract, those below a record last."""
    lists = [*LISTS.values()]
    return lists.index(call.operation) if call.operation in lists else len(lists)


def _other_limits(longest: Pagination) -> list[int]:
    """The other limits with which a list is read, to its end or not."""
    if longest.is_whole:
        others = dict.fromkeys([*filling(len(longest.ids)), *ties(longest.records)[-1:]])
        return [*LIMITS[1:], *(limit for limit in others if limit not in LIMITS)]
    return [*LIMITS[1:]] if longest.end is End.PAGE_COUNT else []


def filling(count: int) -> list[int]:
    """The largest further limit above 1 with which so many records fill every page.

    Empty where there is none, or only so small a one that these were many pages.
    """
    limits = range(min(count, LIMITS[0]), max(1, (count - 1) // BEGINNING), -1)
    return [limit for limit in limits if count % limit == 0 and limit not in LIMITS][:1]
