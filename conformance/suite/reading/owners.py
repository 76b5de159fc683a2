"""The records that others name as their owners."""

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Call
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import PARENTS, READING, Live
from conformance.suite.lists.pagination import Listed
from conformance.suite.reading.names import Record, property_of


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
    parameter = "videoId" if operation.id == "video_list" else "reviewId"
    call = Call(READING[parameter], {parameter: listed.record["id"]})
    own = live.callers.send(call, purpose=f"the {shared} of a record")
    owner_call = Call(READING[name], {name: listed.record[name]})
    owner = live.callers.send(owner_call, purpose=f"the {shared} of its {_resource(name)}")
    ids = [property_of(response, shared) for response in (own, owner)]
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
        .at(in_data(own, shared), in_data(owner, shared)),
        own,
        owner,
    )


def _resource(name: str) -> str:
    """The resource that a property has ids of: "project" for projectId."""
    return name.removesuffix("Id")
