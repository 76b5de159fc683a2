"""Records that a list shows with other values under another limit."""

from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.pointer import pointer
from conformance.contract.verdict import Kind, Location, Part, defect
from conformance.suite.callers import expect
from conformance.suite.lists.changing_lists import RESTLESS, ROUNDS, desynchronize
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import Pagination, record_key
from conformance.suite.lists.records import differing, of_contract, suits
from conformance.suite.lists.repeated_records import places_of

Property = tuple[str, str]
"""The key of a record, and the name of a property."""


def agree(longest: Pagination, pagination: Pagination, live: Live) -> None:
    """Violation where two paginations repeatedly show a record with different values."""
    stable = _differences(longest, pagination, live)
    if not stable:
        return
    changing: set[str] = set()
    for number in range(RESTLESS):
        # By one scheme on both sides: the values may depend on who reads them.
        scheme = pagination.pages[0].scheme
        desynchronize(pagination.call, number, live)
        other = live.paginations.again(longest, scheme)
        again = live.paginations.again(pagination, scheme)
        differences = _differences(other, again, live)
        kept = {key: both for key, both in stable.items() if differences.get(key) == both}
        changing |= {name for _, name in stable.keys() - kept}
        changing |= {name for _, name in _differences(longest, other, live)}
        changing |= {name for _, name in _differences(pagination, again, live)}
        stable = kept
        if not stable:
            return
        # A property that changes may have the same values several times by chance.
        if number >= ROUNDS and changing.isdisjoint(name for _, name in stable):
            break
    _report_differing(other, again, set(stable))


def _report_differing(one: Pagination, other: Pagination, differing_in: set[Property]) -> None:
    names = sorted({name for _, name in differing_in})
    key, name = min(differing_in)
    places = [
        Location(Part.BODY, f"{place.name}{pointer((name,))}", place.exchange)
        for pagination in (one, other)
        for place in places_of(key, pagination)[:1]
    ]
    pages = [page for each in (one, other) for page in each.pages]
    shown = [page for page in pages if page.id in {place.exchange for place in places}]
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "records differ in {properties} between {one} and {other}",
            expected="the same values on every page",
            properties=", ".join(names),
            one=one.page_size,
            other=other.page_size,
        )
        .on(*names)
        .at(*places),
        *shown,
    )


def _differences(one: Pagination, other: Pagination, live: Live) -> dict[Property, tuple[Any, Any]]:
    """The properties of the contract that two paginations show with different values.

    The property that names the parent is left out: a check of its own compares it.
    """
    contract, resource = live.session.contract, live.operation(one.call.operation).resource
    known = {record_key(record): record for record in one.records}
    found = {}
    for shown_record in other.records:
        key = record_key(shown_record)
        if known.get(key, shown_record) == shown_record:
            continue
        record = of_contract(contract, resource, shown_record)
        twin = of_contract(contract, resource, known[key])
        for name in set(differing(twin, record)).difference(one.call.path):
            if all(suits(contract, resource, name, shown) for shown in (twin, record)):
                found[key, name] = (twin[name], record[name])
    return found


def has_valid_id(pagination: Pagination) -> bool:
    """Whether any record has a valid id."""
    return any(is_uuid(record.get("id")) for record in pagination.records)
