"""Reviews that are archived, records that one credential does not reach, and changing values."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import httpx
import pytest
import subjects
from altered_target import Send, Spoil, edited, json_response, stage

from conformance.assurance.selftest.altered import Edit
from conformance.contract.verdict import Inconclusive, Violation
from conformance.http.exchange import Call
from conformance.suite import disagreements
from conformance.suite import test_approval as approval
from conformance.suite import test_approval_keys as keys
from conformance.suite import test_approval_sequences as sequences
from conformance.suite import test_authentication as authentication
from conformance.suite import test_colleague as colleague
from conformance.suite import test_filters as filters
from conformance.suite import test_headers as headers
from conformance.suite import test_pagination as pagination
from conformance.suite import test_read as read
from conformance.suite import test_tools_approval as tools_approval
from conformance.suite import test_unapprovable as unapprovable
from conformance.suite import test_unusual_keys as unusual_keys

ARCHIVED = subjects.BY_ID["approved-reviews-are-archived"].edits
ARCHIVED_AT_ONCE = [
    replace(edit, new=edit.new.replace("READS[review_id] == 3", "READS[review_id] == 1"))
    for edit in ARCHIVED
]
NARROW = subjects.BY_ID["token-reaches-fewer-projects"].edits
REJECTING = subjects.BY_ID["token-rejects-filters-out-of-its-reach"].edits
AFTER_APPROVAL: list[Callable[..., None]] = [
    approval.test_an_approved_review_is_no_longer_approvable,
    keys.test_a_replay_repeats_the_result,
    keys.test_a_key_with_another_revision_is_a_conflict,
    keys.test_a_new_key_on_an_approved_review_changes_nothing,
    headers.test_a_replay_with_any_accept_repeats_the_result,
    tools_approval.test_an_approval_by_tool_is_one_over_http,
]


def test_an_archived_review_shows_nothing_more() -> None:
    """No check blames the target for it."""
    with stage(edits=ARCHIVED_AT_ONCE) as one:
        for check in AFTER_APPROVAL:
            with pytest.raises(Inconclusive, match=r"no longer found|returned 404"):
                one.perform(check, scheme="api-key")


@pytest.mark.parametrize(
    "check",
    [
        sequences.test_sequences_agree_with_the_oracle,
        colleague.test_a_colleague_leaves_an_approval_as_it_is,
    ],
)
def test_a_review_that_is_archived_meanwhile_ends_a_check(check: Callable[..., None]) -> None:
    """It was read as approved before."""
    with stage(edits=ARCHIVED) as one, pytest.raises(Inconclusive, match="no longer found"):
        one.perform(check)


def test_a_key_of_an_archived_review_is_not_replayed() -> None:
    """The approval with the key is checked all the same."""
    with stage(edits=ARCHIVED_AT_ONCE) as one:
        one.perform(unusual_keys.test_an_unusual_key_repeats_its_result)
        assert [use.replay for use in one.things["unusual_keys"].uses if use.after.status == 200]


@pytest.mark.parametrize(
    ("check", "operation"),
    [
        (read.test_a_valid_request_is_served, "project_get"),
        (authentication.test_a_bearer_token_suffices, "project_get"),
        (pagination.test_following_cursors_returns_every_record, "project_list"),
        (filters.test_a_filter_restricts_every_page, "video_list"),
    ],
)
@pytest.mark.parametrize("edits", [NARROW, REJECTING])
def test_a_token_may_reach_fewer_projects_than_the_key(
    check: Callable[..., None], operation: str, edits: Sequence[Edit]
) -> None:
    """Access is further limited by the credential, and filters that it does not reach may fail."""
    with stage(edits=edits) as one:
        one.perform(check, operation)


def test_a_list_that_tokens_do_not_find_is_a_violation() -> None:
    """The list needs no id."""

    def by_key(request: httpx.Request, send: Send) -> httpx.Response:
        is_hidden = "authorization" in request.headers and request.url.path.endswith("/projects")
        return json_response(404) if is_hidden else send(request)

    with stage(spoil=by_key) as one, pytest.raises(Violation, match="404"):
        one.perform(authentication.test_a_bearer_token_suffices, "project_list")


@pytest.mark.parametrize(("deleted", "expected"), [(True, Inconclusive), (False, Violation)])
def test_a_record_may_be_deleted_after_its_baseline(
    deleted: bool, expected: type[Exception]
) -> None:
    """It is not found by a request with any Accept."""
    gone: list[bool] = []

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        if request.headers.get("accept") != "application/json" and "/projects/" in str(request.url):
            gone.append(deleted)
            return json_response(404)
        is_gone = any(gone) and "/projects/" in str(request.url)
        return json_response(404) if is_gone else send(request)

    with stage(spoil=spoil) as one, pytest.raises(expected, match="404"):
        one.perform(headers.test_any_accept_is_served, "project_get")


def test_a_changing_list_need_not_repeat_its_default_page() -> None:
    """The page without a limit differs from itself as well."""
    numbers = count()

    def growing(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path != "/v1/projects" or "limit" in request.url.params:
            return response
        left = 20 + next(numbers) % 5
        return edited(
            response, lambda document: document["data"]["items"].__delitem__(slice(left, None))
        )

    with stage(spoil=growing) as one:
        one.perform(pagination.test_the_default_limit_is_25, "project_list")


def test_a_review_of_the_profile_may_be_deleted_meanwhile() -> None:
    """It was found when it was read before the attempt."""
    with stage() as one:
        gone = set(one.session.target.fixtures.unapprovable_reviews)
        tried: set[str] = set()

        def spoil(request: httpx.Request, send: Send) -> httpx.Response:
            path = request.url.path.lower()
            own = {id for id in gone if id in path}
            if request.method == "POST":
                tried.update(own)
            return json_response(404) if own & tried else send(request)

        one.transport.spoil = spoil
        with pytest.raises(Inconclusive, match="no longer found"):
            one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")


def differing_until(last: int) -> Spoil:
    """The second project has a new status each time.

    The status of the first is another one on long pages, and by its id, up to a number of requests.
    """
    numbers = count()

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response, number = send(request), next(numbers)
        if "cursor" in request.url.params:
            return response
        is_other = number < last and request.url.params.get("limit") == "100"
        return edited(response, partial(_alter, status="x" if is_other else "y", number=number))

    return spoil


def _alter(document: Any, status: str, number: int) -> None:
    if "items" in document.get("data", {}) and len(document["data"]["items"]) > 1:
        first, second, *_ = document["data"]["items"]
        first["status"], second["status"] = status, str(number)


@pytest.mark.parametrize(("last", "is_violation"), [(20, False), (10_000, True)])
def test_a_changing_property_differs_longer_before_it_is_blamed(
    last: int, is_violation: bool
) -> None:
    """Another record shows that the property changes."""
    with stage(pages=2) as one:
        live = one.things["live"]
        one.transport.spoil = differing_until(last)
        for limit in ("100", "60", "60"):
            live.callers.send(Call("project_list").asking(limit=limit), scheme="bearer")
        assert _disagreements(one) == ["pagination/agreement"] * is_violation


def _disagreements(one: Any) -> list[str]:
    """The requirements that what was seen violates."""
    context = one.session.session.context("the end")
    return [found.requirement for found in disagreements.confirmed(context)]


@pytest.mark.parametrize(("most", "is_violation"), [(6, False), (10_000, True)])
def test_a_record_differs_longer_from_its_list_where_others_change(
    most: int, is_violation: bool
) -> None:
    """The property changes in all other records."""
    with stage() as one:
        sample = one.things["live"].sample("project_list")
        _, own, *_ = sorted(
            listed.record["id"] for listed in sample
        )  # they are looked into in turn
        numbers, reads = count(), count()

        def spoil(request: httpx.Request, send: Send) -> httpx.Response:
            response = send(request)
            if "/projects/" not in request.url.path:
                return response
            is_own = own in request.url.path
            status = "other" if is_own and next(reads) < most else None
            status = status if is_own else str(next(numbers))
            if status is None:
                return response
            return edited(response, lambda document: document["data"].update(status=status))

        one.transport.spoil = spoil
        one.perform(read.test_a_record_agrees_with_its_list, "project_get")
        assert _disagreements(one) == ["read/agreement"] * is_violation
