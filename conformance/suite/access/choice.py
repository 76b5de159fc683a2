"""The cells of a run: a part of the matrix that covers what the whole of it covers."""

import random
from functools import cache
from threading import Lock

from conformance.contract import api
from conformance.suite.access import rule
from conformance.suite.access.rule import Cell
from conformance.suite.lists.covering import covering

_CHOOSING = Lock()
"""Held by the check that chooses: those beside it wait, or each of them would choose."""


def chosen(seed: int) -> list[Cell]:
    """The cells of a run with this seed, which decides among those that cover as much."""
    with _CHOOSING:
        return _chosen(seed)


@cache
def _chosen(seed: int) -> list[Cell]:
    valid = rule.cells(api.load().schemes)
    random.Random(seed).shuffle(valid)
    return covering(valid, lambda cell: cell.combinations)
