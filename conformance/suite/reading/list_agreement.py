"""A record by its id, beside the same record in its list."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Exchange
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, in_item
from conformance.suite.lists.changing_lists import RESTLESS, desynchronize
from conformance.suite.lists.live import PAUSES, Live
from conformance.suite.lists.pagination import Listed, record_key
from conformance.suite.lists.records import changes, differing, of_contract, suits


@dataclass(frozen=True)
class Shown:
    """A page and a response by id that were requested to compare one record."""

    page: Exchange
    reading: Exchange


@dataclass(frozen=True)
class Sides:
    """The properties in which both sides keep differing, and those that change on a side."""

    stable: tuple[str, ...]
    changing: tuple[str, ...]


def confirm_differing(
    live: Live, operation: Operation, unlike: Sequence[tuple[Listed, Exchange]]
) -> None:
    """Violation where neither side changes, and they differ repeatedly."""
    # All records after one pause: a pause for each would take minutes where all of them change.
    rounds = [_both_again(unlike, number, live) for number in range(len(PAUSES))]
    shown_of = [list(shown) for shown in zip(*rounds, strict=True)]
    pairs = list(zip(unlike, shown_of, strict=True))
    sides_of = [_sides(live, operation, first, shown) for first, shown in pairs]
    changing = {name for sides in sides_of for name in sides.changing}
    for (first, shown), sides in zip(pairs, sides_of, strict=True):
        stable = sides.stable
        if changing.intersection(stable):
            # What changes elsewhere may have the same values here several times by chance.
            more = range(len(PAUSES), RESTLESS)
            shown += [_both_again([first], number, live)[0] for number in more]
            stable = _sides(live, operation, first, shown).stable
        if stable:
            _report_differing(first[0], shown[-1], stable)


def _sides(
    live: Live, operation: Operation, first: tuple[Listed, Exchange], shown: Sequence[Shown]
) -> Sides:
    """What two sides that were read repeatedly show of a record, which differed at first."""
    (listed, response), contract, resource = first, live.session.contract, operation.resource
    pages = [item for each in shown for item in _occurrences(listed, each.page)]
    data = [each.reading.data for each in shown if is_same_record(listed, each.reading.data)]
    # A single read of a side does not show whether it changes.
    if min(len(pages), len(data)) < 2:
        return Sides((), ())
    listings = [of_contract(contract, resource, each) for each in (listed.record, *pages)]
    reads = [of_contract(contract, resource, each) for each in (response.data, *data)]
    names = dict.fromkeys(name for record in (*listings, *reads) for name in record)
    stable = [
        name
        for name in differing_names(live, operation, listings[-1], reads[-1])
        if not changes(name, listings[1:]) and not changes(name, reads[1:])
    ]
    changing = [name for name in names if changes(name, listings) or changes(name, reads)]
    return Sides(tuple(stable), tuple(changing))


def _both_again(unlike: Sequence[tuple[Listed, Exchange]], number: int, live: Live) -> list[Shown]:
    """The page of each record and the record itself, after the pause of this number."""
    live.session.transport.wait(PAUSES[min(number, len(PAUSES) - 1)])
    desynchronize(unlike[0][0].call, number, live)
    # By one scheme on both sides: the values may depend on who reads them.
    primary = live.callers.credential("primary")
    lists = [
        (listed.call, Sending(primary, response.scheme, "the list again"))
        for listed, response in unlike
    ]
    records = [
        (response.call, Sending(primary, response.scheme, "the record again"))
        for _, response in unlike
    ]
    pages, reads = live.callers.send_each(lists), live.callers.send_each(records)
    return [Shown(page, record) for page, record in zip(pages, reads, strict=True)]


def _occurrences(listed: Listed, page: Exchange) -> Iterator[dict[str, Any]]:
    """A record as a page shows it."""
    key = record_key(listed.record)
    return (item for item in page.items if record_key(item) == key)


def _report_differing(listed: Listed, shown: Shown, names: Sequence[str]) -> None:
    items = list(_occurrences(listed, shown.page))[:1]
    list_places = [in_item(shown.page, item, name) for item in items for name in names]
    record_places = [in_data(shown.reading, name) for name in names]
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "list and record differ in {properties}",
            expected="the same values",
            properties=", ".join(names),
        )
        .on(*names)
        .at(*list_places, *record_places),
        shown.page,
        shown.reading,
    )


def is_same_record(listed: Listed, data: object) -> bool:
    """Whether data is a record with the id of a listed one, or without an id."""
    id = listed.record["id"]
    return isinstance(data, dict) and str(data.get("id", id)).lower() == id.lower()


def differing_names(
    live: Live, operation: Operation, one: Mapping[str, Any], other: Mapping[str, Any]
) -> list[str]:
    """The properties of the contract in which two valid reads of a record differ."""
    contract, resource = live.session.contract, operation.resource
    named, other_named = (of_contract(contract, resource, record) for record in (one, other))
    return [
        name
        for name in differing(named, other_named)
        if all(suits(contract, resource, name, shown) for shown in (one, other))
    ]
