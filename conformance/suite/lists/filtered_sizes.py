"""Unusual page sizes of a list under filters."""

from conformance.http.exchange import Call
from conformance.suite.lists.filtered_lists import Owners, check_filtered
from conformance.suite.lists.limits import size_plans, with_all_limits
from conformance.suite.lists.live import Live


def check_sizes(call: Call, owners: Owners, live: Live) -> None:
    """Pages of unusual sizes under filters, compared with the unfiltered list.

    Nothing where that is too long to be read whole.
    """
    usual = with_all_limits(Call(call.operation), live)
    if not usual[0].is_whole:
        return
    records = sum(_passes(record, owners) for record in usual[0].records)
    plans = size_plans(call, records, usual, live)
    live.paginations.read_ahead(plans)
    for plan in plans:
        check_filtered(live.paginations.follow(plan), owners, live)


def _passes(record: dict[str, object], owners: Owners) -> bool:
    return all(record.get(restricted) == id for restricted, id in owners.items())
