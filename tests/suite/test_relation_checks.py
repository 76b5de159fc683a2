"""Checks of relations between records on targets with outdated or different copies."""

from itertools import count
from typing import Any

import httpx
import pytest
from altered_target import Send, stage
from intercepted import NOBODY, changed

from conformance.contract.verdict import Inconclusive, Violation
from conformance.suite import test_relations as relations


@pytest.mark.parametrize(("path", "blamed"), [("/v1/videos", True), ("/v1/videos?", False)])
def test_a_video_of_another_company_is_confirmed_by_its_id(path: str, blamed: bool) -> None:
    """The list may lag behind."""
    moved = changed("/v1/videos", lambda record: record.update(companyId=NOBODY))

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            moved(request, send)
            if f"{request.url.path}?".startswith(path) or blamed
            else send(request)
        )

    with stage(spoil=spoil) as one:
        if blamed:
            with pytest.raises(Violation, match=f"companyId is {NOBODY}, that of its project is "):
                one.perform(relations.test_a_record_has_the_owner_of_its_owner, "video_list")
        else:
            one.perform(relations.test_a_record_has_the_owner_of_its_owner, "video_list")


@pytest.mark.parametrize(("path", "blamed"), [("/v1/videos", True), ("/v1/videos?", False)])
def test_a_repeated_language_is_confirmed_by_another_read(path: str, blamed: bool) -> None:
    """The duplicate may have been removed since."""

    def double(record: dict[str, Any]) -> None:
        record["localizations"] = [{**each, "language": "pt"} for each in record["localizations"]]

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            changed("/v1/videos", double)(request, send)
            if f"{request.url.path}?".startswith(path) or blamed
            else send(request)
        )

    with stage(spoil=spoil) as one:
        if blamed:
            with pytest.raises(Violation, match="the languages of a video"):
                one.perform(relations.test_a_video_has_one_localization_per_language, "video_list")
        else:
            one.perform(relations.test_a_video_has_one_localization_per_language, "video_list")


def test_a_count_that_lags_behind_is_allowed() -> None:
    """With another read the count is correct."""

    def behind(request: httpx.Request, send: Send) -> httpx.Response:
        more = changed(
            "/v1/projects", lambda record: record.update(videoCount=record["videoCount"] + 1)
        )
        return more(request, send) if request.url.path == "/v1/projects" else send(request)

    with stage(spoil=behind) as one:
        one.perform(relations.test_counts_add_up)


@pytest.mark.parametrize("name", ["steady", "restless"])
def test_a_copied_name_is_compared_if_it_stays_the_same(name: str) -> None:
    """A name that changes with every read cannot be compared."""
    numbers = count()

    def rename(record: dict[str, Any]) -> None:
        record.update(
            {
                key: f"name {next(numbers)}"
                for key in record
                if key in ("name", "projectName", "videoName")
            }
        )

    def behind(request: httpx.Request, send: Send) -> httpx.Response:
        if name == "restless":
            return changed("/v1/", rename)(request, send)
        if request.url.path == "/v1/reviews":
            return changed(
                "/v1/reviews",
                lambda record: record.update(projectName="before", videoName="before"),
            )(request, send)
        return send(request)

    with stage(spoil=behind) as one:
        if name == "steady":
            one.perform(relations.test_a_repeated_name_is_the_name)
        else:
            with pytest.raises(Inconclusive, match="no review repeats a name that can be compared"):
                one.perform(relations.test_a_repeated_name_is_the_name)


def test_a_copied_name_that_keeps_differing_is_a_violation() -> None:
    """Both names stay the same."""
    old = changed("/v1/reviews", lambda record: record.update(projectName="of old"))
    with (
        stage(spoil=old) as one,
        pytest.raises(Violation, match="projectName is 'of old', the name is "),
    ):
        one.perform(relations.test_a_repeated_name_is_the_name)
