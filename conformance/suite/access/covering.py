"""Covering designs: few rows that contain every pair of values that any valid row has."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations
from typing import TypeVar

Item = TypeVar("Item")
Row = Sequence[Hashable]
Pair = tuple[int, Hashable, int, Hashable]


def pairwise(valid: Sequence[Item], row: Callable[[Item], Row]) -> list[Item]:
    """Some of these items, in whose rows each pair of values occurs that occurs in any row.

    For each pair in turn, the item is taken that has the most pairs that are still missing.
    """
    pairs = [tuple(_pairs(row(item))) for item in valid]
    having: dict[Pair, list[int]] = defaultdict(list)
    for number, found in enumerate(pairs):
        for pair in found:
            having[pair].append(number)
    missing, chosen = set(having), []
    for pair, numbers in having.items():
        if pair in missing:
            best = max(numbers, key=lambda number: len(missing.intersection(pairs[number])))
            missing.difference_update(pairs[best])
            chosen.append(best)
    return [valid[number] for number in sorted(chosen)]


def _pairs(row: Row) -> Iterator[Pair]:
    for (place, value), (other, second) in combinations(enumerate(row), 2):
        yield place, value, other, second
