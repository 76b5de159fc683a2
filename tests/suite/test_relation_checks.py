"""Relations between records on targets with outdated or different copies."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import httpx
import pytest
from altered_target import Send, Spoil, Stage, stage
from intercepted import NOBODY, changed

from conformance.contract.verdict import Inconclusive
from conformance.suite import disagreements
from conformance.suite import test_relations as relations

LISTS = ("project_list", "video_list", "review_list")


def contradictions(spoil: Spoil, *further: str) -> Sequence[tuple[str, str, str]]:
    """What keeps being contradicted: requirement, operation and sentence."""
    with stage() as one:
        one.transport.spoil = spoil
        for each in LISTS:
            one.things["live"].records(each)
        for each in further:
            one.things["live"].children(each)
        return _found(one)


def _found(one: Stage) -> Sequence[tuple[str, str, str]]:
    context = one.session.session.context("the end")
    found = disagreements.confirmed(context)
    return [(each.requirement, str(each.operation), each.message) for each in found]


def below(path: str, spoil: Spoil) -> Spoil:
    """The same, in responses at this path alone."""
    return lambda request, send: (spoil if request.url.path == path else _plain)(request, send)


def _plain(request: httpx.Request, send: Send) -> httpx.Response:
    return send(request)


def test_a_video_of_another_company_is_a_violation() -> None:
    """The list and the record by its id name the company of nobody."""
    moved = changed("/v1/videos", lambda record: record.update(companyId=NOBODY))
    ((requirement, operation, message),) = contradictions(moved)
    assert (requirement, operation) == ("read/belonging", "video_list")
    assert message.startswith(f'companyId is "{NOBODY}", the companyId of its project is ')


def test_a_list_alone_may_differ_from_its_records() -> None:
    """That violates another requirement, where the records are read by their ids."""
    moved = changed("/v1/videos", lambda record: record.update(companyId=NOBODY))
    assert contradictions(below("/v1/videos", moved)) == []


def test_a_copied_name_that_keeps_differing_is_a_violation() -> None:
    """Both names stay the same."""
    old = changed("/v1/reviews", lambda record: record.update(projectName="of old"))
    ((requirement, operation, message),) = contradictions(old)
    assert (requirement, operation) == ("read/names", "review_list")
    assert message.startswith('projectName is "of old", the name of its project is ')


def test_a_name_that_changes_with_every_read_contradicts_nothing() -> None:
    """They are not read at the same time."""
    numbers = count()

    def rename(record: dict[str, Any]) -> None:
        names = {"name", "projectName", "videoName"}.intersection(record)
        record.update({each: f"name {next(numbers)}" for each in names})

    assert contradictions(changed("/v1/", rename)) == []


def test_an_activity_item_of_another_project_is_a_violation() -> None:
    """It names a video, whose project is another one."""
    moved = changed("/v1/projects/", lambda record: record.update(projectId=NOBODY))

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        is_activity = request.url.path.endswith("/activity")
        return (moved if is_activity else _plain)(request, send)

    found = contradictions(spoil, "activity_list")
    assert ("read/belonging", "activity_list") in {each[:2] for each in found}


def test_a_reply_to_two_comments_is_a_violation() -> None:
    """Each of them shows it."""
    shared = "11111111-0000-4000-8000-000000000000"

    def share(comment: dict[str, Any]) -> None:
        comment["replies"] = [{**each, "id": shared} for each in comment["replies"][:1]]

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        is_shared = request.url.path.endswith("/comments")
        return (changed("/v1/", share) if is_shared else _plain)(request, send)

    ((requirement, operation, message),) = contradictions(spoil, "comment_list")
    assert (requirement, operation) == ("read/belonging", "comment_list")
    assert message == "two records have one of their replies in common"


def test_a_count_that_lags_behind_is_allowed() -> None:
    """With another read the count is correct."""

    def behind(request: httpx.Request, send: Send) -> httpx.Response:
        more = changed(
            "/v1/projects", lambda record: record.update(videoCount=record["videoCount"] + 1)
        )
        return more(request, send) if request.url.path == "/v1/projects" else send(request)

    with stage(spoil=behind) as one:
        one.perform(relations.test_counts_add_up)


def test_without_names_there_is_nothing_to_compare() -> None:
    """Reviews need not repeat them."""

    def unnamed(record: dict[str, Any]) -> None:
        for name in ("projectName", "videoName"):
            record.pop(name, None)

    with (
        stage(spoil=changed("/v1/reviews", unnamed)) as one,
        pytest.raises(Inconclusive, match="no record of review_list repeats anything"),
    ):
        one.perform(relations.test_a_repeated_name_is_the_name)
