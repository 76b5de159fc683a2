"""Covering designs: few combinations of conditions in which every pair of them occurs."""

import random
from collections.abc import Sequence
from itertools import combinations, product
from operator import getitem
from typing import Any

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
