"""What distinguishes the records of a list: a defect may need one that others are unlike."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from conformance.suite.lists.pagination import PAGE

Record = Mapping[str, Any]
Feature = tuple[Hashable, ...]

MOST_VALUES = 12
"""Values of a property each of which is a feature: with more of them, it is no vocabulary."""
MOST_NAMES = 40
"""Properties that are looked at: a target may have others with each record."""
MOMENTS = ("createdAt", "updatedAt")
"""The fields that lists are sorted by most often."""


def features(records: Sequence[Record]) -> list[list[Feature]]:
    """The features of each record, in one order in every process.

    They are its values of few, and where it is the first or the last.
    """
    found: list[list[Feature]] = [[] for _ in records]
    names = dict.fromkeys(name for record in records for name in record)
    for name in islice(names, MOST_NAMES):
        values = [record.get(name, ...) for record in records]
        for number, feature in _features(values):
            found[number].append((name, *feature))
    return found


def ties(records: Sequence[Record]) -> list[int]:
    """After how many records a page ends between two that share a moment."""
    pairs = enumerate(pairwise(records[: PAGE + 1]), 1)
    return [number for number, both in pairs if any(_is_shared(name, *both) for name in MOMENTS)]


def _is_shared(name: str, one: Record, other: Record) -> bool:
    return isinstance(one.get(name), str) and one[name] == other.get(name)


def _features(values: Sequence[Any]) -> Iterator[tuple[int, Feature]]:
    """What distinguishes values of one property, which is ... where a record has none."""
    counts = Counter(map(repr, values))
    is_vocabulary = len(counts) <= MOST_VALUES
    for number, value in enumerate(values):
        yield number, ("empty" if value in ("", []) else "a", type(value).__name__)
        if is_vocabulary:
            yield number, ("is", repr(value))
        elif isinstance(value, str) and not value.isascii():
            yield number, ("beyond ASCII",)
        elif counts[repr(value)] > 1:
            yield number, ("shared",)
    sizes = {number: size for number, value in enumerate(values) if (size := _size(value))}
    if sizes:
        yield min(sizes, key=sizes.__getitem__), ("least",)
        yield max(sizes, key=sizes.__getitem__), ("most",)


def _size(value: Any) -> tuple[int, str] | None:
    """What values of one property are compared by; None where it has no order."""
    if isinstance(value, str | list):
        return len(value), str(value)
    return (value, "") if isinstance(value, int) else None
