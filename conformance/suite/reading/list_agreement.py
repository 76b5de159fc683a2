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
from conformance.suite.lists.changing_lists import desynchronize
from conformance.suite.lists.live import PAUSES, Live
from conformance.suite.lists.pagination import Listed, record_key
from conformance.suite.lists.records import changes, differing, of_contract, suits


@dataclass(frozen=True)
class Shown:
    """A page and a response by id that were requested to compare one record."""

    page: Exchange
    reading: Exchange


def confirm_differing(
    live: Live, operation: Operation, unlike: Sequence[tuple[Listed, Exchange]]
) -> None:
    """Violation where neither side changes, and they differ repeatedly."""
    # All records after one pause: a pause for each would take minutes where all of them change.
    contract = live.session.contract
    rounds = [_both_again(unlike, number, live) for number in range(len(PAUSES))]
    for (listed, _), shown in zip(unlike, zip(*rounds, strict=True), strict=True):
        listings = [
            of_contract(contract, operation.resource, item)
            for each in shown
            for item in _occurrences(listed, each.page)
        ]
        reads = [
            of_contract(contract, operation.resource, each.reading.data)
            for each in shown
            if is_same_record(listed, each.reading.data)
        ]
        # A single read of a side does not show whether it changes.
        if min(len(listings), len(reads)) < 2:
            continue
        stable = [
            name
            for name in differing_names(live, operation, listings[-1], reads[-1])
            if not changes(name, listings) and not changes(name, reads)
        ]
        if stable:
            _report_differing(listed, shown[-1], stable)


def _both_again(unlike: Sequence[tuple[Listed, Exchange]], number: int, live: Live) -> list[Shown]:
    """The page of each record and the record itself, after the pause of this number."""
    live.session.transport.wait(PAUSES[number])
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
