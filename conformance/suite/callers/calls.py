"""Other calls of an operation than its plain one: a defect may show only beside arguments, or on another record than the first."""

from collections import Counter

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.lists.live import PARENTS, Live, parameter_of


def control_by(call: Call, scheme: str, live: Live) -> None:
    """Primary is served, by the scheme of the probe where primary has it."""
    live.controlled(call, scheme=scheme if scheme in live.credential("primary").schemes else None)


def forbidden(answer: Exchange, live: Live, *allowed: int) -> None:
    """Violation unless the answer has one of the statuses; a 401 of a caller who is served nowhere says nothing."""
    known_as = answer.credential or ""
    if (
        answer.status == 401
        and answer.scheme
        and not live.is_alive(live.credential(known_as), answer.scheme)
    ):
        told = f"{known_as} by {answer.scheme} is served nowhere"
        raise Inconclusive(told, needs=(f"credentials.{known_as}",), exchanges=[answer.id])
    expect.status(answer, *allowed)


def others(operation: Operation, live: Live) -> list[Call]:
    """Calls that primary has been served: a later page, under a filter if there is one, and the last record or the poorest parent."""
    if operation.id not in live.others:
        # The first page only where no other one follows, since a cursor may be good for one use.
        tried = (
            *((page.call, page.status == 200) for page in later(operation, live)[-1:]),
            *_elsewhere(operation, live),
        )
        live.others[operation.id] = [call for call, is_served in tried if is_served]
    return live.others[operation.id]


def later(operation: Operation, live: Live, scheme: str | None = None) -> list[Exchange]:
    """The first page of one record, under a filter if there is one, and the second, where a cursor leads on, by the same scheme."""
    if not operation.is_list:
        return []
    call = live.call(operation).asking(limit="1", **_filters(operation, live))
    first = live.send(call, scheme=scheme, purpose="the first page of one")
    name = live.session.name(operation, "cursor")
    if first.cursor is None or name is None:
        return [first]
    return [
        first,
        live.send(
            call.asking(**{name: first.cursor}),
            scheme=first.scheme,
            purpose="the second page of one",
        ),
    ]


def _elsewhere(operation: Operation, live: Live) -> list[tuple[Call, bool]]:
    """The record that is listed last, or the parent that has the least below it."""
    if "{" not in operation.path:
        return []
    name, plain = parameter_of(operation), live.call(operation)
    id = (
        live.parents(operation.id)[-1]
        if operation.is_list
        else live.records(PARENTS[name])[-1].record["id"]
    )
    if id == plain.path[name]:
        return []
    call = plain.at(**{name: id})
    return [(call, live.send(call, purpose="another record").status == 200)]


def _filters(operation: Operation, live: Live) -> dict[str, str]:
    """The filters whose names are certain, with the value that most records have, so that there is a second page."""
    filters = operation.filters
    names = {role: name for name, role in live.session.roles(operation).items() if role in filters}
    records = live.listing(operation.id).records if names else []
    found = {}
    for role, name in names.items():
        # Of the records that fit the filters so far, or two values might have nothing in common.
        member = filters[role]
        records = [record for record in records if is_uuid(record.get(member))]
        if records:
            value = Counter(record[member] for record in records).most_common(1)[0][0]
            records = [record for record in records if record[member] == value]
            found[name] = value
    return found
