"""Lists that change while they are read: what was updated or moved meanwhile."""

from collections import Counter
from collections.abc import Sequence

from conformance.http.exchange import Call
from conformance.rules.records import record_key
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import Pagination

ROUNDS = 2
RESTLESS = 8
"""How often a changing list is read before a violation is reported.

Where many records move, many are repeated or missing by chance.
"""


def desynchronize(call: Call, number: int, live: Live) -> None:
    """Send one request more before each repetition.

    Otherwise a defect of every n-th response could seem to stay in the same place.
    """
    for _ in range(number + 1):
        live.callers.send(call, purpose="once more")


def updated(paginations: Sequence[Pagination]) -> set[str]:
    """The records that were updated between these paginations.

    Where the latest update comes first, such a record may move past the reader every time.
    """
    records = [record for each in paginations for record in each.records if "updatedAt" in record]
    moments = {(record_key(record), repr(record["updatedAt"])) for record in records}
    counts = Counter(key for key, _ in moments)
    return {id for each in paginations for id in each.ids if counts[id] > 1}


def are_at_rest(before: Sequence[Pagination], after: Sequence[Pagination]) -> bool:
    """Whether no record was added, removed or moved, although single paginations may lack some."""
    shown_before = {id for each in before for id in each.ids}
    shown_after = {id for each in after for id in each.ids}
    if shown_before != shown_after:
        return False
    pairs = zip(before, after, strict=True)
    return all(common(one, other) == common(other, one) for one, other in pairs)


def common(one: Pagination, other: Pagination) -> list[str]:
    """The records of a pagination that another one has too, in their order."""
    shared = set(other.ids)
    return [id for id in dict.fromkeys(one.ids) if id in shared]
