"""The parents that lists below a record are read below."""

from altered_target import Profile, stage

from conformance.assurance.selftest.altered import Edit
from conformance.suite.lists.limits import lists, with_all_limits
from conformance.suite.lists.pagination import DEFAULT_LIMIT

PLENTY_EVERYWHERE = Edit(
    "review_generator",
    "COMMENTS_PER_REVIEW: Final = (34, *(0, 2, 1, 0, 5, 3, 0, 1) * 5)",
    "COMMENTS_PER_REVIEW: Final = (34,)",
)


def test_the_list_below_each_record_is_read() -> None:
    """Of more records than the depth allows, those are chosen that are unlike others."""
    with stage() as one:
        live = one.things["live"]
        most = live.session.depth.parents
        tried = [listed.record for listed, _ in live.lists_below("activity_list")]
        every = [listed.record for listed in live.records("project_list")]

        assert len(tried) == most < len(every)
        for name in ("status", "companyId"):
            assert {each[name] for each in tried} == {each[name] for each in every}
        assert max(every, key=lambda each: each["videoCount"]) in tried


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


def test_reviews_of_the_profile_are_tried_where_none_that_is_read_has_comments() -> None:
    """Of a long list, those that are read may all be new."""
    with stage() as one:
        named = one.things["live"].listing("review_list").ids[-1]

    def name(profile: Profile) -> None:
        profile["fixtures"]["unapprovable-reviews"] = [named]

    with stage(name, pages=1, edits=[only_below(named)]) as one:
        live = one.things["live"]
        assert live.children("comment_list")[named].items
        assert live.parents("comment_list")[0] == named


def only_below(review: str) -> Edit:
    """The comments of any review, below one alone."""
    rows = "        rows = reader.comments(listing.window, review_id)\n"
    some = "next(filter(None, (reader.comments(listing.window, each[0]) for each in ids)))"
    return Edit(
        "service",
        rows,
        f"""{rows}
        ids = self._store.rows("SELECT id FROM reviews", {{}})
        rows = {some} if review_id == "{review}" else []
""",
    )
