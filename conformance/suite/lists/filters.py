"""Paginations of lists under a filter: by company, or by project."""

from collections import Counter
from collections.abc import Iterator
from math import ceil

from conformance.contract.openapi import Operation
from conformance.http.exchange import Call
from conformance.rules.records import values
from conformance.suite.lists.limits import filling, narrowed
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import (
    BEGINNING,
    DEFAULT_LIMIT,
    PAGE,
    SHORT,
    UNSTATED,
    Pagination,
    Plan,
)

FEW = 2
"""Ids of each filter that other checks read the list under."""
SOME = 3
"""Pages of a short pagination under a filter."""
LIMITS = (PAGE, DEFAULT_LIMIT, SHORT, 1)
"""Limits of the paginations under a filter."""
NARROWED = (PAGE, DEFAULT_LIMIT)
"""Those of a narrowed run, beside the ones that its failures are about."""


def certain_filters(operation: Operation, live: Live) -> Iterator[tuple[str, str]]:
    """The filters whose names are certain, each with the property that it restricts."""
    for name, role in live.session.roles(operation).items():
        if role in operation.filters:
            yield name, operation.filters[role]


def ids_inside(operation: Operation, restricted: str, live: Live) -> list[str]:
    """Some ids for a filter, of records inside the grant."""
    records = live.listing(operation.id).records
    inside = [record for record in records if not live.is_outside(record, operation.id)]
    return values(inside, restricted)[: live.session.depth.limits]


def filtered_plans(
    operation: Operation, name: str, restricted: str, live: Live, most: int | None = None
) -> list[tuple[Plan, str]]:
    """The paginations under one filter, each with the id that the filter names.

    They are those of so many ids at most.
    """
    listing = live.listing(operation.id)
    counts = Counter(str(record.get(restricted)) for record in listing.records)
    # Of a list that is too long to be read whole, a filter may pass as many records again.
    unread = 0 if listing.is_whole else len(listing.records)
    return [
        (live.paginations.plan(call, limit, counts[id] + unread), id)
        for id in ids_inside(operation, restricted, live)[:most]
        for call in (Call(operation.id).asking(**{name: id}),)
        for limit in narrowed(_limits(counts[id], max(counts.values()), live), NARROWED, live)
    ]


def _limits(count: int, most: int, live: Live) -> list[int]:
    """The limits for a filter that so many records pass.

    The default limit, and no limit, only where they make two pages of the most frequent id. The
    last page is a full one with one limit at least. A run of little depth reads one page, and some.
    """
    if live.session.depth.limits is not None:
        return [PAGE, min(PAGE, ceil(count / SOME))]
    full = filling(count) if count > BEGINNING else []
    if count > DEFAULT_LIMIT and count == most:
        return [*LIMITS, *full, UNSTATED]
    return [*(limit for limit in LIMITS if limit != DEFAULT_LIMIT), *full]


def filtered_paginations(operation: Operation, live: Live) -> list[Pagination]:
    """Some of the paginations that the check of filters reads."""
    if "{" in operation.path or not live.listing(operation.id).records:
        return []
    plans = [
        plan
        for name, restricted in certain_filters(operation, live)
        for plan, _ in filtered_plans(operation, name, restricted, live, FEW)
    ]
    live.paginations.read_ahead(plans)
    return [live.paginations.follow(plan) for plan in plans]
