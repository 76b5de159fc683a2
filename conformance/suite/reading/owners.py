"""The records that others name as their owners."""

from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, Location, defect
from conformance.http.exchange import Call, Exchange
from conformance.rules.records import record_key
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, in_item
from conformance.suite.lists.live import PARENTS, READING, Live
from conformance.suite.lists.pagination import Listed
from conformance.suite.reading.names import Record, property_of

RECORDS = {"video_list": "videoId", "review_list": "reviewId"}
"""The lists whose records are read by an id, with the parameter for it."""


def shown_records(operation: Operation, live: Live) -> list[Listed]:
    """The records of a list, or of the first pages below a sample of records."""
    if "{" not in operation.path:
        return live.records(operation.id)
    pages = live.children(operation.id).values()
    return [Listed(item, page.call) for page in pages for item in page.items]


def listed_by_id(name: str, live: Live) -> dict[str, Record]:
    """The listed records of the resource that a property has ids of, by their ids."""
    try:
        records = [listed.record for listed in live.records(PARENTS[name])]
    except Inconclusive:
        return {}
    return {record["id"].lower(): record for record in records}


def confirm_apart(live: Live, operation: Operation, listed: Listed, tie: tuple[str, str]) -> None:
    """Violation where both records, read by their ids, still have other owners.

    One of them may have moved, or the list may differ from the record.
    """
    name, shared = tie
    own, record = _again(live, operation, listed, f"the {shared} of a record")
    owner_call = Call(READING[name], {name: listed.record[name]})
    owner = live.callers.send(owner_call, purpose=f"the {shared} of its {_resource(name)}")
    ids = [record.get(shared), property_of(owner, shared)]
    are_apart = all(map(is_uuid, ids)) and str(ids[0]).lower() != str(ids[1]).lower()
    if not are_apart or ids[0] != listed.record[shared]:
        return
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "{shared} is {own}, that of its {resource} is {owner}",
            expected=f"one {shared}",
            actual=ids[0],
            shared=shared,
            own=ids[0],
            owner=ids[1],
            resource=_resource(name),
        )
        .on(shared)
        .at(_place(own, record, shared), in_data(owner, shared)),
        own,
        owner,
    )


def _again(
    live: Live, operation: Operation, listed: Listed, purpose: str
) -> tuple[Exchange, dict[str, Any]]:
    """A record once more, by its id or on its page; {} where it is not shown."""
    if operation.id in RECORDS:
        parameter = RECORDS[operation.id]
        call = Call(READING[parameter], {parameter: listed.record["id"]})
        response = live.callers.send(call, purpose=purpose)
        return response, response.data if isinstance(response.data, dict) else {}
    page, key = live.callers.send(listed.call, purpose=purpose), record_key(listed.record)
    return page, next((item for item in page.items if record_key(item) == key), {})


def _place(response: Exchange, record: dict[str, Any], name: str) -> Location:
    is_alone = response.data is record
    return in_data(response, name) if is_alone else in_item(response, record, name)


def _resource(name: str) -> str:
    """The resource that a property has ids of: "project" for projectId."""
    return name.removesuffix("Id")
