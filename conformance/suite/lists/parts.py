"""Parts of a list that is too long to be read whole: its beginning, and what a filter selects."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Call
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import PAGE, End, Pagination
from conformance.suite.lists.parameters import confirmed_name

MOST_TRIED = 3
"""Values of one filter that are tried before a part counts as too long, too."""


def is_too_long(pagination: Pagination) -> bool:
    """Whether the depth of the run ended a pagination before the list did."""
    return pagination.end is End.PAGE_COUNT


def parts(operation: Operation, live: Live) -> list[Pagination]:
    """For each filter, the part of a list with the fewest records, more than one if possible.

    Only those that can be read whole, in the longest pages.
    """
    if "{" in operation.path:
        return []
    found = (_part(operation, *known, live) for known in _filters(operation, live))
    return [part for part in found if part is not None]


def _filters(operation: Operation, live: Live) -> Iterator[tuple[str, str]]:
    """The filters that the target knows, each with the property that it restricts."""
    for role, restricted in operation.filters.items():
        with suppress(Inconclusive, NotApplicable):
            yield confirmed_name(operation, role, live), restricted


def _part(operation: Operation, name: str, restricted: str, live: Live) -> Pagination | None:
    for id in list(_rarest(live.listing(operation.id), restricted))[:MOST_TRIED]:
        part = live.paginations.read(Call(operation.id).asking(**{name: id}), PAGE)
        if part.is_whole:
            return part
    return None


def _rarest(pagination: Pagination, restricted: str) -> Iterator[str]:
    """The owners of the records that were read, those of several records first."""
    owners = [record.get(restricted) for record in pagination.records]
    counts = Counter(str(owner).lower() for owner in owners if is_uuid(owner))
    return iter(sorted(counts, key=lambda id: (counts[id] == 1, counts[id], id)))


def part_with(operation: Operation, record: object, live: Live) -> Pagination | None:
    """A part of the list that can be read whole, and that a record belongs to."""
    if not isinstance(record, dict):
        return None  # reported by the rules of the response
    for name, restricted in _filters(operation, live):
        owner = record.get(restricted)
        if is_uuid(owner):
            part = live.paginations.read(Call(operation.id).asking(**{name: str(owner)}), PAGE)
            if part.is_whole:
                return part
    return None


def skipped(pagination: Pagination, other: Pagination) -> set[str]:
    """The records between those of a pagination that only another one has, in the same order.

    Empty where the two have different orders. Both may have been ended by the depth of the run.
    """
    own, theirs = set(pagination.ids), other.ids
    if not _is_ordered_alike(pagination.ids, theirs):
        return set()
    last = max((place for place, id in enumerate(theirs) if id in own), default=0)
    return set(theirs[:last]) - own


def _is_ordered_alike(ids: Sequence[str], others: Sequence[str]) -> bool:
    one, other = dict.fromkeys(ids), dict.fromkeys(others)
    return [id for id in one if id in other] == [id for id in other if id in one]
