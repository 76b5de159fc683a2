"""Records of other callers than primary (Endpoints)."""

from conformance.contract.openapi import Operation
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.reading.other_callers import Reading, readings

NOT_FOUND = 404


@requirement("read/success")
def test_another_caller_reads_what_it_lists(operation: Operation, live: Live) -> None:
    """What a list shows to a caller first is found by its id, with the same credential."""
    for reading in readings(operation, live):
        _check_found(reading, live)


def _check_found(reading: Reading, live: Live) -> None:
    """Violation where a record stays in the list of a caller and absent for it by its id."""
    for pause in live.session.lag.pauses:
        if reading.response.status != NOT_FOUND or not reading.is_listed:
            return
        live.session.transport.wait(pause)
        reading = reading.anew(live)
    is_kept = reading.response.status == NOT_FOUND and reading.is_listed
    if is_kept and not _is_outside(reading, live):
        expect.served(reading.response)


def _is_outside(reading: Reading, live: Live) -> bool:
    """Whether the list shows a record outside the grant of its caller, which others report."""
    if reading.caller.name == "outsider":
        return live.callers.send(reading.response.call, purpose="is it primary's?").status == 200
    return live.is_outside(reading.record, reading.page.operation)
