"""How much a run spends."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Depth:
    """Upper bounds of a run.

    `examples`: generated requests of an operation and mode, beside those of the coverage phase.
    `round`: those of one round, with which a run goes on while it has time; 0: it does not.
    `pages`: pages of one pagination. `listed`: records of one pagination: a longer list is checked
    in parts, so that its size decides neither on the requests of a run nor on its memory.
    `records`: records of a list that are read by their ids. `parents`: those below which a list is
    read.
    `few`: values of each kind that a check tries; None: all. `shared`: those that one operation
    gets of values that all operations share; None: all. `sequences`: sequences of approvals.
    `limits`: usual page sizes that one list is read with, beside the longest, and ids that one
    filter is tried with; None: all. `sizes`: page sizes beside the usual ones.
    """

    name: str
    examples: int
    round: int
    pages: int
    listed: int
    records: int
    parents: int
    few: int | None
    shared: int | None
    sequences: int
    limits: int | None
    sizes: int


_STANDARD = Depth(
    "standard",
    examples=3,
    round=0,
    pages=100,
    listed=1_000,
    records=200,
    parents=200,
    few=None,
    shared=None,
    sequences=3,
    limits=None,
    sizes=37,
)
_DEEP = replace(
    _STANDARD,
    name="deep",
    examples=100,
    round=50,
    pages=2500,
    listed=3_000,
    records=300,
    parents=1000,
    sequences=10,
    sizes=99,
)
_QUICK = replace(
    _STANDARD,
    name="quick",
    examples=0,
    pages=40,
    records=8,
    parents=16,
    shared=5,
    sequences=1,
    limits=4,
    sizes=0,
)
_SMOKE = replace(_QUICK, name="smoke", records=3, parents=3, few=1, shared=2, limits=2)
DEPTHS = {each.name: each for each in (_SMOKE, _QUICK, _STANDARD, _DEEP)}

TRIAL = "trial"
_OF_TRIALS = replace(_QUICK, name=TRIAL, shared=None, limits=None, sizes=_STANDARD.sizes)
"""That of the trials of the self-test: every page size, with the samples of a quick run."""


def named(name: str) -> Depth:
    """The depth of a run, or of a trial."""
    return _OF_TRIALS if name == TRIAL else DEPTHS[name]
