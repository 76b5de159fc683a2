"""Page sizes between the usual ones, and paginations that change from one to the next."""

import random
from collections.abc import Iterable, Sequence
from itertools import chain, repeat

from conformance.suite.lists.pagination import PAGE, Sizes

USUAL = (PAGE, 50, 25, 20, 10, 7, 1)
"""The sizes that each list is read with from its first page on."""
SIZES = [size for size in range(1, PAGE) if size not in USUAL]
UNFILTERED = (20, 50, 10)
"""Those of them that a list under filters is read with among the unusual ones."""
COMMON = (30, 5, 40, 60, 15, 75, 80)
"""The sizes that clients choose most, beside the usual ones."""


def ordered(seed: int, turn: int, number: int) -> list[int]:
    """All sizes in the order in which one list, read with so many of them, takes them.

    The common ones come first. The lists of a run take turns at the others, so that together they
    are read with every size.
    """
    others = [size for size in SIZES if size not in COMMON]
    order = random.Random(f"{seed}:sizes").sample(others, len(others))
    start = turn * max(number - len(COMMON), 0) % len(order)
    return [*COMMON, *order[start:], *order[:start]]


def sequences(sizes: Sequence[int], records: int, last: Iterable[int] = ()) -> list[Sizes]:
    """The sizes in sequences, each of which reads so many records.

    A size counts only where a page follows it: so the last page of each is a long one. `last` are
    sizes that all records fit on, for these pages.
    """
    made: list[list[int]] = []
    for size in sizes:
        room = (sequence for sequence in made if sum(sequence) + size < records)
        sequence = next(room, None)
        if sequence is None:
            made.append([size])
        else:
            sequence.append(size)
    ends = chain(last, repeat(PAGE))
    return [(*sequence, end) for sequence, end in zip(made, ends, strict=False)]
