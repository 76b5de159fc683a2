"""Further valid calls of an operation: a defect may need arguments, or another record."""

from collections import Counter

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.runner.facts import fact_name
from conformance.suite.callers import expect
from conformance.suite.lists.live import PARENTS, Live, parameter_of


def require_baseline_by(call: Call, scheme: str, live: Live) -> None:
    """Require the baseline request of primary, by this scheme if primary has it."""
    schemes = live.callers.credential("primary").schemes
    live.callers.require_baseline(call, scheme=scheme if scheme in schemes else None)


def forbidden(response: Exchange, live: Live, *allowed: int) -> None:
    """The response has one of the statuses, and shows no record.

    Inconclusive for a 401 that is not one of them, to a caller who is served by no operation.
    """
    if response.status == 401 and 401 not in allowed and response.scheme:
        name = response.credential or ""
        if not live.callers.is_served(live.callers.credential(name), response.scheme):
            raise Inconclusive(
                f"no operation serves {name} by {response.scheme}",
                needs=(f"credentials.{name}",),
                exchanges=[response.id],
            )
    expect.status(response, *allowed)


def others(operation: Operation, live: Live) -> list[Call]:
    """Calls that primary got 200 for: a later page, under filters, and another record or parent."""
    name = fact_name("further-calls", operation.id)
    return live.fact(name, lambda own: _successful_others(operation, own))


def _successful_others(operation: Operation, live: Live) -> list[Call]:
    # A cursor may be good for one use: so the first page is taken only where no other follows.
    last = later(operation, live)[-1:]
    responses = [*last, *_on_another_record(operation, live)]
    return [response.call for response in responses if response.status == 200]


def later(operation: Operation, live: Live, scheme: str | None = None) -> list[Exchange]:
    """The first page of one record, under filters if there are any, and the second if there is one.

    Both are read by the same scheme.
    """
    if not operation.is_list:
        return []
    call = live.call(operation).asking(limit="1", **own_filters(operation, live))
    first = live.callers.send(call, scheme=scheme, purpose="the first page of one")
    name = live.session.name(operation, "cursor")
    if first.cursor is None or name is None:
        return [first]
    following = call.asking(**{name: first.cursor})
    purpose = "the second page of one"
    return [first, live.callers.send(following, scheme=first.scheme, purpose=purpose)]


def _on_another_record(operation: Operation, live: Live) -> list[Exchange]:
    """The response for the last record of a list, or for the parent with the fewest records."""
    if "{" not in operation.path:
        return []
    name, plain = parameter_of(operation), live.call(operation)
    if operation.is_list:
        id = live.parents(operation.id)[-1]
    else:
        id = live.records(PARENTS[name])[-1].record["id"]
    if id == plain.path[name]:
        return []
    return [live.callers.send(plain.at(**{name: id}), purpose="another record")]


def own_filters(operation: Operation, live: Live) -> dict[str, str]:
    """The filters whose names are certain, with a value each that most records have."""
    roles = live.session.roles(operation).items()
    names = {role: name for name, role in roles if role in operation.filters}
    records = live.listing(operation.id).records if names else []
    filters = {}
    for role, name in names.items():
        restricted = operation.filters[role]
        # Only records that pass the filters so far: two values may have no record in common.
        records = [record for record in records if is_uuid(record.get(restricted))]
        if records:
            counts = Counter(record[restricted] for record in records)
            value = counts.most_common(1)[0][0]
            records = [record for record in records if record[restricted] == value]
            filters[name] = value
    return filters
