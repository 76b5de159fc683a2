"""Other calls of an operation than its plain one: a defect may show only beside arguments, or on another record than the first."""

from collections import Counter

from conformance.exchange import Call
from conformance.openapi import Operation
from conformance.suite.live import PARENTS, Live, is_uuid, parameter_of

MEMBERS = {"company": "companyId", "project": "projectId"}
"""What the filters of lists restrict them by."""


def others(operation: Operation, live: Live) -> list[Call]:
    """Calls that primary has been served: a later page, under a filter if there is one, and the last record or the poorest parent."""
    if operation.id not in live.others:
        tried = (*_later(operation, live), *_elsewhere(operation, live))
        live.others[operation.id] = [call for call, is_served in tried if is_served]
    return live.others[operation.id]


def _later(operation: Operation, live: Live) -> list[tuple[Call, bool]]:
    """The second page of one record; the first one where no cursor leads on, since a cursor may be good for one use."""
    if not operation.is_list:
        return []
    call = live.call(operation).asking(limit="1", **_filters(operation, live))
    first = live.send(call, purpose="the first page of one")
    name = live.session.name(operation, "cursor")
    if first.cursor is None or name is None:
        return [(call, first.status == 200)]
    second = live.send(call.asking(**{name: first.cursor}), scheme=first.scheme, purpose="the second page of one")
    return [(second.call, second.status == 200)]


def _elsewhere(operation: Operation, live: Live) -> list[tuple[Call, bool]]:
    """The record that is listed last, or the parent that has the least below it."""
    if "{" not in operation.path:
        return []
    name, plain = parameter_of(operation), live.call(operation)
    id = live.parents(operation.id)[-1] if operation.is_list else live.records(PARENTS[name])[-1].record["id"]
    if id == plain.path[name]:
        return []
    call = plain.at(**{name: id})
    return [(call, live.send(call, purpose="another record").status == 200)]


def _filters(operation: Operation, live: Live) -> dict[str, str]:
    """The filters whose names are certain, with the value that most records have, so that there is a second page."""
    names = {role: name for name, role in live.session.roles(operation).items() if role in MEMBERS}
    records = live.listing(operation.id).records if names else []
    found = {}
    for role, name in names.items():
        # Of the records that fit the filters so far, or two values might have nothing in common.
        records = [record for record in records if is_uuid(record.get(MEMBERS[role]))]
        if records:
            value = Counter(record[MEMBERS[role]] for record in records).most_common(1)[0][0]
            records = [record for record in records if record[MEMBERS[role]] == value]
            found[name] = value
    return found
