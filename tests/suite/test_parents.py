"""The parents that lists below a record are read below."""

from altered_target import stage

from conformance.assurance.selftest.altered import Edit
from conformance.suite.lists.limits import lists, with_all_limits
from conformance.suite.lists.pagination import DEFAULT_LIMIT

PLENTY_EVERYWHERE = Edit(
    "review_generator",
    "COMMENTS_PER_REVIEW: Final = (34, *(0, 2, 1, 0, 5, 3, 0, 1) * 5)",
    "COMMENTS_PER_REVIEW: Final = (34,)",
)


PLENTY_NOWHERE = Edit(
    "review_generator",
    "ACTIVITY_PER_PROJECT: Final = (37, *(3, 5, 1, 2, 0) * 6)",
    "ACTIVITY_PER_PROJECT: Final = (3, 5, 1, 2, 0)",
)


def test_as_many_parents_again_are_tried_where_none_has_plenty() -> None:
    """Those come first that show the largest counts."""
    with stage(edits=[PLENTY_NOWHERE]) as one:
        live = one.things["live"]
        number = live.session.depth.records
        tried = [listed.record for listed, _ in live.lists_below("activity_list")]
        ids = {record["id"] for record in tried}
        counts = [record["videoCount"] for record in tried[number:]]
        rest = [
            each.record for each in live.records("project_list") if each.record["id"] not in ids
        ]

        assert len(tried) == 2 * number
        assert min(counts) >= max(record["videoCount"] for record in rest)


def test_a_sample_with_plenty_is_enough() -> None:
    """No further parents are tried."""
    with stage(edits=[PLENTY_EVERYWHERE]) as one:
        live = one.things["live"]

        assert len(live.lists_below("comment_list")) == live.session.depth.records


def test_page_sizes_are_tried_where_the_most_records_are() -> None:
    """One page is longer than the list, and holds all of it."""
    with stage(edits=[PLENTY_EVERYWHERE]) as one:
        live = one.things["live"]
        first, second = (
            {each.limit: each for each in with_all_limits(call, live)}
            for call in lists(live.operation("comment_list"), live)
        )

        assert len(first[40].ids) == len(first[40].pages[0].items) == 34 > DEFAULT_LIMIT
        assert 40 not in second
