"""Checks of the rate limit and the body limit on targets with unusual limits."""

from collections.abc import Callable
from itertools import count

import httpx
import pytest
from altered_target import Profile, Send, Spoil, few, having, json_response, stage, without
from intercepted import is_of
from subjects import BY_ID

from conformance.contract.verdict import Inconclusive, Violation
from conformance.suite import test_limits as limits
from conformance.suite import test_limits_body as limits_body

PAST = "Fri, 20 Nov 2020 12:00:00 GMT"


def unlimited(request: httpx.Request, send: Send) -> httpx.Response:
    """Never respond with 429."""
    response = send(request)
    return (
        json_response(200, {"data": {}, "requestId": "r"})
        if response.status_code == 429
        else response
    )


@pytest.mark.parametrize(("pause", "expected"), [(0.0, Violation), (1.0, Inconclusive)])
def test_slow_requests_do_not_show_a_missing_limit(pause: float, expected: type[Exception]) -> None:
    """Fast requests without a 429 show it."""
    moments = count()
    with stage(spoil=unlimited) as one:
        one.session.session.dispatcher.now = lambda: next(moments) * pause
        with pytest.raises(expected, match=r"429|too slow"):
            one.perform(limits.test_too_many_requests_are_rejected)
        with pytest.raises(Inconclusive):
            one.perform(limits.test_a_429_says_how_long_to_wait)


