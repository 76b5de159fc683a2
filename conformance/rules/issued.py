"""Cursors as they were issued: to whom, and under which filters (Endpoints)."""

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.contract.identifiers import is_uuid
from conformance.rules.answer import Answer, Way

LIMIT = "limit"


@dataclass(frozen=True)
class Issue:
    """The caller whom a cursor was issued to, and the filters of its page."""

    caller: str | None
    filters: frozenset[tuple[str, str]]


Cursors = Mapping[str, frozenset[Issue]]
"""Those that are UUIDs, in lower case: one may be issued several times."""


def add(answer: Answer, cursors: dict[str, frozenset[Issue]]) -> None:
    """Remember the cursor of a page."""
    if is_uuid(answer.cursor):
        cursor = str(answer.cursor).lower()
        issue = Issue(answer.way.caller, filters(answer.way, cursors))
        cursors[cursor] = cursors.get(cursor, frozenset()) | {issue}


def filters(way: Way, cursors: Cursors) -> frozenset[tuple[str, str]]:
    """What a page is asked for by, beside its limit and cursors that are known."""
    sent = ((name, value.lower()) for name, value in way.arguments if name != LIMIT)
    return frozenset((name, value) for name, value in sent if value not in cursors)


def is_of_another(way: Way, cursors: Cursors) -> bool:
    """Whether a page is asked for with a cursor that was issued to other callers alone."""
    known = (cursors[value.lower()] for _, value in way.arguments if value.lower() in cursors)
    return any(way.caller not in {each.caller for each in issues} for issues in known)


def goes_on(way: Way, cursor: str, cursors: Cursors) -> bool:
    """Whether a page is asked for by the same filters as the page that its cursor comes from."""
    issues = cursors.get(cursor.lower(), ())
    return filters(way, cursors) in {each.filters for each in issues}
