"""Checks on targets that fail, lag behind or refuse in odd moments: what is a defect is told from what is weather or chance."""

from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any

import httpx
import orjson
import pytest
import subjects
from staged import Profile, Send, Spoil, answer, edited, few, having, stage, without

from conformance.contract.verdict import Inconclusive, NotApplicable, Violation
from conformance.http.client import TRIES
from conformance.http.exchange import Call
from conformance.suite import test_approval as approval
from conformance.suite import test_approval_model as model
from conformance.suite import test_arguments as arguments
from conformance.suite import test_authentication as authentication
from conformance.suite import test_authorization as authorization
from conformance.suite import test_filters as filters
from conformance.suite import test_limits as limits
from conformance.suite import test_limits_body as limits_body
from conformance.suite import test_pagination as pagination
from conformance.suite import test_read as read
from conformance.suite import test_relations as relations
from conformance.suite import test_tools as tools
from conformance.suite import test_tools_approval as tools_approval
from conformance.suite import test_tools_data as tools_data
from conformance.suite import test_unapprovable as unapprovable
from conformance.suite.approval.approvals import CHANCES
from conformance.suite.tools.channel import MODERN
from conformance.suite.tools.toolbox import MOST_PAGES

NOBODY = "00000000-0000-4000-8000-000000000000"
NIL = "00000000-0000-0000-0000-000000000000"


def is_of(request: httpx.Request, profile: Any, name: str) -> bool:
    """Whether a request is made as one of the callers."""
    known = profile.credentials[name]
    return {known.secret(scheme) for scheme in known.schemes} & {
        request.headers.get("x-api-key", ""),
        request.headers.get("authorization", "").removeprefix("Bearer "),
    } != set()


# --- approvals -----------------------------------------------------------------------------------------------------------


