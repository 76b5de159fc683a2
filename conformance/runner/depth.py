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
    `few`: values of each kind that a check tries; None: all. `sequences`: sequences of approvals.
    `limits`: usual page sizes that one list is read with, beside the longest; None: all. `sizes`:
    page sizes beside the usual ones.
    """

    name: str
    examples: int
    round: int
    pages: int
    listed: int
    records: int
    parents: int
    few: int | None
    sequences: int
    limits: int | None
    sizes: int


DEPTHS = {
    "smoke": Depth(
        "smoke",
        examples=0,
        round=0,
        pages=40,
        listed=1_000,
        records=3,
        parents=6,
        few=3,
        sequences=1,
        limits=2,
        sizes=0,
    ),
    "quick": Depth(
        "quick",
        examples=0,
        round=0,
        pages=40,
        listed=1_000,
        records=8,
        parents=16,
        few=None,
        sequences=1,
        limits=4,
        sizes=0,
    ),
    "standard": Depth(
        "standard",
        examples=3,
        round=0,
        pages=100,
        listed=1_000,
        records=40,
        parents=200,
        few=None,
        sequences=3,
        limits=None,
        sizes=37,
    ),
    "deep": Depth(
        "deep",
        examples=100,
        round=50,
        pages=2500,
        listed=3_000,
        records=300,
        parents=1000,
        few=None,
        sequences=10,
        limits=None,
        sizes=99,
    ),
}

TRIAL = "trial"
_OF_TRIALS = replace(
    DEPTHS["quick"],
    name=TRIAL,
    limits=DEPTHS["standard"].limits,
    sizes=DEPTHS["standard"].sizes,
)
"""That of the trials of the self-test: every page size, with the samples of a quick run."""


def named(name: str) -> Depth:
    """The depth of a run, or of a trial."""
    return _OF_TRIALS if name == TRIAL else DEPTHS[name]
