"""Page sizes between the usual ones, and paginations that change from one to the next."""

import random
from collections.abc import Sequence

from conformance.suite.lists.pagination import PAGE, Sizes

SIZES = range(2, PAGE + 1)
"""A page of one record has a pagination of its own."""


def chosen(seed: int, turn: int, number: int, records: int) -> list[int]:
    """So many sizes below the number of records, in the order that the seed gives them.

    The lists of a run take turns, so that together they are read with every size.
    """
    order = random.Random(f"{seed}:sizes").sample(SIZES, len(SIZES))
    start = turn * number % len(order)
    rotated = [*order[start:], *order[:start]]
    return [size for size in rotated[:number] if size < records]


def sequences(sizes: Sequence[int], records: int) -> list[Sizes]:
    """The sizes in sequences, each of which reads so many records.

    A size counts only where a page follows it: so the last page of each is a long one.
    """
    made: list[list[int]] = []
    for size in sizes:
        room = (sequence for sequence in made if sum(sequence) + size < records)
        sequence = next(room, None)
        if sequence is None:
            made.append([size])
        else:
            sequence.append(size)
    return [(*sequence, PAGE) for sequence in made]
