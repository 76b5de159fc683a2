"""Lists of a colleague: another account with primary's grant (Authentication)."""

from conformance.contract.openapi import Operation
from conformance.contract.verdict import NotApplicable
from conformance.http.exchange import Call
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.lists.named_records import WHOLE, require_listed
from conformance.suite.lists.pagination import Pagination

MOST_READ = 3
"""Records missing from the colleague's list that are read by their ids."""


@requirement("pagination/listed")
def test_the_colleague_lists_what_it_reads(operation: Operation, live: Live) -> None:
    """What primary lists, and the colleague reads by its id, is in the colleague's list too."""
    if operation.id not in WHOLE:
        raise NotApplicable(f"{operation.id} may show what waits for the caller only")
    colleague = live.callers.colleague()
    own = live.listing(operation.id)
    theirs = live.paginations.read(Call(operation.id), own.limit, colleague)
    if not own.is_whole or not theirs.is_whole:
        raise NotApplicable(f"{operation.id} is not read as a whole")
    missing = _missing(own, theirs, live)
    for id in sorted(missing)[:MOST_READ]:
        require_listed(operation, id, theirs, live)


def _missing(own: Pagination, theirs: Pagination, live: Live) -> set[str]:
    """What the colleague's list lacks, also when it is read anew: a list may lag behind."""
    missing = set(own.ids) - set(theirs.ids)
    for pause in live.session.lag.pauses:
        if not missing:
            break
        live.session.transport.wait(pause)
        missing -= set(live.paginations.anew(theirs).ids)
    return missing
