"""Records in other records, each of which belongs to one of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.contract import api
from conformance.contract.identifiers import EXTREMES, is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Exchange
from conformance.rules.records import record_key
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_item
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import Listed
from conformance.suite.reading.names import Record


def check_nested(operation: Operation, records: Sequence[Listed], live: Live) -> None:
    """Violation where two records repeatedly show a record in them with the same id."""
    array = _array(operation, live)
    found = _shared(list({record_key(each.record): each for each in records}.values()), array)
    if found is None:
        return
    id, one, other = found
    calls = [one.call] if one.call == other.call else [one.call, other.call]
    pages = live.callers.send_all(calls, f"the {array} of two records")
    holders = {
        record_key(item): (page, item)
        for page in pages
        for item in page.items
        if id in _ids(item, array)
    }
    if len(holders) > 1:
        _report(array, list(holders.values())[:2])


def _array(operation: Operation, live: Live) -> str:
    """The property with the records in a record of a list; "" where there is none."""
    array, _ = api.derive(live.session.contract).nested.get(operation.resource, ("", ""))
    return array


def _ids(record: Record, array: str) -> Iterator[str]:
    """The ids of the records in a record, in lower case."""
    items = record.get(array)
    for item in items if isinstance(items, list) else ():
        id = item.get("id") if isinstance(item, dict) else None
        if is_uuid(id) and str(id).lower() not in EXTREMES:  # these may stand for no id
            yield str(id).lower()


def _shared(records: Sequence[Listed], array: str) -> tuple[str, Listed, Listed] | None:
    """The first id that two records show in them, and these two; None without one."""
    holders: dict[str, Listed] = {}
    for each in records:
        for id in _ids(each.record, array):
            if holders.setdefault(id, each) is not each:
                return id, holders[id], each
    return None


def _report(array: str, holders: Sequence[tuple[Exchange, dict[str, Any]]]) -> None:
    places = [in_item(page, item, array) for page, item in holders]
    expect.violated(
        defect(
            Kind.REPEATED,
            "two records have one of their {array} in common",
            expected="each of them in one record",
            array=array,
        )
        .on(array, "id")
        .at(*places),
        *{page.id: page for page, _ in holders}.values(),
    )
