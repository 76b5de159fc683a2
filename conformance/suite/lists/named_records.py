"""Records of a list that other records, or the profile, name."""

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.lists.pagination import Pagination
from conformance.suite.lists.parts import part_with

MOST_READ = 12
WHOLE = frozenset({"project_list", "video_list"})
"""Lists of all records; one of reviews may show those that wait for the caller only."""
STATES = (
    "status",
    "ingestionStatus",
    "transcriptReviewStatus",
    "voiceAssignmentStatus",
    "approvable",
    "requestedAudience",
    "subjectType",
)
"""Properties with the state of a record, or with the audience that it waits for."""


def require_listed(operation: Operation, id: str, listing: Pagination, live: Live) -> None:
    """Violation where the caller of a list reads a record by its id, and the list lacks it.

    One in a state that no listed record has may be left out.
    """
    read, name = _reader(operation, live)
    page, purpose = listing.pages[0], "a record that another one names"
    caller = live.callers.credential(str(page.credential))
    # By the scheme of the list: another one may reach more records.
    response = live.callers.send(Call(read, {name: id}), caller, page.scheme, purpose=purpose)
    if response.status != 200 or _is_in_another_state(response, listing):
        return
    where = listing if listing.is_whole else part_with(operation, response.data, live)
    # Of a list that is too long under any filter, the named records in its beginning are checked.
    if where is None or id in where.ids:
        return
    expect.that(
        id in live.paginations.again(where).ids,
        defect(
            Kind.OMITTED,
            "{id} can be read by its id, but is not among the {n} records of the list",
            expected="every record that can be read",
            id=id,
            n=len(set(listing.ids)),
        ).at(in_data(response, "id")),
        response,
    )


def require_records(operation: Operation, live: Live) -> None:
    """Violation where a list stays empty, and records in several states can be read.

    A list of one state only would show some of them.
    """
    readable = _readable(operation, live)
    if not readable:
        return
    for pause in live.session.lag.pauses:
        live.session.transport.wait(pause)
        if live.paginations.again(live.listing(operation.id)).records:
            return
    expect.violated(
        defect(
            Kind.OMITTED,
            "the list is empty, but records in several states can be read by their ids",
            expected="every record that can be read",
        ),
        *readable[:2],
    )


def _readable(operation: Operation, live: Live) -> list[Exchange]:
    """Responses to reading records in several states, where the list shows no record."""
    listing = live.listing(operation.id)
    if listing.records or not listing.is_whole:
        return []
    read, name = _reader(operation, live)
    calls = [Call(read, {name: id}) for id in sorted(named_ids(operation, live))[:MOST_READ]]
    responses = live.callers.send_all(calls, "a record that another one names")
    read_by_id = [
        response
        for response in responses
        if isinstance(response.data, dict)
        and str(response.data.get("id")).lower() == response.call.path[name]
    ]
    states = {tuple(str(each.data.get(name)) for name in STATES) for each in read_by_id}
    return read_by_id if len(states) > 1 else []


def _reader(operation: Operation, live: Live) -> tuple[str, str]:
    """The operation that reads a record of a list by its id, and the name of its parameter."""
    operations = live.session.contract.operations.values()
    reader = next(
        each
        for each in operations
        if each.resource == operation.resource and not each.is_list and not each.writes
    )
    return reader.id, parameter_of(reader)


def _is_in_another_state(response: Exchange, listing: Pagination) -> bool:
    """Whether no listed record is in the state of this one: a list may be restricted to a state."""
    record = response.data if isinstance(response.data, dict) else {}
    return any(
        record[name] not in [listed.get(name) for listed in listing.records]
        for name in STATES
        if name in record
    )


def named_ids(operation: Operation, live: Live) -> set[str]:
    """The ids, in lower case, of records of a list that other records or the profile name."""
    if operation.resource == "Review":
        fixtures = live.session.target.fixtures
        return {id.lower() for id in (*fixtures.approvable_reviews, *fixtures.unapprovable_reviews)}
    _, name = _reader(operation, live)
    found: set[str] = set()
    for other in ("video_list", "review_list"):
        try:
            records = [listed.record for listed in live.records(other)]
        except (Inconclusive, NotApplicable):
            continue
        found |= {str(each[name]).lower() for each in records if isinstance(each.get(name), str)}
    return found
