"""Records and pages of other callers than primary (Endpoints)."""

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, NotApplicable, defect
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.callers.requirement import requirement
from conformance.suite.lag import PAUSES
from conformance.suite.lists.changing_lists import desynchronize
from conformance.suite.lists.live import Live
from conformance.suite.lists.parameters import confirmed_name
from conformance.suite.reading.other_callers import (
    Reading,
    callers,
    first_page,
    readings,
)
from conformance.target.target import Credential

NOT_FOUND = 404


@requirement("read/success")
def test_another_caller_reads_what_it_lists(operation: Operation, live: Live) -> None:
    """What a list shows to a caller first is found by its id, with the same credential."""
    for reading in readings(operation, live):
        _check_found(reading, live)


def _check_found(reading: Reading, live: Live) -> None:
    """Violation where a record stays in the list of a caller and absent for it by its id."""
    for pause in PAUSES:
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


@requirement("pagination/once")
def test_the_pages_of_another_caller_do_not_repeat(operation: Operation, live: Live) -> None:
    """The cursor of another caller's first page leads to another record."""
    if "{" in operation.path:
        raise NotApplicable(f"the first record of {operation.id} depends on its parent")
    cursor = confirmed_name(operation, "cursor", live)
    for caller in callers(live):
        page = first_page(Call(operation.id).asking(limit="1"), caller, live)
        following = _following(page, cursor, caller, live)
        for number, pause in enumerate(PAUSES):
            if not _repeats(following, page):
                break
            live.session.transport.wait(pause)
            desynchronize(page.call, number, live)
            page = live.callers.send(page.call, caller, page.scheme, purpose="the first page again")
            following = _following(page, cursor, caller, live)
        if _repeats(following, page):
            _report_repeated(page, following)


def _following(page: Exchange, cursor: str, caller: Credential, live: Live) -> Exchange:
    """The page after this one, or the page itself where it is the last."""
    if page.cursor is None:
        return page
    call = page.call.asking(**{cursor: page.cursor})
    return live.callers.send(call, caller, page.scheme, purpose=f"the next page of {caller.name}")


def _repeats(following: Exchange, page: Exchange) -> bool:
    """Whether a page shows a record of the one before it; records without an id cannot be told."""
    if following is page:
        return False
    return bool(_ids(following) & _ids(page))


def _ids(page: Exchange) -> set[str]:
    return {item["id"] for item in page.items if isinstance(item.get("id"), str)}


def _report_repeated(page: Exchange, following: Exchange) -> None:
    otherwise = defect(
        Kind.REPEATED,
        "the second page of {caller} shows the record of the first",
        expected="another record",
        caller=str(page.credential),
    ).on("nextCursor")
    expect.violated(otherwise.at(in_data(page, "nextCursor")), page, following)
