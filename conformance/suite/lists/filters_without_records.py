"""Filters by ids that no record of the list belongs to."""

from collections.abc import Sequence
from contextlib import suppress

from conformance.contract.identifiers import EXTREMES, is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.rules.arguments import REJECTIONS
from conformance.rules.records import every_value
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import LISTS, PARENTS, READING, Live


def check_unknown_ids(operation: Operation, role: str, name: str, live: Live) -> None:
    """A filter by an id without records is served or rejected, for every form of the id."""
    restricted = operation.filters[role]
    own = every_value(live.listing(operation.id).records, restricted)
    known = {id.lower() for id in (*own, *_ids_of_owners(restricted, live))}
    # The extremes, a target may treat as if there were no filter.
    ids = [live.made_up(role), *(id for id in EXTREMES if id not in known)]
    calls = [Call(operation.id).asking(**{name: id}) for id in ids]
    responses = live.callers.send_all(calls, f"a filter by an unknown {role}")
    for response in responses:
        expect.status(response, 200, 403, 404, *sorted(REJECTIONS))


def _ids_of_owners(restricted: str, live: Live) -> list[str]:
    """The ids that a property may have, from a list whose records all show them."""
    listing = PARENTS.get(restricted, LISTS["Project"])
    return every_value(live.listing(listing).records, _property_in(listing, restricted))


def _property_in(listing: str, restricted: str) -> str:
    """The property of the records of a list that has the ids that `restricted` has elsewhere."""
    return "id" if PARENTS.get(restricted) == listing else restricted


def ids_outside(role: str, live: Live) -> list[str]:
    """Ids outside the grant, from the profile."""
    fixtures = live.session.target.fixtures
    return [group[role] for group in (fixtures.foreign, fixtures.ungranted) if role in group]


def unused_ids(operation: Operation, restricted: str, live: Live) -> list[str]:
    """The id of a listed record that no record of this list belongs to, if there is one."""
    if restricted not in PARENTS:
        return []
    used = {id.lower() for id in every_value(live.listing(operation.id).records, restricted)}
    with suppress(Inconclusive):
        ids = [listed.record["id"] for listed in live.records(PARENTS[restricted])]
        return [id for id in ids if id.lower() not in used][:1]
    return []


def ids_of_other_lists(operation: Operation, role: str, live: Live) -> list[str]:
    """Ids of which the unfiltered list has no record, one from each other list.

    A filter restricts: it returns no record that the unfiltered list does not have.
    """
    whole = live.listing(operation.id)
    restricted = operation.filters[role]
    used = {id.lower() for id in every_value(whole.records, restricted)}
    found: dict[str, None] = {}
    for other in LISTS.values() if whole.is_whole else ():
        name = _property_in(other, restricted)
        with suppress(Inconclusive):
            ids = [listed.record.get(name) for listed in live.records(other)]
            unused = [id for id in ids if is_uuid(id) and str(id).lower() not in used]
            found |= dict.fromkeys(map(str, unused[:1]))
    return list(found)


def check_unused_ids(
    operation: Operation, role: str, name: str, ids: Sequence[str], live: Live
) -> None:
    """A filter by a record that nothing belongs to is served, as long as that record exists."""
    restricted = operation.filters[role]
    for id in ids:
        call = Call(operation.id).asking(**{name: id})
        page = live.callers.send(call, purpose=f"a filter by a {role} without records")
        expect.clear(page)
        # Rejections of the caller, or of a form of UUID, violate other requirements.
        if page.status in (200, 401, 403, *REJECTIONS):
            continue
        owner = Call(READING[restricted], {restricted: id})
        purpose = f"does the {role} exist?"
        is_gone = page.status == 404 and live.callers.send(owner, purpose=purpose).status != 200
        if not is_gone:
            expect.status(page, 200)


def read_later_page(operation: Operation, role: str, name: str, id: str, live: Live) -> None:
    """Read the page after the first record under a filter; a rule judges what it shows.

    Violation where it stays empty in upper case, and is not in lower case.
    """
    call = Call(operation.id).asking(limit="1", **{name: id})
    purpose = f"a filter by a {role} in upper case, page by page"
    upper = lower = _later_page(call, purpose, live)
    for seconds in live.session.lag.pauses:
        if upper is None or not _is_empty(upper):
            return
        live.session.transport.wait(seconds)
        lower = _later_page(call.asking(**{name: id.lower()}), purpose, live, upper.scheme)
        if lower is None or not lower.items:
            return
        upper = _later_page(call, purpose, live, upper.scheme)
    if upper and lower and _is_empty(upper):
        text = "with a {role} in upper case, the cursor of a page leads to an empty one"
        empty = defect(Kind.OMITTED, text, expected="the page in lower case", role=role)
        expect.violated(empty.at(in_data(upper, "items")), upper, lower)


def _is_empty(page: Exchange) -> bool:
    """Whether a page shows nothing, and leads no further."""
    return page.status == 200 and not page.items and page.cursor is None


def _later_page(call: Call, purpose: str, live: Live, scheme: str | None = None) -> Exchange | None:
    """The page after the first record, without a limit; None where there is no cursor."""
    cursor = live.session.name(live.operation(call.operation), "cursor")
    first = live.callers.send(call, scheme=scheme, purpose=purpose)
    if cursor is None or first.cursor is None:
        return None
    # A cursor may imply its filter, and be rejected beside it.
    following = call.asking(limit=None, **{cursor: first.cursor})
    return live.callers.send(following, scheme=first.scheme, purpose=purpose)
