"""UUIDs in upper and lower case (Resources and their fields, UUID)."""

from conformance.contract.openapi import Operation
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.lists.parameters import confirmed_name
from conformance.suite.reading.other_case import OtherCase
from conformance.suite.tools.interfaces import OverHttp


@requirement("arguments/case")
def test_a_uuid_in_the_other_case_selects_the_same(operation: Operation, live: Live) -> None:
    """An id in the path, and the cursor of a list."""
    call, scheme = live.richest(operation), live.callers.credential("primary").schemes[0]
    live.callers.require_baseline(call, scheme=scheme)
    other_case = OtherCase(operation, live, OverHttp(live), scheme)
    if call.path:
        other_case.check_id(call.asking(limit="100") if operation.is_list else call)
    if operation.is_list:
        name = confirmed_name(operation, "cursor", live)
        other_case.check_cursor(call.asking(limit="1"), name)
        if call.path:
            other_case.check_following(call.asking(limit="1"), name)
