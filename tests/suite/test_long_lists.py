"""Lists that are too long to be read whole: what is checked in their place."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest
from altered_target import Stage, stage

from conformance.assurance.selftest.altered import Edit
from conformance.contract.verdict import Violation
from conformance.http.exchange import Call
from conformance.suite import test_filters as filters
from conformance.suite import test_observations as observations
from conformance.suite import test_pagination as pagination
from conformance.suite.lists import paginations
from conformance.suite.lists.parts import is_too_long

LISTED = "        rows = reader.videos(listing.window, company, project)"
LOST_IN_FIFTY = Edit(
    "service",
    LISTED,
    f"""{LISTED}
        if company is None and project is None and listing.window.limit == 50:
            rows = [*rows[:7], *rows[8:]]""",
)
ENDED_IN_FIFTY = Edit(
    "service", "more = len(rows) > len(items)", "more = len(rows) > len(items) != 50"
)
LOST_IN_PARTS = Edit(
    "service",
    LISTED,
    f"""{LISTED}
        if project is not None and listing.window.limit == 1:
            rows = rows[:1]""",
)
LOST_UNDER_A_FILTER = Edit(
    "service",
    LISTED,
    f"""{LISTED}
        if company is not None:
            rows = rows[1:]""",
)


@contextmanager
def long(monkeypatch: pytest.MonkeyPatch, edits: Sequence[Edit] = ()) -> Iterator[Stage]:
    """A target with more videos than a run reads: one page of 100 of each list, two of others."""
    monkeypatch.setattr(paginations, "BEGINNING", 2)
    with stage(edits=edits, pages=1) as one:
        yield one


def test_a_long_list_is_compared_with_its_beginning_and_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The check passes, and the report says what was read."""
    with long(monkeypatch) as one:
        one.perform(pagination.test_following_cursors_returns_every_record, "video_list")
        one.perform(observations.test_lists_that_are_too_long_to_be_read_whole, "video_list")
        live = one.things["live"]

        assert is_too_long(live.paginations.read(Call("video_list"), 100))
        (observation,) = one.session.observations
        assert observation[:2] == ("observe/parts", "video_list: records that were read")
        assert observation[2]["the beginning"] == 100
        assert len(observation[2]) == 3


@pytest.mark.parametrize("edit", [LOST_IN_FIFTY, ENDED_IN_FIFTY, LOST_IN_PARTS])
def test_a_record_that_a_long_list_lacks_is_found(
    edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of its beginning, at its end, or under a filter."""
    with (
        long(monkeypatch, [edit]) as one,
        pytest.raises(Violation, match=r"(is|are) missing with"),
    ):
        one.perform(pagination.test_following_cursors_returns_every_record, "video_list")


def test_a_filter_that_loses_a_record_of_a_long_list_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was read of the list has to be in the filtered one."""
    with (
        long(monkeypatch, [LOST_UNDER_A_FILTER]) as one,
        pytest.raises(Violation, match="missing from the list filtered by companyId"),
    ):
        one.perform(filters.test_a_filter_restricts_every_page, "video_list")


def test_a_list_is_read_up_to_so_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """With each limit, whatever the number of its pages."""
    monkeypatch.setattr(paginations, "BEGINNING", 1)
    with stage() as one:
        one.session.depth = replace(one.session.depth, listed=100)
        read = one.things["live"].paginations.read
        pages = {limit: len(read(Call("video_list"), limit).pages) for limit in (100, 50, 25)}
    assert pages == {100: 1, 50: 2, 25: 4}
