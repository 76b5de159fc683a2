"""Covering designs: few items, or combinations of them, that contain what all of them contain."""

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations, product
from operator import getitem
from typing import Any, TypeVar

Item = TypeVar("Item")
Combination = tuple[Any, ...]


def pairwise(seed: str, *factors: Sequence[Any]) -> list[Combination]:
    """Combinations of one value of each factor; each pair of values is in one of them.

    They are the same for the same seed. The factors are so few that all combinations are compared.
    """
    candidates = list(product(*(range(len(factor)) for factor in factors)))
    random.Random(seed).shuffle(candidates)
    uncovered = {pair for each in candidates for pair in _pairs(each)}
    chosen = []
    while uncovered:
        best = max(candidates, key=lambda each: len(uncovered & _pairs(each)))
        uncovered -= _pairs(best)
        chosen.append(best)
    return [tuple(map(getitem, factors, each)) for each in chosen]


def _pairs(combination: Sequence[int]) -> set[tuple[tuple[int, int], ...]]:
    """The pairs of values, each with the place of its factor."""
    return set(combinations(enumerate(combination), 2))


def covering(valid: Sequence[Item], parts: Callable[[Item], Iterable[Hashable]]) -> list[Item]:
    """Some of these items, in which each part occurs that occurs in any of them.

    For each part in turn, the item is taken that has the most parts that are still missing.
    """
    contents = [frozenset(parts(item)) for item in valid]
    having: dict[Hashable, list[int]] = defaultdict(list)
    for number, item in enumerate(valid):
        for part in parts(item):
            having[part].append(number)
    missing, chosen = set(having), []
    for part, numbers in having.items():
        if part in missing:
            best = max(numbers, key=lambda number: len(missing & contents[number]))
            missing -= contents[best]
            chosen.append(best)
    return [valid[number] for number in sorted(chosen)]
