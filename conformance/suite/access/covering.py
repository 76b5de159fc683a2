"""Covering designs: few items that contain everything that any valid item contains."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


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
