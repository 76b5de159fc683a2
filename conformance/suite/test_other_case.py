"""UUIDs in upper and lower case (Resources and their fields, UUID)."""

from conformance.contract.openapi import Operation
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.lists.parameters import confirmed_name
from conformance.suite.reading.other_case import (
    require_following_page,
    require_next_page,
    require_same_data,
)


@requirement("arguments/case")
def test_a_uuid_in_the_other_case_selects_the_same(operation: Operation, live: Live) -> None:
    """An id in the path, and the cursor of a list."""
    call, scheme = live.richest(operation), live.callers.credential("primary").schemes[0]
    live.callers.require_baseline(call, scheme=scheme)
    if call.path:
        whole = call.asking(limit="100") if operation.is_list else call
        require_same_data(operation, whole, live)
    if operation.is_list:
        name = confirmed_name(operation, "cursor", live)
        require_next_page(call.asking(limit="1"), name, live)
        if call.path:
            require_following_page(call.asking(limit="1"), name, live)
