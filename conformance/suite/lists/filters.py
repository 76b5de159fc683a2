"""Paginations of lists under a filter: by company, or by project."""

from collections import Counter
from collections.abc import Iterator

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
    return values(inside, restricted)


def filtered_plans(
    operation: Operation, name: str, restricted: str, live: Live
) -> list[tuple[Plan, str]]:
    """The paginations under one filter, each with the id that the filter names."""
    listing = live.listing(operation.id)
    counts = Counter(str(record.get(restricted)) for record in listing.records)
    # Of a list that is too long to be read whole, a filter may pass as many records again.
    unread = 0 if listing.is_whole else len(listing.records)
    return [
        (live.paginations.plan(call, limit, counts[id] + unread), id)
        for id in ids_inside(operation, restricted, live)
        for call in (Call(operation.id).asking(**{name: id}),)
        for limit in narrowed(_limits(counts[id], max(counts.values())), NARROWED, live)
    ]


def _limits(count: int, most: int) -> list[int]:
    """The limits for a filter that so many records pass.

    The default limit, and no limit, only where they make two pages of the most frequent id. The
    last page is a full one with one limit at least.
    """
    full = filling(count) if count > BEGINNING else []
    if count > DEFAULT_LIMIT and count == most:
        return [*LIMITS, *full, UNSTATED]
    return [*(limit for limit in LIMITS if limit != DEFAULT_LIMIT), *full]


def filtered_paginations(operation: Operation, live: Live) -> list[Pagination]:
    """Paginations under each filter, most of which the check of filters reads too."""
    if "{" in operation.path or not live.listing(operation.id).records:
        return []
    plans = [
        plan
        for name, restricted in certain_filters(operation, live)
        for plan in _usual_plans(operation, name, restricted, live)
    ]
    live.paginations.read_ahead(plans)
    return [live.paginations.follow(plan) for plan in plans]


def _usual_plans(operation: Operation, name: str, restricted: str, live: Live) -> list[Plan]:
    records = live.listing(operation.id).records
    plans = []
    for id in values(records, restricted)[:2]:
        count = sum(record.get(restricted) == id for record in records)
        limits = [each for each in LIMITS if each != DEFAULT_LIMIT or count > each]
        limits += filling(count) if count > BEGINNING else []
        limits = narrowed(limits, NARROWED, live)
        call = Call(operation.id).asking(**{name: id})
        plans += [live.paginations.plan(call, limit, count) for limit in limits]
    return plans
