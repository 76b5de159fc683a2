"""UUIDs in the other case: both spellings are one UUID (Resources and their fields)."""

from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import PAUSES, Live
from conformance.suite.lists.pagination import record_key
from conformance.suite.lists.records import differing

ITEMS = frozenset({"items"})
SUCCESS = 200


def in_other_case(id: str) -> str:
    """A UUID in upper case, or in lower case where it is in upper case already."""
    return id.upper() if id != id.upper() else id.lower()


def spelled(call: Call) -> Call:
    """A call with the id of its path in the other case."""
    return call.at(**{name: in_other_case(id) for name, id in call.path.items()})


def require_same_data(call: Call, live: Live) -> None:
    """Violation where an id in the other case is found, and shows something else every time."""
    plain, other = _sent([call, spelled(call)], live)
    names = _differing(plain, other)
    for pause in PAUSES:
        if not names:
            return
        live.session.transport.wait(pause)
        plain, other, again = _sent([call, spelled(call), call], live)
        names &= _differing(plain, other) - _differing(plain, again)
    if names:
        _report(names, plain, other)


def require_next_page(call: Call, cursor: str, live: Live) -> None:
    """Violation where a cursor in the other case leads back to the page that it came with.

    `cursor` is the name of the parameter.
    """
    (page,) = _sent([call], live)
    if page.cursor is None or page.cursor == in_other_case(page.cursor):
        return
    forward, other = (
        call.asking(**{cursor: each}) for each in (page.cursor, in_other_case(page.cursor))
    )
    (response,) = _sent([other], live)
    if not _repeats(response, page):
        return
    following, again = _sent([forward, other], live)
    if following.items and not _repeats(following, page) and _repeats(again, page):
        _report(ITEMS, following, again)


def _sent(calls: list[Call], live: Live) -> list[Exchange]:
    """The responses to calls of primary, by one scheme: what is shown may depend on it."""
    primary = live.callers.credential("primary")
    sending = Sending(primary, primary.schemes[0], "a UUID in each case")
    return live.callers.send_each([(call, sending) for call in calls])


def _differing(plain: Exchange, other: Exchange) -> frozenset[str]:
    """The properties in which two successes differ; a target need not find the other spelling."""
    if plain.status != SUCCESS or other.status != SUCCESS:
        return frozenset()
    if not (isinstance(plain.data, dict) and isinstance(other.data, dict)):
        return frozenset()
    if "items" not in plain.data:
        return frozenset(differing(plain.data, other.data))
    if plain.cursor is None and other.cursor is None:
        return frozenset() if _keys(plain) == _keys(other) else ITEMS
    return ITEMS if bool(plain.items) != bool(other.items) else frozenset()


def _repeats(page: Exchange, former: Exchange) -> bool:
    return bool(_keys(page) & _keys(former))


def _keys(page: Exchange) -> set[str]:
    return set(map(record_key, page.items))


def _report(names: frozenset[str], plain: Exchange, other: Exchange) -> None:
    otherwise = defect(
        Kind.DIFFERENCE,
        "a UUID in the other case selects other data: {properties} differ",
        expected="the same data, or no success",
        properties=", ".join(sorted(names)),
    ).on(*sorted(names))
    expect.violated(otherwise.at(*(in_data(other, name) for name in sorted(names))), plain, other)
