"""Checks of records, lists and filters on targets that lag, change or fail."""

from collections.abc import Callable
from itertools import count
from typing import Any

import httpx
import orjson
import pytest
import subjects
from altered_target import Send, Spoil, edited, having, json_response, stage
from intercepted import changed

from conformance.contract.verdict import Inconclusive, NotApplicable, Violation
from conformance.http.exchange import Call
from conformance.http.patience import TRIES
from conformance.suite import disagreements
from conformance.suite import test_filters as filters
from conformance.suite import test_pagination as pagination
from conformance.suite import test_read as read
from conformance.suite import test_valid_arguments as valid_arguments

NIL = "00000000-0000-0000-0000-000000000000"


def test_a_list_without_a_cursor_has_no_pagination() -> None:
    """It is not applicable."""
    without_cursor = having("parameters/review_list/cursor", value=False)
    with (
        stage(without_cursor) as one,
        pytest.raises(NotApplicable, match="review_list has no cursor"),
    ):
        one.things["live"].paginations.read(Call("review_list"), 100)


@pytest.mark.parametrize(
    ("lost", "expected"), [(TRIES, None), (2 * TRIES, None), (5 * TRIES, Violation)]
)
def test_an_invalid_request_with_a_gateway_error_is_repeated(
    lost: int, expected: type[Exception] | None
) -> None:
    """The baseline request is served."""
    numbers = count()

    def away(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            json_response(503, {})
            if request.url.params.get("limit") == "0" and next(numbers) < lost
            else send(request)
        )

    with stage(spoil=away) as one:
        live, baseline = one.things["live"], Call("project_list")
        if expected is None:
            assert live.callers.probe(baseline.asking(limit="0"), baseline, "no limit").status in (
                400,
                422,
            )
        else:
            with pytest.raises(expected, match=r"^no limit, once more: 503|^no limit: 503"):
                live.callers.probe(baseline.asking(limit="0"), baseline, "no limit")


def empty(request: httpx.Request) -> httpx.Response | None:
    """An empty list of projects; None for any other request."""
    return (
        json_response(200, {"data": {"items": [], "nextCursor": None}, "requestId": "one"})
        if request.url.path == "/v1/projects"
        else None
    )


def test_an_empty_list_is_read_again() -> None:
    """The list may lag behind its records."""
    waits: list[float] = []

    with stage(
        spoil=lambda request, send: (empty(request) if sum(waits) < 1 else None) or send(request)
    ) as one:
        waits = one.transport.waits
        one.perform(pagination.test_following_cursors_returns_every_record, "project_list")
    assert waits == [0.2, 0.8]


def test_a_list_may_be_empty_if_all_records_are_in_another_state() -> None:
    """All readable records are in one state."""
    alike = changed("/v1/projects/", lambda record: record.update(status="active"))

    with (
        stage(spoil=lambda request, send: empty(request) or alike(request, send)) as one,
        pytest.raises(Inconclusive, match="no two pages"),
    ):
        one.perform(pagination.test_following_cursors_returns_every_record, "project_list")


def test_the_nil_uuid_may_be_rejected_by_a_filter() -> None:
    """The rules report the rejection."""

    def strict(request: httpx.Request, send: Send) -> httpx.Response:
        return json_response(400) if request.url.params.get("companyId") == NIL else send(request)

    with stage(spoil=strict) as one:
        one.perform(filters.test_a_filter_restricts_every_page, "project_list")
        assert [str(sent.url) for sent in one.transport.sent if NIL in str(sent.url)] != []


def test_a_list_that_is_never_served_has_no_parents() -> None:
    """Further requests are inconclusive."""

    def closed(request: httpx.Request, send: Send) -> httpx.Response:
        return json_response(403) if request.url.path.endswith("/comments") else send(request)

    with (
        stage(spoil=closed) as one,
        pytest.raises(Inconclusive, match="no successful response of comment_list"),
    ):
        one.things["live"].parents("comment_list")


def deleting(path: str, *, listed: bool) -> Callable[[Any], Spoil]:
    """A record that is absent after its first read; `listed`: the list still has it."""

    def of(id: str) -> Spoil:
        gone = []

        def spoil(request: httpx.Request, send: Send) -> httpx.Response:
            if request.url.path.startswith(f"{path}/{id}"):
                gone.append(id)
                return json_response(404)
            response = send(request)
            if gone and not listed and request.url.path == path:
                left = [
                    item
                    for item in orjson.loads(response.read())["data"]["items"]
                    if item["id"] != id
                ]
                return edited(response, lambda document: document["data"].update(items=left))
            return response

        return spoil

    return of


@pytest.mark.parametrize(
    ("operation", "parents", "path"),
    [
        ("project_get", "project_list", "/v1/projects"),
        ("comment_list", "review_list", "/v1/reviews"),
    ],
)
@pytest.mark.parametrize("listed", [True, False])
def test_a_record_that_was_deleted_need_not_be_served(
    operation: str, parents: str, path: str, listed: bool
) -> None:
    """A record that is still listed must be served."""
    with stage() as one:
        id = one.things["live"].sample(parents)[1].record["id"]
        one.transport.spoil = deleting(path, listed=listed)(id)
        if listed:
            with pytest.raises(Violation, match="404"):
                one.perform(read.test_a_valid_request_is_served, operation)
        else:
            one.perform(read.test_a_valid_request_is_served, operation)


def test_data_without_a_record_cannot_be_compared() -> None:
    """The rules report such data."""

    def empty(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            json_response(200, {"data": [], "requestId": "r"})
            if "/projects/" in request.url.path
            else send(request)
        )

    with (
        stage(spoil=empty) as one,
        pytest.raises(Inconclusive, match="project_get returned no record"),
    ):
        one.perform(read.test_the_requested_record_is_returned, "project_get")


