"""Ids without a record, and whether a response shows that there is one."""

import uuid

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.lists.calls import others
from conformance.suite.lists.live import PARENTS, READING, Live, parameter_of


def absent_ids(operation: Operation, made_up: str, live: Live) -> list[str]:
    """Ids without a record: made up, of another version, the extremes, and close to a real id."""
    records = live.records(PARENTS[parameter_of(operation)])
    existing = {listed.record["id"].lower() for listed in records}
    extremes = {str(uuid.UUID(int=0)), str(uuid.UUID(int=2**128 - 1))} - existing
    other_version = made_up[:14] + "7" + made_up[15:]
    near = _near_ids(operation, live, existing)
    return list(dict.fromkeys([made_up, other_version, *sorted(extremes), *near]))


def _near_ids(operation: Operation, live: Live, existing: set[str]) -> list[str]:
    """Ids that differ from a real one in the first or last digit, and those of other resources."""
    name = parameter_of(operation)
    if not live.listing(PARENTS[name]).is_whole:
        return []
    id = live.call(operation).path[name].lower()
    near = [f"{'01'[id[0] == '0']}{id[1:]}", f"{id[:-1]}{'01'[id[-1] == '0']}"]
    for parameter, listing in PARENTS.items():
        if parameter == name:
            continue
        try:
            near.append(live.records(listing)[0].record["id"].lower())
        except Inconclusive:
            continue
    return [other for other in near if other not in existing]


def probe_beside_arguments(operation: Operation, made_up: str, live: Live) -> None:
    """Lists below an id without a record return 404 or 403 beside a limit, too."""
    name = parameter_of(operation)
    for served in others(operation, live):
        if operation.is_list and served.query:
            probe = served.at(**{name: made_up}).asking(cursor=None)
            purpose = "the id of no record, beside a limit"
            expect.status(live.callers.probe(probe, served, purpose), 404, 403)


def shows_existence(response: Exchange, live: Live) -> bool:
    """Whether a response shows the requested record, or that the parent of a list exists."""
    name, id = next(iter(response.call.path.items()))
    if response.status == 200 and live.operation(response.operation).is_list:
        response = live.callers.send(Call(READING[name], {name: id}), purpose="does it exist?")
    return isinstance(response.data, dict) and str(response.data.get("id")).lower() == id.lower()
