"""Page sizes between the usual ones."""

from conformance.suite.lists.page_sizes import SIZES, chosen, sequences


def test_the_lists_of_a_run_have_every_size_together() -> None:
    """Each begins where another one ends."""
    of_lists = [chosen(seed=1, turn=turn, number=33, records=1000) for turn in range(3)]

    assert sorted(size for sizes in of_lists for size in sizes) == list(SIZES)


def test_a_size_is_used_where_a_page_follows_it() -> None:
    """Sizes as large as the list are left out, and each sequence ends with long pages."""
    sizes = chosen(seed=1, turn=0, number=99, records=40)

    assert sorted(sizes) == list(range(2, 40))
    used = []
    for sequence in sequences(sizes, 40):
        *before, last = [size for size in sequence if size is not None]
        assert sum(before) < 40
        assert last == 100
        used += before
    assert sorted(used) == list(range(2, 40))