def test_a_key_that_sticks_is_not_tried_for_ever() -> None:
    """Each attempt is lost once, and conflicts when it is repeated."""
    met: Counter[bytes] = Counter()

    def stuck(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method != "POST":
            return send(request)
        met[request.content] += 1
        return answer(503 if met[request.content] == 1 else 409)

    with stage(spoil=stuck) as one:
        approvals = one.things["approvals"]
        review = approvals.take()
        key, last = approvals.keyed(
            review.id, "stuck", lambda each: approvals.approve(review, each)
        )

    assert (len(met), last.status, last.is_repeated) == (CHANCES, 409, True)
    assert key == approvals.key(review.id, f"stuck {CHANCES - 1}")


def test_an_approval_that_is_lost_once_is_no_defect() -> None:
    """It may have been made the first time or the second; the model takes either."""
    met: set[bytes] = set()

    def losing(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method == "POST" and request.content not in met:
            met.add(request.content)
            return answer(503)
        return send(request)

    with stage(spoil=losing) as one:
        one.perform(model.test_histories_agree_with_the_model)
    assert met != set()


def test_a_key_that_approves_each_review_once_leaves_the_model_none() -> None:
    """Where the last review went to a used key, there is nothing to begin with."""
    edits = subjects.BY_ID["key-of-a-review"].edits
    with (
        stage(few(3), edits=edits) as one,
        pytest.raises(Inconclusive, match="no approvable review is left"),
    ):
        one.perform(model.test_histories_agree_with_the_model)


def test_a_review_that_shows_no_revision_any_more_is_as_it_was() -> None:
    """After an attempt; the approval goes on with the revision that it showed."""

    def forgetful(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if (
            any(sent.method == "POST" for sent in one.transport.sent)
            and response.status_code == 200
            and "/reviews/" in request.url.path
        ):
            return edited(response, lambda document: document["data"].pop("subjectRevision", None))
        return response

    with stage(spoil=forgetful) as one:
        one.perform(approval.test_an_approval_succeeds, scheme="api-key")
        trial = one.things["approvals"].first()
    assert {attempt.before.revision for attempt in trial.attempts.values()} == {
        trial.review.revision
    }


def test_a_review_that_no_list_shows_is_shown_wrong_by_none() -> None:
    """Not every review has to be listed."""
    with stage() as one:
        assert one.things["approvals"].look_listed(NOBODY, "bearer") is None


def test_ids_that_are_no_text_keep_no_approval_from_being_judged() -> None:
    """What is wrong with them is told by the rules."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path != "/v1/reviews" or response.status_code != 200:
            return response
        return edited(
            response,
            lambda document: [item.update(id=[item["id"]]) for item in document["data"]["items"]],
        )

    with stage(spoil=spoil) as one:
        one.perform(approval.test_an_approval_succeeds, scheme="api-key")


def test_the_first_approval_has_to_succeed_before_the_other_face_is_tried() -> None:
    """What goes wrong over HTTP is judged there."""

    def refusing(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            answer(403)
            if request.method == "POST" and "/approve" in request.url.path
            else send(request)
        )

    with stage(spoil=refusing) as one, pytest.raises(Inconclusive):
        one.perform(tools_approval.test_an_approval_is_one_over_both_faces)


def test_a_reviews_change_that_comes_once_may_be_somebody_elses() -> None:
    """The same change with every attempt is the target's."""

    def moving(most: int) -> Spoil:
        moved: set[str] = set()

        def spoil(request: httpx.Request, send: Send) -> httpx.Response:
            id = request.url.path.split("/")[3] if "/reviews/" in request.url.path else ""
            if (
                request.method == "POST"
                and id in one.session.target.fixtures.unapprovable_reviews
                and len(moved) < most
            ):
                moved.add(id)
            response = send(request)
            if request.method == "GET" and id in moved:
                return edited(
                    response, lambda document: document["data"].update(status="withdrawn")
                )
            return response

        return spoil

    with (
        stage(spoil=moving(1)) as one,
        pytest.raises(Inconclusive, match="by the attempt or by itself"),
    ):
        one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")
    with stage(spoil=moving(9)) as one, pytest.raises(Violation, match="its status turns from"):
        one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")


def test_a_review_of_the_profile_that_can_be_approved_is_not_called_unapprovable() -> None:
    """Nothing is approved by mistake."""

    def confused(profile: Profile) -> None:
        profile["fixtures"]["unapprovable-reviews"] = [
            profile["fixtures"]["approvable-reviews"].pop()
        ]

    with stage(confused) as one, pytest.raises(Inconclusive, match=r"^review .* is approvable$"):
        one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")


@pytest.mark.parametrize("recovers", [True, False])
def test_a_review_that_says_that_it_cannot_be_approved_may_change_its_mind(recovers: bool) -> None:
    """Where it goes on saying so, it is not approved either."""
    read_so_far: Counter[str] = Counter()

    def hesitant(request: httpx.Request, send: Send) -> httpx.Response:
        id = request.url.path.split("/")[-1]
        response = send(request)
        if request.method == "GET" and id == one.session.target.fixtures.approvable_reviews[0]:
            read_so_far[id] += 1
            if read_so_far[id] == 1 or not recovers:
                return edited(response, lambda document: document["data"].update(approvable=False))
        return response

    with stage(spoil=hesitant) as one:
        if recovers:
            one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")
        else:
            with pytest.raises(
                Violation, match="approvable is false, and the approval is answered 200"
            ):
                one.perform(unapprovable.test_what_cannot_be_approved_is_not, scheme="api-key")


# --- callers -------------------------------------------------------------------------------------------------------------


def test_a_caller_who_is_served_nowhere_says_nothing_of_permissions() -> None:
    """Its secret may be wrong."""
    wrong = having("credentials/lacking/account:read/api-key", "lk_of-nobody-at-all")
    with stage(wrong) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(authorization.test_the_permission_is_needed, "account_get", "api-key")
    assert undecided.value.needs == ("credentials.lacking.account:read",)


@pytest.mark.parametrize("operation", ["account_get", "review_approve"])
def test_who_is_forbidden_everything_says_nothing_of_other_permissions(operation: str) -> None:
    """It may have no grant at all."""

    def forbidding(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            answer(403)
            if is_of(request, one.session.target, "lacking.videos:read")
            else send(request)
        )

    with stage(spoil=forbidding) as one:
        one.perform(authorization.test_no_other_permission_is_needed, operation, "api-key")
        tried = [
            sent
            for sent in one.transport.sent
            if is_of(sent, one.session.target, "lacking.videos:read")
        ]
    assert tried != []


def test_a_scheme_by_which_others_are_served_is_accepted() -> None:
    """It is primary's secret that is wrong then."""
    wrong = having("credentials/primary/api-key", "lk_of-nobody-at-all")
    with stage(wrong) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(authentication.test_an_api_key_suffices, "account_get")
    assert undecided.value.needs == ("credentials.primary.api-key",)


@pytest.mark.parametrize(("everywhere", "found"), [(False, Violation), (True, Inconclusive)])
def test_who_may_do_the_same_elsewhere_is_refused_wrongly(
    everywhere: bool, found: type[Exception]
) -> None:
    """A caller with one scheme, of whom nobody is told apart, who is refused a project, and is shown the list of projects or not."""
    closed: list[str] = []

    def refusing(request: httpx.Request, send: Send) -> httpx.Response:
        own = closed != [] and is_of(request, one.session.target, "primary")
        one_project = request.url.path.startswith("/v1/projects/")
        return answer(403) if own and (one_project or everywhere) else send(request)

    with stage(without("credentials/primary/bearer", "credentials/lacking"), refusing) as one:
        one.things["live"].records("project_list")
        closed.append("from here on")
        with pytest.raises(found):
            one.perform(authentication.test_an_api_key_suffices, "project_get")


def test_primary_lacks_no_permission() -> None:
    """Where somebody else lacks it, the profile knows the difference."""

    def refusing(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            answer(403)
            if request.url.path == "/v1/account" and is_of(request, one.session.target, "primary")
            else send(request)
        )

    with (
        stage(spoil=refusing) as one,
        pytest.raises(Violation, match="primary, who lacks nothing, is answered 403"),
    ):
        one.perform(authorization.test_no_other_permission_is_needed, "account_get", "api-key")


def test_who_does_not_reach_a_review_says_nothing_of_roles() -> None:
    """No review is within the grant of that caller."""

    def elsewhere(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            answer(404) if is_of(request, one.session.target, "no-review-role") else send(request)
        )

    with stage(spoil=elsewhere) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(authorization.test_the_review_role_is_needed, scheme="api-key")
    assert undecided.value.needs == ("credentials.no-review-role",)


# --- reading -------------------------------------------------------------------------------------------------------------


def test_a_list_without_a_cursor_is_not_walked() -> None:
    """There is no telling how it goes on."""
    without_cursor = having("parameters/review_list/cursor", value=False)
    with (
        stage(without_cursor) as one,
        pytest.raises(NotApplicable, match="review_list has no cursor"),
    ):
        one.things["live"].walk(Call("review_list"), 100)


@pytest.mark.parametrize(
    ("lost", "found"), [(TRIES, None), (2 * TRIES, None), (3 * TRIES, Violation)]
)
def test_a_defect_that_brings_a_gateways_answer_is_asked_for_once_more(
    lost: int, found: type[Exception] | None
) -> None:
    """As long as the request without it is served."""
    numbers = count()

    def away(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            answer(503, {})
            if request.url.params.get("limit") == "0" and next(numbers) < lost
            else send(request)
        )

    with stage(spoil=away) as one:
        live, control = one.things["live"], Call("project_list")
        if found is None:
            assert live.probe(control.asking(limit="0"), control, "no limit").status in (400, 422)
        else:
            with pytest.raises(found, match=r"^no limit, once more: 503|^no limit: 503"):
                live.probe(control.asking(limit="0"), control, "no limit")


def empty(request: httpx.Request) -> httpx.Response | None:
    """A list of projects that shows nothing; None to any other request."""
    return (
        answer(200, {"data": {"items": [], "nextCursor": None}, "requestId": "one"})
        if request.url.path == "/v1/projects"
        else None
    )


def test_a_list_that_shows_nothing_is_asked_again() -> None:
    """It may lag behind its records."""
    waits: list[float] = []

    with stage(
        spoil=lambda request, send: (empty(request) if sum(waits) < 1 else None) or send(request)
    ) as one:
        waits = one.transport.waits
        one.perform(pagination.test_a_walk_yields_every_record, "project_list")
    assert waits == [0.2, 0.8]


def test_a_list_that_shows_nothing_may_be_of_other_states() -> None:
    """As long as all that can be read is in one."""
    alike = changed("/v1/projects/", lambda record: record.update(status="active"))

    with (
        stage(spoil=lambda request, send: empty(request) or alike(request, send)) as one,
        pytest.raises(Inconclusive, match="no two pages"),
    ):
        one.perform(pagination.test_a_walk_yields_every_record, "project_list")


def test_an_id_of_nothing_may_be_refused_by_a_filter() -> None:
    """As no UUID that anything could have; whether it may be is judged by the rules."""

    def strict(request: httpx.Request, send: Send) -> httpx.Response:
        return answer(400) if request.url.params.get("companyId") == NIL else send(request)

    with stage(spoil=strict) as one:
        one.perform(filters.test_a_filter_restricts_every_page, "project_list")
        assert [str(sent.url) for sent in one.transport.sent if NIL in str(sent.url)] != []


def test_a_list_that_is_served_below_no_record_has_no_parents() -> None:
    """What else would be asked of it is undecided."""

    def closed(request: httpx.Request, send: Send) -> httpx.Response:
        return answer(403) if request.url.path.endswith("/comments") else send(request)

    with (
        stage(spoil=closed) as one,
        pytest.raises(Inconclusive, match="no answer of comment_list to look at"),
    ):
        one.things["live"].parents("comment_list")


def deleting(path: str, *, listed: bool) -> Callable[[Any], Spoil]:
    """A record that is not there any more as soon as it is read; the list goes on showing it, or does not."""

    def of(id: str) -> Spoil:
        gone = []

        def spoil(request: httpx.Request, send: Send) -> httpx.Response:
            if request.url.path.startswith(f"{path}/{id}"):
                gone.append(id)
                return answer(404)
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
def test_what_is_deleted_meanwhile_need_not_be_served(
    operation: str, parents: str, path: str, listed: bool
) -> None:
    """What is listed still has to be."""
    with stage() as one:
        id = one.things["live"].sample(parents)[1].record["id"]
        one.transport.spoil = deleting(path, listed=listed)(id)
        if listed:
            with pytest.raises(Violation, match="404"):
                one.perform(read.test_a_valid_request_is_served, operation)
        else:
            one.perform(read.test_a_valid_request_is_served, operation)


def test_what_is_read_as_no_record_cannot_be_compared() -> None:
    """Whether it may be is judged by the rules."""

    def empty(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            answer(200, {"data": [], "requestId": "r"})
            if "/projects/" in request.url.path
            else send(request)
        )

    with (
        stage(spoil=empty) as one,
        pytest.raises(Inconclusive, match="project_get answered with no record"),
    ):
        one.perform(read.test_the_record_is_the_one_asked_for, "project_get")


def test_a_page_below_what_does_not_exist_is_none() -> None:
    """Where the record above it is not there either."""

    def generous(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        nothing = {"data": {"items": [], "nextCursor": None}, "requestId": "r"}
        return (
            answer(200, nothing)
            if response.status_code == 404 and request.url.path.endswith("/comments")
            else response
        )

    with stage() as one:
        made_up = one.things["live"].made_up("comment_list")
        one.transport.spoil = lambda request, send: (
            send(request) if made_up in request.url.path else generous(request, send)
        )
        with pytest.raises(Violation, match="an id of nothing: 200"):
            one.perform(read.test_what_does_not_exist_is_absent, "comment_list")
    assert one.transport.sent[-1].url.path.rpartition("/")[0] == "/v1/reviews"


def test_where_no_review_has_comments_nothing_shows_whose_they_are() -> None:
    """A list without a record names no other one."""

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
        one.perform(read.test_what_lies_below_a_record_names_it, "comment_list")


def test_what_leaves_its_list_is_not_compared_with_it() -> None:
    """One reading of either side tells nothing."""
    shown = count()

    def leaving(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path == f"/v1/projects/{id}":
            next(shown)
            return edited(response, lambda document: document["data"].update(name="another"))
        if request.url.path == "/v1/projects" and response.status_code == 200 and next(shown):
            left = [
                item for item in orjson.loads(response.read())["data"]["items"] if item["id"] != id
            ]
            return edited(response, lambda document: document["data"].update(items=left))
        return response

    with stage() as one:
        id = one.things["live"].sample("project_list")[0].record["id"]
        one.transport.spoil = leaving
        one.perform(read.test_a_record_agrees_with_its_list, "project_get")
    assert next(shown) > 1


def moving(change: Callable[[list[Any]], object]) -> Spoil:
    """A list of projects that lacks another one each time that it is asked for; `change` what is shown of a page."""
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


def test_the_default_of_a_list_that_moves_is_its_length() -> None:
    """Which records are on a page tells nothing there."""
    with stage(spoil=moving(lambda _: None)) as one:
        one.perform(pagination.test_the_default_limit_is_25, "project_list")


def test_pages_that_are_as_long_as_they_happen_to_be_show_no_default() -> None:
    """Two pages of 25 are of two lengths, and one without a limit is of a third."""
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


def test_a_cursor_that_finds_nothing_without_its_limit_says_nothing_of_the_default() -> None:
    """It was never issued for a page of another length."""
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
def test_a_default_that_cuts_a_short_list_is_told(default: int, outcome: type[Exception]) -> None:
    """Six projects show that it is not 25 where it is three; where all of them come, nothing shows what it is."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path != "/v1/projects" or response.status_code != 200:
            return response
        shown = orjson.loads(response.read())["data"]["items"][
            : 6 if "limit" in request.url.params else default
        ]
        return edited(
            response, lambda document: document["data"].update(items=shown, nextCursor=None)
        )

    with stage(spoil=spoil) as one, pytest.raises(outcome):
        one.perform(pagination.test_the_default_limit_is_25, "project_list")


def test_a_record_that_comes_twice_whatever_else_moves_is_a_defect() -> None:
    """Walk after walk it is the same one."""
    last = moving(lambda items: items.append(items[-1]))
    with stage(spoil=last) as one, pytest.raises(Violation, match="records come twice"):
        one.perform(pagination.test_a_walk_yields_no_record_twice, "project_list")


# --- relations -----------------------------------------------------------------------------------------------------------


def changed(path: str, change: Callable[[dict[str, Any]], object]) -> Spoil:
    """Every record that is shown below a path, changed."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if not request.url.path.startswith(path) or response.status_code != 200:
            return response
        data = orjson.loads(response.read())["data"]
        for record in data.get("items", [data]):
            change(record)
        return edited(response, lambda document: document.update(data=data))

    return spoil


@pytest.mark.parametrize(("path", "blamed"), [("/v1/videos", True), ("/v1/videos?", False)])
def test_a_video_of_another_company_is_read_before_it_is_blamed(path: str, blamed: bool) -> None:
    """A list may lag behind, or differ for other reasons, which other checks judge."""
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
                one.perform(relations.test_records_belong_to_the_same, "video_list")
        else:
            one.perform(relations.test_records_belong_to_the_same, "video_list")


@pytest.mark.parametrize(("path", "blamed"), [("/v1/videos", True), ("/v1/videos?", False)])
def test_a_language_that_comes_twice_is_read_again(path: str, blamed: bool) -> None:
    """It may have been taken away since."""

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
            with pytest.raises(Violation, match="the languages of video"):
                one.perform(relations.test_a_video_has_one_localization_a_language, "video_list")
        else:
            one.perform(relations.test_a_video_has_one_localization_a_language, "video_list")


def test_a_count_that_was_behind_is_no_defect() -> None:
    """Once it is read again, it adds up."""

    def behind(request: httpx.Request, send: Send) -> httpx.Response:
        more = changed(
            "/v1/projects", lambda record: record.update(videoCount=record["videoCount"] + 1)
        )
        return more(request, send) if request.url.path == "/v1/projects" else send(request)

    with stage(spoil=behind) as one:
        one.perform(relations.test_counts_add_up)


@pytest.mark.parametrize("name", ["steady", "restless"])
def test_a_copied_name_is_compared_at_rest(name: str) -> None:
    """A copy that was behind is none that differs, and one that changes with every reading cannot be compared."""
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
            one.perform(relations.test_repeated_names_are_the_names)
        else:
            with pytest.raises(Inconclusive, match="no review repeats a name that can be compared"):
                one.perform(relations.test_repeated_names_are_the_names)


def test_a_copied_name_that_stays_another_is_a_defect() -> None:
    """Both at rest."""
    old = changed("/v1/reviews", lambda record: record.update(projectName="of old"))
    with (
        stage(spoil=old) as one,
        pytest.raises(Violation, match="projectName is 'of old', the name is "),
    ):
        one.perform(relations.test_repeated_names_are_the_names)


# --- tools ---------------------------------------------------------------------------------------------------------------


def asked(request: httpx.Request) -> dict[str, Any]:
    """The JSON-RPC message of a request; empty where it is none."""
    message: dict[str, Any] = orjson.loads(request.content) if request.url.path == "/mcp" else {}
    return message


def test_a_cursor_that_is_good_for_one_use_is_not_compared() -> None:
    """Whichever face comes second is refused."""
    used: set[str] = set()

    def once(request: httpx.Request, send: Send) -> httpx.Response:
        arguments = asked(request).get("params", {}).get("arguments", {})
        cursor = request.url.params.get("cursor") or arguments.get("cursor")
        if cursor is None or cursor not in used:
            used.add(cursor or "")
            return send(request)
        result = {
            "content": [{"type": "text", "text": '{"code": "used", "requestId": "r"}'}],
            "isError": True,
        }
        return (
            answer(200, {"jsonrpc": "2.0", "id": asked(request)["id"], "result": result})
            if arguments
            else answer(400)
        )

    with stage(spoil=once) as one:
        one.perform(tools_data.test_a_tool_gives_the_data_of_its_operation, "project_list")
    assert len(used) > 2


def test_what_changes_over_http_as_well_is_no_difference_of_tools() -> None:
    """With every reading."""
    numbers = count()
    renamed = changed("/v1/projects", lambda record: record.update(name=f"name {next(numbers)}"))
    with stage(spoil=renamed) as one:
        one.perform(tools_data.test_a_tool_gives_the_data_of_its_operation, "project_get")


def test_a_list_that_is_another_one_each_time_cannot_be_compared() -> None:
    """Nothing of it stays as it is."""
    numbers = count(1)

    def shrinking(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path != "/v1/projects" or response.status_code != 200:
            return response
        left = orjson.loads(response.read())["data"]["items"][: next(numbers)]
        return edited(response, lambda document: document["data"].update(items=left))

    with (
        stage(spoil=shrinking) as one,
        pytest.raises(Inconclusive, match="the data of project_list change with every reading"),
    ):
        one.perform(tools_data.test_a_tool_gives_the_data_of_its_operation, "project_list")


def test_a_list_of_tools_that_never_ends_is_left_after_some_pages() -> None:
    """What was shown until then is known."""
    lists = []

    def endless(request: httpx.Request, send: Send) -> httpx.Response:
        if asked(request).get("method") != "tools/list":
            return send(request)
        lists.append(asked(request)["params"].get("cursor"))
        found = orjson.loads(send(request).read())["result"]["tools"] if len(lists) == 1 else []
        return answer(
            200,
            {
                "jsonrpc": "2.0",
                "id": asked(request)["id"],
                "result": {"tools": found, "nextCursor": "more"},
            },
        )

    with stage(spoil=endless) as one:
        assert len(one.things["toolbox"].tools) == 10
    assert lists == [None, *["more"] * (MOST_PAGES - 1)]


@pytest.mark.parametrize(
    ("location", "found"),
    [
        ("/mcp/", 10),
        ("http://reference.test/mcp/", 10),
        ("http://elsewhere.test/mcp/", 0),
        ("http://[", 0),
        (None, 0),
    ],
)
def test_tools_may_be_behind_a_slash(location: str | None, found: int) -> None:
    """Where a router sends callers on the same host they follow; elsewhere they do not, since a credential goes with them."""

    def slashing(request: httpx.Request, send: Send) -> httpx.Response:
        if request.url.path == "/mcp":
            return httpx.Response(
                307,
                headers={"location": location} if location else {},
                stream=httpx.ByteStream(b""),
            )
        request.url = (
            request.url.copy_with(path="/mcp") if request.url.path == "/mcp/" else request.url
        )
        return send(request)

    with stage(spoil=slashing) as one:
        toolbox = one.things["toolbox"]
        if found:
            assert len(toolbox.tools) == found
        else:
            with pytest.raises(Inconclusive, match="the tools are not listed: 307"):
                one.perform(tools.test_every_operation_is_a_tool, "account_get")
    assert {request.url.host for request in one.transport.sent} == {"reference.test"}


@pytest.mark.parametrize(
    "data",
    [
        {"supported": ["2025-03-26", "2025-06-18", 7, "2099-01-01"]},
        {"supported": "2025-06-18"},
        {"supported": []},
        None,
    ],
)
def test_a_version_of_the_protocol_is_agreed_on_with_who_names_those_that_it_has(data: Any) -> None:
    """Instead of answering with one of them, as the protocol has it; who names none is spoken to without a handshake."""
    versions = []

    def choosy(request: httpx.Request, send: Send) -> httpx.Response:
        message = asked(request)
        if message.get("method") == "initialize":
            versions.append(message["params"]["protocolVersion"])
            if versions[-1] != "2025-06-18":
                error = {"code": -32602, "message": "Unsupported protocol version", "data": data}
                return answer(200, {"jsonrpc": "2.0", "id": message["id"], "error": error})
        return send(request)

    with stage(spoil=choosy) as one:
        assert len(one.things["toolbox"].tools) == 10
    assert versions[1:] == (["2025-06-18"] if data and len(data["supported"]) == 4 else [])


def test_tools_that_are_not_listed_are_not_known() -> None:
    """Whatever comes in their place."""

    def refusing(request: httpx.Request, send: Send) -> httpx.Response:
        if asked(request).get("method") != "tools/list":
            return send(request)
        return answer(
            200,
            {
                "jsonrpc": "2.0",
                "id": asked(request)["id"],
                "error": {"code": -32601, "message": "no such method"},
            },
        )

    with (
        stage(spoil=refusing) as one,
        pytest.raises(Inconclusive, match="the tools are not listed: 200"),
    ):
        one.perform(tools_data.test_a_tool_gives_the_data_of_its_operation, "account_get")


@pytest.mark.parametrize(
    "told",
    [
        {"error": {"code": -32603, "message": "internal error"}},
        {"error": {"code": 0, "message": "'tools'"}},
        {"result": {}},
    ],
)
def test_tools_that_a_target_fails_to_list_are_missing(told: dict[str, Any]) -> None:
    """It has shaken hands with the caller, so that the list is its own to give; what is no failure may be a refusal of the caller."""

    def failing(request: httpx.Request, send: Send) -> httpx.Response:
        if asked(request).get("method") != "tools/list":
            return send(request)
        return answer(200, {"jsonrpc": "2.0", "id": asked(request)["id"], **told})

    with (
        stage(spoil=failing) as one,
        pytest.raises(Violation, match="the tools are not listed: 200, again and again"),
    ):
        one.perform(tools.test_every_operation_is_a_tool, "account_get")


def test_a_caller_who_is_refused_the_list_of_tools_leaves_it_open() -> None:
    """By a code of the target's own."""

    def refusing(request: httpx.Request, send: Send) -> httpx.Response:
        if asked(request).get("method") != "tools/list":
            return send(request)
        return answer(
            200,
            {
                "jsonrpc": "2.0",
                "id": asked(request)["id"],
                "error": {"code": -32001, "message": "who are you?"},
            },
        )

    with (
        stage(spoil=refusing) as one,
        pytest.raises(Inconclusive, match="the tools are not listed: 200"),
    ):
        one.perform(tools.test_every_operation_is_a_tool, "account_get")


def test_a_session_that_ends_is_begun_anew() -> None:
    """The request goes out once more."""
    ends = iter([False, False, False, True])

    def ending(request: httpx.Request, send: Send) -> httpx.Response:
        method = asked(request).get("method")
        response = send(request)
        if method == "initialize":
            response.headers["mcp-session-id"] = "one"
        return answer(404) if method is not None and next(ends, False) else response

    with stage(spoil=ending) as one:
        one.perform(tools_data.test_a_tool_gives_the_data_of_its_operation, "account_get")
        methods = [asked(sent)["method"] for sent in one.transport.sent if sent.url.path == "/mcp"]
    handshake = ["initialize", "notifications/initialized"]
    assert methods == [*handshake, "tools/list", "tools/call", *handshake, "tools/call"]


def test_who_knows_no_handshake_is_told_everything_with_each_request() -> None:
    """Also in headers, where the schema of a tool asks for that."""

    def modern(request: httpx.Request, send: Send) -> httpx.Response:
        message = asked(request)
        if message.get("method") == "initialize":
            return answer(
                400,
                {
                    "jsonrpc": "2.0",
                    "id": message["id"],
                    "error": {"code": -32600, "message": "no handshakes"},
                },
            )
        response = send(request)
        if message.get("method") != "tools/list":
            return response
        document = orjson.loads(response.read())
        for tool in document["result"]["tools"]:
            if "reviewId" in tool["inputSchema"].get("properties", {}):
                tool["inputSchema"]["properties"]["reviewId"]["x-mcp-header"] = "Wanted"
        return answer(200, document)

    with stage(spoil=modern) as one:
        one.perform(tools_data.test_a_tool_gives_the_data_of_its_operation, "comment_list")
        calls = [sent for sent in one.transport.sent if asked(sent).get("method") == "tools/call"]
    assert {
        (sent.headers["mcp-protocol-version"], sent.headers["mcp-method"], sent.headers["mcp-name"])
        for sent in calls
    } == {
        (MODERN, "tools/call", "comment_list"),
    }
    assert [sent.headers["mcp-param-wanted"] for sent in calls] == [
        asked(sent)["params"]["arguments"]["reviewId"] for sent in calls
    ]


# --- limits --------------------------------------------------------------------------------------------------------------


def unlimited(request: httpx.Request, send: Send) -> httpx.Response:
    """No request is one too many."""
    response = send(request)
    return answer(200, {"data": {}, "requestId": "r"}) if response.status_code == 429 else response


@pytest.mark.parametrize(("pause", "found"), [(0.0, Violation), (1.0, Inconclusive)])
def test_who_is_too_slow_for_a_limit_meets_none(pause: float, found: type[Exception]) -> None:
    """A limit that could have been met, and was not, is none."""
    moments = count()
    with stage(spoil=unlimited) as one:
        one.session.client.now = lambda: next(moments) * pause
        with pytest.raises(found, match="none answered 429"):
            one.perform(limits.test_too_many_requests_are_refused)
        with pytest.raises(Inconclusive):
            one.perform(limits.test_a_refusal_says_how_long_to_wait)


@pytest.mark.parametrize("status", [500, 503])
def test_one_failure_on_the_way_to_a_limit_is_no_refusal(status: int) -> None:
    """Nor is one after the time that is to be waited."""
    before, after = count(), count()

    def failing(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if not is_of(request, one.session.target, "throttled"):
            return response
        failed = next(after) == 0 if one.transport.waits else next(before) == 3
        return answer(status) if failed else response

    with stage(spoil=failing) as one:
        one.perform(limits.test_who_waits_is_served_again)
    assert (next(before) > 3, next(after) > 1) == (True, True)


def test_who_was_throttled_before_is_asked_for_what_it_may_see() -> None:
    """A caller that meets its limit from the first request on shows only after the wait that the account is none of its."""
    seen: list[tuple[str, bool]] = []

    def throttled(request: httpx.Request, send: Send) -> httpx.Response:
        if not is_of(request, one.session.target, "throttled"):
            return send(request)
        seen.append((request.url.path, bool(one.transport.waits)))
        if not one.transport.waits:
            return answer(429, retry_after="1")
        return answer(403) if request.url.path == "/v1/account" else send(request)

    with stage(spoil=throttled) as one:
        one.perform(limits.test_who_waits_is_served_again)
    assert {("/v1/account", True), ("/v1/projects", True)} <= set(seen)


def too_large(response: Callable[[httpx.Request], httpx.Response]) -> Spoil:
    """What comes in the place of 413."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        sent = send(request)
        return response(request) if sent.status_code == 413 else sent

    return spoil


def hanging_up(request: httpx.Request) -> httpx.Response:
    """Nobody is there any more."""
    raise httpx.WriteError("broken pipe", request=request)


def test_hanging_up_on_a_large_body_is_no_answer() -> None:
    """Where a small one is answered."""
    with (
        stage(spoil=too_large(hanging_up)) as one,
        pytest.raises(Violation, match="WriteError") as broken,
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert broken.value.expected == "413"


def test_without_consent_to_approve_another_refusal_says_nothing_of_sizes() -> None:
    """There is no review of that id."""
    silent = having("consent/approve-reviews", value=False)
    with (
        stage(silent, too_large(lambda _: answer(404))) as one,
        pytest.raises(Inconclusive) as undecided,
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert undecided.value.needs == ("consent.approve-reviews",)


def test_a_limit_beyond_the_largest_body_is_not_found() -> None:
    """Sixteen mebibytes are enough."""
    open_ended = without("limits/max-body-bytes")
    with (
        stage(open_ended, too_large(lambda _: answer(409))) as one,
        pytest.raises(Inconclusive) as undecided,
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert undecided.value.needs == ("limits.max-body-bytes",)
    assert max(len(sent.content) for sent in one.transport.sent) == limits_body.LARGEST_PROBE


@pytest.mark.parametrize(
    ("mutant", "check", "operation"),
    [
        (
            "long-pages-are-absent",
            arguments.test_what_the_contract_allows_is_not_refused,
            "activity_list",
        ),
        (
            "videos-of-the-second-company-are-absent",
            filters.test_a_filter_restricts_every_page,
            "video_list",
        ),
    ],
)
def test_what_is_there_is_not_absent_beside_an_argument(
    mutant: str, check: Callable[..., None], operation: str
) -> None:
    """A limit and a filter choose records that there are."""
    with stage(edits=subjects.BY_ID[mutant].edits) as one, pytest.raises(Violation, match="404"):
        one.perform(check, operation)
