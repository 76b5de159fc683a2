"""Cursors: what continues a list is the nextCursor of one of its pages, as it was (Endpoints)."""

from collections import defaultdict

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Defect, Kind, defect
from conformance.rules import answer
from conformance.rules.client.asked import Asked
from conformance.rules.client.recording import Recording, ruling
from conformance.rules.judgement import shown
from conformance.rules.ruling import Rulings
from conformance.rules.walks import cursor_of

CURSOR = "client/cursor"
REQUIREMENTS = frozenset({CURSOR})

REJECTED = frozenset({400, 404, 410, 422})
"""Statuses that a cursor may get which was never issued, or has aged."""

Issued = dict[str, dict[tuple[str, str], Asked]]
"""The pages that have shown a cursor, by the cursor in lower case, and by operation and subject."""


def examine(recording: Recording) -> Rulings:
    """Whether each cursor is that of an earlier page of the list that it is sent to."""
    issued: Issued = defaultdict(dict)
    for call in recording.calls:
        if not call.operation.is_list:
            continue
        cursor = call.argument("cursor")
        if cursor is not None and cursor != "":  # many servers treat "" as absent
            yield from _ruling(call, str(cursor), issued, recording)
        shown_page = answer.of(call.exchange, recording.contract)
        issues = cursor_of(shown_page) if shown_page is not None else None
        if issues is not None:
            issued[issues.lower()].setdefault((call.operation.id, call.subject), call)


def _ruling(call: Asked, cursor: str, issued: Issued, recording: Recording) -> Rulings:
    """One ruling, or none where the cursor may be from another recording."""
    pages = issued.get(cursor.lower(), {})
    own = pages.get((call.operation.id, call.subject))
    if own is not None:
        yield ruling(CURSOR, own.exchange, call.exchange)
    elif not is_uuid(cursor):
        yield ruling(CURSOR, call.exchange, otherwise=_no_cursor(cursor, "is not a UUID"))
    elif pages:
        other = next(iter(pages.values()))
        what = f"is from a page of {_described(other)}"
        otherwise = _no_cursor(cursor, what)
        yield ruling(CURSOR, other.exchange, call.exchange, otherwise=otherwise)
    elif recording.whole and call.exchange.status in REJECTED:
        yield ruling(CURSOR, call.exchange, otherwise=_no_cursor(cursor, "was on no page"))


def _described(call: Asked) -> str:
    return f"{call.operation.id} {call.subject}".strip()


def _no_cursor(cursor: str, what: str) -> Defect:
    return defect(
        Kind.VALUE,
        "the cursor {cursor} {what}",
        expected="the nextCursor of an earlier page of this list",
        actual=cursor,
        cursor=shown(cursor),
        what=what,
    )
