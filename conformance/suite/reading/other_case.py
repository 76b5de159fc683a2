"""UUIDs in the other case: both spellings are one UUID (Resources and their fields)."""

from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any, TypeVar

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.records import Record, differing, in_lower_case, of_contract, record_key
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import PAUSES, Live

ITEMS = "items"

Read = TypeVar("Read")
"""A response, or the result of a tool."""


def in_other_case(id: str) -> str:
    """A UUID in upper case, or in lower case where it is in upper case already."""
    return id.upper() if id != id.upper() else id.lower()


def spelled(call: Call) -> Call:
    """A call with the id of its path in the other case."""
    return call.at(**{name: in_other_case(id) for name, id in call.path.items()})


def properties_that_differ(one: Any, other: Any, operation: Operation, live: Live) -> set[str]:
    """The properties of the contract in which the data of two successes differ.

    The case of letters does not count: a URL may repeat the id as it was spelled. Two pages differ
    in `items` where both are whole, where one is empty, or where a record of both differs.
    """
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return set()
    if not operation.is_list:
        return _differ(one, other, operation, live)
    records, others = _records_in(one), _records_in(other)
    are_whole = one.get("nextCursor") is None and other.get("nextCursor") is None
    shared = records.keys() & others.keys()
    are_alike = records.keys() == others.keys() if are_whole else bool(records) == bool(others)
    pairs = ((records[key], others[key]) for key in shared)
    is_same = are_alike and not any(_differ(*pair, operation, live) for pair in pairs)
    return set() if is_same else {ITEMS}


def strays(page: Any, call: Call) -> set[str]:
    """`items` where a page has a record that names another parent than the call does."""
    records = _records_in(page).values() if isinstance(page, dict) else ()
    parents = call.path.items()
    is_stray = any(_names_another(each, *parent) for each in records for parent in parents)
    return {ITEMS} if is_stray else set()


def _names_another(record: Record, name: str, id: str) -> bool:
    return is_uuid(record.get(name)) and record[name].lower() != id.lower()


def _differ(one: Record, other: Record, operation: Operation, live: Live) -> set[str]:
    """The properties of the contract in which two records differ."""
    contract, resource = live.session.contract, operation.resource
    sides = (in_lower_case(of_contract(contract, resource, each)) for each in (one, other))
    return set(differing(*sides))


def _records_in(page: dict[str, Any]) -> dict[str, Record]:
    """The records of a page; none where its items are no list, which the rules report."""
    items = page.get(ITEMS)
    records = items if isinstance(items, list) else []
    return {record_key(each): each for each in records if isinstance(each, dict)}


def require_same_data(operation: Operation, call: Call, live: Live) -> None:
    """Violation where an id in the other case is found, and shows something else every time."""
    first = _sent([call, spelled(call)], live)
    names, plain, other = lasting(
        (first[0], first[1]),
        again=lambda: _sent([call, spelled(call), call], live),
        differing=lambda one, another: (
            _differing(one, another, operation, live) | strays(another.data, call)
        ),
        pauses=PAUSES,
        wait=live.session.transport.wait,
    )
    if names:
        _report(names, plain, other)


def lasting(
    first: tuple[Read, Read],
    again: Callable[[], Sequence[Read]],
    differing: Callable[[Read, Read], set[str]],
    pauses: Iterable[float],
    wait: Callable[[float], object],
) -> tuple[set[str], Read, Read]:
    """What differs by the case of an id every time, and the last plain and other response.

    `again` reads by the plain id, the other one, and the plain one: of two servers that take turns,
    another one answers then. What differs between responses to the plain id does not count.
    """
    plain, other = first
    names = differing(plain, other)
    for pause in pauses:
        if not names:
            break
        wait(pause)
        former = plain
        plain, other, repeated = again()
        names &= differing(plain, other)
        names -= differing(plain, repeated)
        names -= differing(former, plain)
    return names, plain, other


def require_next_page(call: Call, cursor: str, live: Live) -> None:
    """Violation where a cursor in the other case leads back to the page that it came with.

    `cursor` is the name of the parameter. A target that knows no cursor in the other case may treat
    it as one that was never issued.
    """
    (page,) = _sent([call], live)
    if page.cursor is None or page.cursor == in_other_case(page.cursor):
        return
    forward, other, unknown = (
        call.asking(**{cursor: each})
        for each in (page.cursor, in_other_case(page.cursor), live.made_up("cursor"))
    )
    (response,) = _sent([other], live)
    if not _repeats(response, page):
        return
    following, never_issued, again = _sent([forward, unknown, other], live)
    leads_on = bool(following.items) and not _repeats(following, page)
    if leads_on and not _repeats(never_issued, page) and _repeats(again, page):
        _report({ITEMS}, following, again)


def require_following_page(call: Call, cursor: str, live: Live) -> None:
    """Violation where, below an id in the other case only, a cursor leads back to its page.

    `cursor` is the name of the parameter. A target need not find the other spelling.
    """
    if not _leads_back(_first_two(spelled(call), cursor, live)):
        return
    plain = _first_two(call, cursor, live)
    other = _first_two(spelled(call), cursor, live)
    leads_on = plain[1].items and not _leads_back(plain)
    if leads_on and _leads_back(other):
        _report({ITEMS}, plain[1], other[1])


def _first_two(call: Call, cursor: str, live: Live) -> tuple[Exchange, Exchange]:
    """The first page of a list, and the one that its cursor leads to; twice the first without."""
    (first,) = _sent([call], live)
    if first.cursor is None:
        return first, first
    (second,) = _sent([call.asking(**{cursor: first.cursor})], live)
    return first, second


def _leads_back(pages: tuple[Exchange, Exchange]) -> bool:
    """Whether the second of two pages shows a record of the first."""
    return pages[0] is not pages[1] and _repeats(pages[1], pages[0])


def _sent(calls: list[Call], live: Live) -> list[Exchange]:
    """The responses to calls of primary, by one scheme: what is shown may depend on it."""
    primary = live.callers.credential("primary")
    sending = Sending(primary, primary.schemes[0], "a UUID in each case")
    return live.callers.send_each([(call, sending) for call in calls])


def _differing(one: Exchange, other: Exchange, operation: Operation, live: Live) -> set[str]:
    """What differs in two responses; a target need not find the other spelling."""
    if (one.status, other.status) != (200, 200):
        return set()
    return properties_that_differ(one.data, other.data, operation, live)


def _repeats(page: Exchange, former: Exchange) -> bool:
    keys, former_keys = (set(map(record_key, each.items)) for each in (page, former))
    return bool(keys & former_keys)


def _report(names: Set[str], plain: Exchange, other: Exchange) -> None:
    shown = sorted(names)
    otherwise = defect(
        Kind.DIFFERENCE,
        "a UUID in the other case selects other data: {properties}",
        expected="the same data, or no success",
        properties=", ".join(shown),
    ).on(*shown)
    expect.violated(otherwise.at(*(in_data(other, name) for name in shown)), plain, other)
