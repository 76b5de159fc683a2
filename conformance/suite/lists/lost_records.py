"""Records that a list showed early in a run, and does not show at its end."""

from conformance.contract.openapi import Operation
from conformance.contract.verdict import NotApplicable
from conformance.rules.records import differing, of_contract, record_key
from conformance.suite.lists.changing_lists import desynchronize
from conformance.suite.lists.live import Live, reading_of
from conformance.suite.lists.named_records import require_listed
from conformance.suite.lists.pagination import End, Listed, Pagination

MOST_READ = 5
"""Lost records that are read by their ids."""
SERVED = (End.LAST_PAGE, End.PAGE_COUNT)


def require_still_listed(operation: Operation, live: Live) -> None:
    """Violation where a record that reads by its id as it was listed is no longer listed.

    One that was deleted, or has changed, may leave its list.
    """
    early = live.listing(operation.id)
    late = live.paginations.anew(early)
    lost = set(early.ids) - set(late.ids)
    for number, pause in enumerate(live.session.lag.pauses):
        if not lost:
            return
        if late.end not in SERVED:
            raise NotApplicable(f"{operation.id} is no longer served")
        # In a list that changes, another reading misses other records.
        live.session.transport.wait(pause)
        desynchronize(early.call, number, live)
        late = live.paginations.anew(early)
        lost -= set(late.ids)
    candidates = [each for each in early.listed if record_key(each.record) in lost]
    inside = [each for each in candidates if not live.is_outside(each.record, operation.id)]
    for each in inside[:MOST_READ]:
        if _is_unchanged(operation, each, live):
            require_listed(operation, record_key(each.record), late, live)


def _is_unchanged(operation: Operation, listed: Listed, live: Live) -> bool:
    """Whether a record reads by its id as it was listed."""
    call = reading_of(operation.id, listed.record["id"])
    if call is None:
        return False
    response = live.callers.send(call, purpose="a record that is no longer listed")
    if response.status != 200 or not isinstance(response.data, dict):
        return False
    contract, resource = live.session.contract, operation.resource
    one, other = (of_contract(contract, resource, each) for each in (listed.record, response.data))
    return not differing(one, other)


def is_listed(id: str, listing: Pagination, live: Live) -> bool:
    """Whether a list still shows a record, read anew after the time that it may lag."""
    live.session.transport.wait(live.session.lag.patience)
    return id.lower() in live.paginations.again(listing).ids