@pytest.mark.parametrize("status", [500, 503])
def test_one_failure_before_the_limit_is_repeated(status: int) -> None:
    """A failure after the wait is repeated too."""
    before, after = count(), count()

    def failing(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if not is_of(request, one.session.target, "throttled"):
            return response
        failed = next(after) == 0 if one.transport.waits else next(before) == 3
        return json_response(status) if failed else response

    with stage(spoil=failing) as one:
        one.perform(limits.test_a_caller_who_waits_is_served_again)
    assert (next(before) > 3, next(after) > 1) == (True, True)


@pytest.mark.parametrize("callers", [("throttled",), ("throttled", "primary")])
def test_one_operation_may_fail_past_the_limit_where_it_fails_for_others(
    callers: tuple[str, ...],
) -> None:
    """The rate limit is blamed where only the throttled caller gets 500."""

    def failing(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        is_theirs = any(is_of(request, one.session.target, name) for name in callers)
        fails = is_theirs and request.url.path == "/v1/videos"
        return json_response(500) if fails else response

    with stage(spoil=failing) as one:
        if "primary" in callers:
            one.perform(limits.test_too_many_requests_are_rejected)
        else:
            with pytest.raises(Violation, match="another status than 429: 500"):
                one.perform(limits.test_too_many_requests_are_rejected)


def test_after_the_wait_a_permitted_operation_is_requested() -> None:
    """A caller that was always throttled may lack a permission."""
    seen: list[tuple[str, bool]] = []

    def throttled(request: httpx.Request, send: Send) -> httpx.Response:
        if not is_of(request, one.session.target, "throttled"):
            return send(request)
        seen.append((request.url.path, bool(one.transport.waits)))
        if not one.transport.waits:
            return json_response(429, retry_after="1")
        return json_response(403) if request.url.path == "/v1/account" else send(request)

    with stage(spoil=throttled) as one:
        one.perform(limits.test_a_caller_who_waits_is_served_again)
    assert {("/v1/account", True), ("/v1/projects", True)} <= set(seen)


@pytest.mark.parametrize(("date", "expected"), [({}, Inconclusive), ({"date": PAST}, Violation)])
def test_a_date_of_an_unknown_clock_decides_nothing(
    date: dict[str, str], expected: type[Exception]
) -> None:
    """Nobody knows whether the time of Retry-After has passed on a clock that no response shows."""

    def throttled(_request: httpx.Request, _send: Send) -> httpx.Response:
        return json_response(429, retry_after=PAST, **date)

    with stage(spoil=throttled) as one, pytest.raises(expected, match="429"):
        one.perform(limits.test_a_caller_who_waits_is_served_again)


def too_large(response: Callable[[httpx.Request], httpx.Response]) -> Spoil:
    """Replace each response of 413."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        sent = send(request)
        return response(request) if sent.status_code == 413 else sent

    return spoil


def hanging_up(request: httpx.Request) -> httpx.Response:
    """Close the connection."""
    raise httpx.WriteError("broken pipe", request=request)


def test_a_body_without_further_properties_needs_no_long_characters() -> None:
    """A target that rejects a small body with a further property shows nothing by a large one."""

    def strict(request: httpx.Request, send: Send) -> httpx.Response:
        return json_response(422) if b'"note"' in request.read() else send(request)

    with stage(spoil=strict) as one:
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
        with_more = [sent for sent in one.transport.sent if b'"note"' in sent.content]
    assert len(with_more) == 1


def test_a_closed_connection_is_not_a_413() -> None:
    """A small body gets a response."""
    with (
        stage(spoil=too_large(hanging_up)) as one,
        pytest.raises(Violation, match="WriteError") as caught,
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert caught.value.expected == "413"


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_scheme_that_reaches_no_review_sends_no_large_body(status: int) -> None:
    """Its rejection may come before that of the size."""
    large: list[bool] = []

    def by_key_only(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method != "POST" or "authorization" not in request.headers:
            return send(request)
        large.append(len(request.read()) > limits_body.FIRST_PROBE // 4)
        return json_response(status)

    with stage(spoil=by_key_only) as one:
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert large != []
    assert not any(large)


@pytest.mark.parametrize(
    "id", ["body-limit-fails-by-bearer", "body-limit-by-bearer-where-declared"]
)
def test_a_body_limit_that_one_scheme_lacks_is_reported(id: str) -> None:
    """Each scheme sends bodies with and without Content-Length."""
    with stage(edits=BY_ID[id].edits) as one, pytest.raises(Violation) as caught:
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert caught.value.expected == "413"


def test_without_consent_to_approve_a_404_is_inconclusive() -> None:
    """The body names an absent review."""
    silent = having("consent/approve-reviews", value=False)
    with (
        stage(silent, too_large(lambda _: json_response(404))) as one,
        pytest.raises(Inconclusive) as undecided,
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert undecided.value.needs == ("consent.approve-reviews",)


def test_without_a_review_left_a_replay_is_padded() -> None:
    """A replay that succeeds has no defect but its size."""
    with (
        stage(few(1), too_large(lambda _: json_response(400))) as one,
        pytest.raises(Violation, match="400") as caught,
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert caught.value.expected == "413"


def test_without_a_replay_that_succeeds_a_400_is_inconclusive() -> None:
    """The padded request may be rejected for another reason."""
    edits = BY_ID["replay-conflicts"].edits
    with (
        stage(few(1), too_large(lambda _: json_response(400)), edits=edits) as one,
        pytest.raises(Inconclusive, match="400"),
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)


def test_a_limit_beyond_the_largest_body_is_inconclusive() -> None:
    """The largest body has 16 MiB."""
    open_ended = without("limits/max-body-bytes")
    with (
        stage(open_ended, too_large(lambda _: json_response(409))) as one,
        pytest.raises(Inconclusive) as undecided,
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert undecided.value.needs == ("limits.max-body-bytes",)
    assert max(len(sent.content) for sent in one.transport.sent) == limits_body.LARGEST_PROBE


def test_an_undeclared_body_limit_is_detected() -> None:
    """The body size grows until the response is 413."""
    with stage(without("limits/max-body-bytes")) as one:
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
        sizes = [len(request.content) for request in one.transport.sent if request.method == "POST"]
    assert sizes[-1] == limits_body.FIRST_PROBE


def test_without_consent_to_approve_large_bodies_name_an_absent_review() -> None:
    """No review of the profile is in a URL."""
    with stage(having("consent/approve-reviews", value=False)) as one:
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
        one.perform(limits.test_a_429_says_how_long_to_wait)
        approvable = one.session.target.fixtures.approvable_reviews
        written = [str(request.url) for request in one.transport.sent if request.method == "POST"]

    assert written != []
    assert [url for url in written for id in approvable if id in url] == []


def test_a_throttled_caller_with_the_secret_of_another_is_inconclusive() -> None:
    """The caller may share the limit of the other caller."""

    def shared(profile: Profile) -> None:
        profile["credentials"]["throttled"] = profile["credentials"]["primary"]

    with stage(shared) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(limits.test_too_many_requests_are_rejected)
    assert undecided.value.needs == ("credentials.throttled",)
