"""Covering designs: every pair of values occurs."""

from itertools import combinations, product

from conformance.suite.lists.covering import pairwise

FACTORS = (["own", "other", "unknown"], [1, 25, 100, None], ["api-key", "bearer"])


def test_every_pair_of_values_is_covered() -> None:
    """The combinations are fewer than all of them, and none is superfluous by being repeated."""
    chosen = pairwise("1", *FACTORS)

    for one, other in combinations(range(len(FACTORS)), 2):
        covered = {(each[one], each[other]) for each in chosen}
        assert covered == set(product(FACTORS[one], FACTORS[other]))
    assert 12 <= len(chosen) == len(set(chosen)) < 24


def test_the_seed_chooses_the_combinations() -> None:
    """The same seed chooses the same ones."""
    assert pairwise("1", *FACTORS) == pairwise("1", *FACTORS) != pairwise("2", *FACTORS)
