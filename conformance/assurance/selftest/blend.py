"""Variants that share a trial: a conforming deployment takes many freedoms at once.

Where such a trial passes, each of its variants does; otherwise each of them is run alone.
"""

from collections.abc import Callable, Sequence

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit, EditError
from conformance.assurance.selftest.population import SEED, Subject, Variant

MOST = 4
"""Variants of one trial: with more of them, most edits meet in one place of the source."""

Blend = tuple[Subject, ...]
"""The subjects of one trial: a mutant is always the only one."""


def edits(blend: Blend) -> tuple[Edit, ...]:
    """The edits of all of them."""
    return tuple(edit for subject in blend for edit in subject.edits)


def blends(subjects: Sequence[Subject], needs: Callable[[Subject], int]) -> list[Blend]:
    """All subjects, variants together where their edits allow it.

    `needs` is the number of checks that a subject needs: those with the same needs come together.
    """
    complete: list[Blend] = [(each,) for each in subjects if not _may_share(each)]
    open_blends: list[Blend] = []
    for variant in sorted(filter(_may_share, subjects), key=needs):
        place = _place(open_blends, variant)
        if place is None:
            open_blends.append((variant,))
        else:
            open_blends[place] = (*open_blends[place], variant)
    return complete + open_blends


def _may_share(subject: Subject) -> bool:
    """Whether a subject may share a trial: what is inconclusive on it would hide failures."""
    return isinstance(subject, Variant) and not subject.inconclusive and subject.seed == SEED


def _place(open_blends: Sequence[Blend], variant: Subject) -> int | None:
    """The latest blend that a variant fits into."""
    for place in reversed(range(len(open_blends))):
        blend = open_blends[place]
        if len(blend) < MOST and _are_independent(edits(blend), variant.edits):
            return place
    return None


def _are_independent(some: Sequence[Edit], others: Sequence[Edit]) -> bool:
    """Whether edits apply in either order, with the same result."""
    try:
        return altered.edited((*some, *others)) == altered.edited((*others, *some))
    except EditError:
        return False
