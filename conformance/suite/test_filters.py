"""Filters: a list that is restricted to a company or a project (GET /projects, Endpoints)."""

from collections import Counter

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call
from conformance.rules.records import every_value
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.filter_pairs import check_pairs
from conformance.suite.lists.filtered_lists import check_filtered
from conformance.suite.lists.filtered_sizes import check_sizes
from conformance.suite.lists.filters import LIMITS, certain_filters, filtered_plans, ids_inside
from conformance.suite.lists.filters_without_records import (
    check_unknown_ids,
    check_unused_ids,
    ids_of_other_lists,
    ids_outside,
    read_later_page,
    unused_ids,
)
from conformance.suite.lists.live import Live
from conformance.suite.lists.parameters import confirmed_name

FURTHER_LIMITS = ("50", "10", "7")


@requirement("pagination/filter")
def test_a_filter_restricts_every_page(operation: Operation, live: Live) -> None:
    """A filtered list has the records of the unfiltered one that pass, on every page.

    A rule judges whether what the pages show passes their filters.
    """
    _read_ahead(operation, live)
    is_filtered = False
    for role, restricted in operation.filters.items():
        if live.session.name(operation, role) is None:
            continue
        name = confirmed_name(operation, role, live)
        check_unknown_ids(operation, role, name, live)
        ids = ids_inside(operation, restricted, live)
        is_filtered = is_filtered or bool(ids)
        plans = filtered_plans(operation, name, restricted, live)
        for plan, id in plans:
            check_filtered(live.paginations.follow(plan), {restricted: id}, live)
        _check_sizes(operation, name, restricted, live)
        for id in ids[-1:]:
            _read_first_pages(Call(operation.id).asking(**{name: id}), live)
        for id in ids_of_other_lists(operation, role, live):
            call = Call(operation.id).asking(**{name: id})
            check_filtered(live.paginations.read(call, LIMITS[0]), {restricted: id}, live)
        unused = unused_ids(operation, restricted, live)
        # The records of the first owner may fill the page of a filter that is ignored.
        upper = [id.upper() for id in dict.fromkeys((*ids[:1], *ids[-1:]))]
        without_records = [*ids_outside(role, live), *unused, *upper]
        others = [Call(operation.id).asking(**{name: id}) for id in without_records]
        live.callers.send_all(others, f"a filter by a {role} without records, or in upper case")
        for id in upper:
            read_later_page(operation, role, name, id, live)
        check_unused_ids(operation, role, name, unused, live)
    check_pairs(operation, live)
    if not is_filtered:
        raise Inconclusive(
            f"no record of {operation.id} has an id to filter by", needs=("data in the target",)
        )


def _read_ahead(operation: Operation, live: Live) -> None:
    """Read the list under all filters whose names are certain, concurrently."""
    plans = []
    for name, restricted in certain_filters(operation, live):
        plans += filtered_plans(operation, name, restricted, live)
    live.paginations.read_ahead(plan for plan, _ in plans)


def _check_sizes(operation: Operation, name: str, restricted: str, live: Live) -> None:
    """Pages of unusual sizes, under the filter that most records pass."""
    counts = Counter(every_value(live.listing(operation.id).records, restricted))
    ids = sorted(ids_inside(operation, restricted, live), key=lambda id: -counts[id])
    for id in ids[:1]:
        check_sizes(Call(operation.id).asking(**{name: id}), {restricted: id}, live)


def _read_first_pages(call: Call, live: Live) -> None:
    """The first page under a filter, with limits that its other paginations do not have."""
    calls = [call.asking(limit=limit) for limit in FURTHER_LIMITS]
    live.callers.send_all(calls, "the first page under a filter")
