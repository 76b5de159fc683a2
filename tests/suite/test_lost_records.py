"""A second look at the lists of a run, and at what approved reviews refer to."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import httpx
import pytest
from altered_target import Send, Spoil, Stage, edited, json_response, stage, without
from intercepted import changed

from conformance.assurance.selftest.altered import Edit
from conformance.contract.verdict import NotApplicable, Violation
from conformance.suite import test_tools_state as tools_state
from conformance.suite import test_well_after as well_after
from conformance.suite.lists.lost_records import require_still_listed

VIDEOS = "/v1/videos"


def losing(most: int) -> Spoil:
    """The first page of videos lacks its first record, so many times."""
    numbers = iter(range(most))

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        is_first = request.url.path == VIDEOS and "cursor" not in request.url.params
        if not is_first or next(numbers, None) is None:
            return response
        return edited(response, lambda document: document["data"]["items"].pop(0))

    return spoil


def absent(*paths: str) -> Spoil:
    """What begins with one of these paths returns 404."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        return json_response(404) if request.url.path.startswith(paths) else send(request)

    return spoil


@contextmanager
def later(spoil: Spoil) -> Iterator[Stage]:
    """A target that is altered when its videos have been listed."""
    with stage() as one:
        one.things["live"].listing("video_list")
        one.transport.spoil = spoil
        yield one


def look_again(one: Stage) -> None:
    """Look for what the list of videos has lost."""
    live = one.things["live"]
    require_still_listed(live.operation("video_list"), live)


def test_a_record_that_a_list_loses_for_good_is_reported() -> None:
    """It can still be read by its id, as it was listed."""
    with later(losing(99)) as one, pytest.raises(Violation, match="can be read by its id"):
        look_again(one)


@pytest.mark.parametrize(("most", "waits"), [(1, 1), (3, 2)])
def test_a_record_that_is_listed_again_was_not_lost(most: int, waits: int) -> None:
    """A list may lag, or skip a record while others move."""
    with later(losing(most)) as one:
        look_again(one)

        assert len(one.transport.waits) == waits


def test_a_record_that_was_changed_may_leave_its_list() -> None:
    """It may have been archived, or deleted."""
    losing_always = losing(99)

    def archived(request: httpx.Request, send: Send) -> httpx.Response:
        change = changed(f"{VIDEOS}/", lambda record: record.update(ingestionStatus="archived"))
        return losing_always(request, lambda request: change(request, send))

    with later(archived) as one:
        look_again(one)


def test_a_list_that_is_no_longer_served_is_not_compared() -> None:
    """It is not applicable: other checks report it."""
    with later(absent(VIDEOS)) as one, pytest.raises(NotApplicable, match="no longer served"):
        look_again(one)


def test_lists_that_are_not_served_are_not_looked_at() -> None:
    """The checks of reading report them."""
    with stage(spoil=absent("/v1/")) as one:
        one.perform(well_after.test_what_was_listed_is_still_listed)


ABSENT_VIDEO = Edit(
    "service",
    "        row = _existing(reader.video(video_id))",
    """        row = _existing(reader.video(video_id))
        join = "approvals AS a JOIN reviews AS r ON r.id = a.review_id"
        if self._store.row(f"SELECT 1 FROM {join} WHERE r.video_id = :v", {"v": video_id}):
            raise NotFound("There is no such video.")""",
)
UNLISTED_VIDEO = Edit(
    "approval",
    "    store.write(UPDATE_REVIEW, state)",
    '''    store.write(UPDATE_REVIEW, state)
    remove = """UPDATE videos SET position = -abs(position)
        WHERE id = (SELECT video_id FROM reviews WHERE id = :review)"""
    store.write(remove, state)''',
)


@pytest.mark.parametrize("edits", [[ABSENT_VIDEO], [ABSENT_VIDEO, UNLISTED_VIDEO]])
def test_a_video_that_is_absent_after_an_approval_may_be_deleted(edits: list[Edit]) -> None:
    """It is not, as long as it is listed."""
    is_listed = UNLISTED_VIDEO not in edits
    with stage(edits=edits) as one:
        one.things["live"].listing("video_list")
        with pytest.raises(Violation, match="404") if is_listed else nullcontext():
            one.perform(well_after.test_what_an_approved_review_refers_to_is_served)


DROPPED_BY_FILTER = Edit(
    "queries",
    """        conditions = [*LISTED_REVIEWS]
        if project is not None:""",
    """        conditions = [*LISTED_REVIEWS]
        if project is not None:
            conditions.append("record.id NOT IN (SELECT review_id FROM approvals)")""",
)


def test_a_filter_that_loses_approved_reviews_is_reported() -> None:
    """The list without a filter still has them."""
    with stage(edits=[DROPPED_BY_FILTER]) as one:
        one.things["live"].listing("review_list")
        with pytest.raises(Violation, match="missing from the list filtered by projectId"):
            one.perform(well_after.test_a_filter_still_returns_approved_reviews)


def no_consent(profile: dict[str, Any]) -> None:
    """Withdraw the consent to approvals."""
    profile["consent"]["approve-reviews"] = False


@pytest.mark.parametrize("change", [no_consent, without("tools")])
def test_the_tools_are_not_compared_without_an_approved_review(
    change: Callable[[dict[str, Any]], None],
) -> None:
    """It is not applicable: their data are compared without an approval as well."""
    with stage(change) as one, pytest.raises(NotApplicable, match="no approved review"):
        one.perform(tools_state.test_the_tools_show_an_approved_review_as_it_is)
