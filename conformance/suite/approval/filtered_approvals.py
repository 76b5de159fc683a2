"""Approved reviews in their list under its filters, well after their approval."""

from collections import Counter
from collections.abc import Sequence

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.http.exchange import Call
from conformance.rules.records import every_value
from conformance.suite.approval.review import Record
from conformance.suite.lists.filtered_lists import check_filtered
from conformance.suite.lists.filters import certain_filters
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import Pagination


def check_still_filtered(approved: Sequence[Record], operation: Operation, live: Live) -> None:
    """Violation where a filter no longer returns approved reviews that the whole list still has.

    Each filter names the owner of most of these reviews, by each scheme.
    """
    for name, restricted in certain_filters(operation, live):
        ids = filter(is_uuid, every_value(approved, restricted))
        for id, _ in Counter(ids).most_common(1):
            call = Call(operation.id).asking(**{name: id})
            early = live.paginations.read(call, live.longest_page(operation.id))
            passing = {record["id"].lower() for record in approved if record.get(restricted) == id}
            for scheme in live.callers.credential("primary").schemes:
                late = _late(early, scheme, passing, live)
                if not passing.issubset(late.ids):
                    check_filtered(late, {restricted: id}, live)


def _late(early: Pagination, scheme: str, passing: set[str], live: Live) -> Pagination:
    """The filtered list as it is now; where it lacks reviews, once it can no longer lag."""
    late = live.paginations.anew(early, scheme)
    if passing.issubset(late.ids):
        return late
    live.session.transport.wait(live.session.lag.patience)
    return live.paginations.anew(early, scheme)
