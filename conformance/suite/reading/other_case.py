"""UUIDs in the other case: both spellings are one UUID (Resources and their fields)."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeVar

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call
from conformance.rules.records import Record, differing, in_lower_case, of_contract, record_key
from conformance.runner.context import Context
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import Live
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.interfaces import Interface, Received

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


def lasting(
    first: tuple[Read, Read],
    again: Callable[[], Sequence[Read]],
    differing: Callable[[Read, Read], set[str]],
    context: Context,
) -> tuple[set[str], Read, Read]:
    """What differs by the case of an id every time, and the last plain and other response.

    `again` reads by the plain id, the other one, and the plain one: of two servers that take turns,
    another one answers then. What differs between responses to the plain id does not count.
    """
    plain, other = first
    names = differing(plain, other)
    for seconds in context.lag.pauses:
        if not names:
            break
        context.transport.wait(seconds)
        former = plain
        plain, other, repeated = again()
        names &= differing(plain, other)
        names -= differing(plain, repeated)
        names -= differing(former, plain)
    return names, plain, other


@dataclass(frozen=True)
class OtherCase:
    """Asks as primary, by one interface and scheme, with a UUID in each case.

    A target need not find the other spelling.
    """

    operation: Operation
    live: Live
    interface: Interface
    scheme: str

    def check_id(self, call: Call) -> None:
        """Violation where an id in the other case is found, and shows something else every time."""
        names, plain, other = lasting(
            (self._ask(call), self._ask(spelled(call))),
            again=lambda: [self._ask(each) for each in (call, spelled(call), call)],
            differing=lambda one, another: (
                self._differing(one, another) | strays(another.data, call)
            ),
            context=self.live.session,
        )
        if names:
            _report(names, plain, other)

    def check_cursor(self, call: Call, cursor: str) -> None:
        """Violation where a cursor in the other case leads back to the page that it came with.

        `cursor` is the name of the parameter. A target that knows no cursor in the other case may
        treat it as one that was never issued.
        """
        page = self._ask(call)
        if page.cursor is None or page.cursor == in_other_case(page.cursor):
            return
        forward, other, unknown = (
            call.asking(**{cursor: each})
            for each in (page.cursor, in_other_case(page.cursor), self.live.made_up("cursor"))
        )
        if not _repeats(self._ask(other), page):
            return
        following, never_issued, again = map(self._ask, (forward, unknown, other))
        leads_on = bool(following.items) and not _repeats(following, page)
        if leads_on and not _repeats(never_issued, page) and _repeats(again, page):
            _report({ITEMS}, following, again)

    def check_following(self, call: Call, cursor: str) -> None:
        """Violation where, below an id in the other case only, a cursor leads back to its page."""
        if not _leads_back(self._first_two(spelled(call), cursor)):
            return
        plain = self._first_two(call, cursor)
        other = self._first_two(spelled(call), cursor)
        if plain[1].items and not _leads_back(plain) and _leads_back(other):
            _report({ITEMS}, plain[1], other[1])

    def _first_two(self, call: Call, cursor: str) -> tuple[Received, Received]:
        """The first page of a list, and the one that its cursor leads to, or the first again."""
        first = self._ask(call)
        if first.cursor is None:
            return first, first
        return first, self._ask(call.asking(**{cursor: first.cursor}))

    def _ask(self, call: Call) -> Received:
        primary = Caller(self.live.callers.credential("primary"), self.scheme)
        return self.interface.ask(self.operation, (call, primary), "a UUID in each case")

    def _differing(self, one: Received, other: Received) -> set[str]:
        if not (one.is_served and other.is_served):
            return set()
        return properties_that_differ(one.data, other.data, self.operation, self.live)


def _leads_back(pages: tuple[Received, Received]) -> bool:
    """Whether the second of two pages shows a record of the first."""
    return pages[0] is not pages[1] and _repeats(pages[1], pages[0])


def _repeats(page: Received, former: Received) -> bool:
    keys, former_keys = (set(map(record_key, each.items)) for each in (page, former))
    return bool(keys & former_keys)


def _report(names: Set[str], plain: Received, other: Received) -> None:
    shown = sorted(names)
    otherwise = defect(
        Kind.DIFFERENCE,
        "a UUID in the other case selects other data: {properties}",
        expected="the same data, or no success",
        properties=", ".join(shown),
    ).on(*shown)
    if other.result is None:
        otherwise = otherwise.at(*(in_data(other.exchange, name) for name in shown))
    expect.violated(otherwise, plain.exchange, other.exchange)
