"""Page sizes between the usual ones."""

from conformance.runner.depth import DEPTHS
from conformance.suite.lists.page_sizes import COMMON, SIZES, ordered, sequences


def test_the_lists_of_a_run_have_every_size_together() -> None:
    """Each has the common sizes, and then begins where another one ends."""
    number = DEPTHS["standard"].sizes
    of_lists = [ordered(seed=1, turn=turn, number=number)[:number] for turn in range(3)]

    assert all(tuple(sizes[: len(COMMON)]) == COMMON for sizes in of_lists)
    assert {size for sizes in of_lists for size in sizes} == set(SIZES)
    assert sorted(ordered(seed=1, turn=1, number=number)) == SIZES


def test_a_size_is_used_where_a_page_follows_it() -> None:
    """Each sequence ends with a page that is long enough for all records."""
    sizes = list(range(2, 40))
    used, ends = [], []
    for sequence in sequences(sizes, 40, last=[64, 41]):
        *before, last = [size for size in sequence if size is not None]
        assert sum(before) < 40
        used += before
        ends.append(last)

    assert sorted(used) == sizes
    assert ends[:3] == [64, 41, 100]