def test_a_page_below_an_absent_record_is_a_violation() -> None:
    """The record above the list is absent."""

    def generous(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        nothing = {"data": {"items": [], "nextCursor": None}, "requestId": "r"}
        return (
            json_response(200, nothing)
            if response.status_code == 404 and request.url.path.endswith("/comments")
            else response
        )

    with stage() as one:
        made_up = one.things["live"].made_up("comment_list")
        one.transport.spoil = lambda request, send: (
            send(request) if made_up in request.url.path else generous(request, send)
        )
        with pytest.raises(Violation, match="the id of no record: 200"):
            one.perform(read.test_a_record_that_does_not_exist_is_not_found, "comment_list")
    assert one.transport.sent[-1].url.path.rpartition("/")[0] == "/v1/reviews"


def test_without_comments_their_review_cannot_be_checked() -> None:
    """Every list of comments is empty."""

    def silent(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        empty: dict[str, Any] = {"items": [], "nextCursor": None}
        path = request.url.path
        return (
            edited(response, lambda document: document.update(data=empty))
            if path.endswith("/comments")
            else response
        )

    with (
        stage(spoil=silent) as one,
        pytest.raises(Inconclusive, match="comment_list shows no record"),
    ):
        one.perform(read.test_an_item_names_its_parent, "comment_list")


def test_a_record_that_left_its_list_is_not_compared() -> None:
    """The record was read once over each interface."""
    reads = count()

    def leaving(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path == f"/v1/projects/{id}":
            next(reads)
            return edited(response, lambda document: document["data"].update(name="another"))
        if request.url.path == "/v1/projects" and response.status_code == 200 and next(reads):
            left = [
                item for item in orjson.loads(response.read())["data"]["items"] if item["id"] != id
            ]
            return edited(response, lambda document: document["data"].update(items=left))
        return response

    with stage() as one:
        id = one.things["live"].sample("project_list")[0].record["id"]
        one.transport.spoil = leaving
        one.perform(read.test_a_record_agrees_with_its_list, "project_get")
        found = list(disagreements.confirmed(one.session.session.context("the end")))
    assert (found, next(reads) > 1) == ([], True)


def moving(change: Callable[[list[Any]], object]) -> Spoil:
    """A list of projects that lacks another one with each read; `change` edits its items."""
    numbers = count()

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path != "/v1/projects" or response.status_code != 200:
            return response
        items = orjson.loads(response.read())["data"]["items"]
        if len(items) > 1:
            del items[next(numbers) % (len(items) - 1)]
        change(items)
        return edited(response, lambda document: document["data"].update(items=items))

    return spoil


def test_the_default_limit_of_a_changing_list_is_the_length_of_its_pages() -> None:
    """The records on a page may differ."""
    with stage(spoil=moving(lambda _: None)) as one:
        one.perform(pagination.test_the_default_limit_is_25, "project_list")


def test_pages_of_random_length_show_no_default_limit() -> None:
    """Two pages with limit=25 have two lengths."""
    lengths = count(10)

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path != "/v1/projects" or response.status_code != 200:
            return response
        length = next(lengths)
        return edited(
            response, lambda document: document["data"]["items"].__delitem__(slice(length, None))
        )

    with stage(spoil=spoil) as one:
        one.perform(pagination.test_the_default_limit_is_25, "project_list")
    assert next(lengths) > 13


def test_a_cursor_that_needs_its_limit_shows_no_default_limit() -> None:
    """Without the limit, its page is empty."""
    bare = []

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if (
            request.url.path != "/v1/projects"
            or "cursor" not in request.url.params
            or "limit" in request.url.params
        ):
            return response
        bare.append(request)
        return edited(response, lambda document: document["data"].update(items=[], nextCursor=None))

    with stage(spoil=spoil) as one:
        one.perform(pagination.test_the_default_limit_is_25, "project_list")
    assert len(bare) == 1


@pytest.mark.parametrize(("default", "outcome"), [(3, Violation), (6, Inconclusive)])
def test_a_default_limit_that_cuts_a_short_list_is_a_violation(
    default: int, outcome: type[Exception]
) -> None:
    """If all six projects fit on a page, the default is inconclusive."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path != "/v1/projects" or response.status_code != 200:
            return response
        items = orjson.loads(response.read())["data"]["items"][
            : 6 if "limit" in request.url.params else default
        ]
        return edited(
            response, lambda document: document["data"].update(items=items, nextCursor=None)
        )

    with stage(spoil=spoil) as one, pytest.raises(outcome):
        one.perform(pagination.test_the_default_limit_is_25, "project_list")


def test_a_record_that_is_always_repeated_is_a_violation() -> None:
    """The list changes with every read."""
    last = moving(lambda items: items.append(items[-1]))
    with stage(spoil=last) as one, pytest.raises(Violation, match="records are repeated"):
        one.perform(pagination.test_following_cursors_returns_no_record_twice, "project_list")


@pytest.mark.parametrize(
    ("mutant", "check", "operation"),
    [
        (
            "long-pages-are-absent",
            valid_arguments.test_valid_arguments_are_accepted,
            "activity_list",
        ),
        (
            "videos-of-the-second-company-are-absent",
            filters.test_a_filter_restricts_every_page,
            "video_list",
        ),
    ],
)
def test_an_existing_record_is_not_absent_beside_an_argument(
    mutant: str, check: Callable[..., None], operation: str
) -> None:
    """A limit and a filter select existing records."""
    with stage(edits=subjects.BY_ID[mutant].edits) as one, pytest.raises(Violation, match="404"):
        one.perform(check, operation)
