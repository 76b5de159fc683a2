"""Checks of the rate limit and the body limit on targets that meet them in odd ways."""

from collections.abc import Callable
from itertools import count

import httpx
import pytest
from altered_target import Profile, Send, Spoil, having, json_response, stage, without
from intercepted import is_of

from conformance.contract.verdict import Inconclusive, Violation
from conformance.suite import test_limits as limits
from conformance.suite import test_limits_body as limits_body


def unlimited(request: httpx.Request, send: Send) -> httpx.Response:
    """No request is one too many."""
    response = send(request)
    return (
        json_response(200, {"data": {}, "requestId": "r"})
        if response.status_code == 429
        else response
    )


@pytest.mark.parametrize(("pause", "found"), [(0.0, Violation), (1.0, Inconclusive)])
def test_who_is_too_slow_for_a_limit_meets_none(pause: float, found: type[Exception]) -> None:
    """A limit that could have been met, and was not, is none."""
    moments = count()
    with stage(spoil=unlimited) as one:
        one.session.client.now = lambda: next(moments) * pause
        with pytest.raises(found, match=r"429|too slow"):
            one.perform(limits.test_too_many_requests_are_rejected)
        with pytest.raises(Inconclusive):
            one.perform(limits.test_a_429_says_how_long_to_wait)


@pytest.mark.parametrize("status", [500, 503])
def test_one_failure_on_the_way_to_a_limit_is_no_refusal(status: int) -> None:
    """Nor is one after the time that is to be waited."""
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


def test_who_was_throttled_before_is_asked_for_what_it_may_see() -> None:
    """A caller that meets its limit from the first request on shows only after the wait that the account is none of its."""
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
        stage(silent, too_large(lambda _: json_response(404))) as one,
        pytest.raises(Inconclusive) as undecided,
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert undecided.value.needs == ("consent.approve-reviews",)


def test_a_limit_beyond_the_largest_body_is_not_found() -> None:
    """Sixteen mebibytes are enough."""
    open_ended = without("limits/max-body-bytes")
    with (
        stage(open_ended, too_large(lambda _: json_response(409))) as one,
        pytest.raises(Inconclusive) as undecided,
    ):
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
    assert undecided.value.needs == ("limits.max-body-bytes",)
    assert max(len(sent.content) for sent in one.transport.sent) == limits_body.LARGEST_PROBE


def test_the_body_limit_is_found_where_it_is_not_declared() -> None:
    """By bodies that grow."""
    with stage(without("limits/max-body-bytes")) as one:
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
        sizes = [len(request.content) for request in one.transport.sent if request.method == "POST"]
    assert sizes[-1] == limits_body.FIRST_PROBE


def test_without_consent_to_approve_no_review_is_sent_too_large_a_body() -> None:
    """An id of nothing stands in, and nothing is approved."""
    with stage(having("consent/approve-reviews", value=False)) as one:
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
        one.perform(limits.test_a_429_says_how_long_to_wait)
        approvable = one.session.target.fixtures.approvable_reviews
        written = [str(request.url) for request in one.transport.sent if request.method == "POST"]

    assert written != []
    assert [url for url in written for id in approvable if id in url] == []


def test_a_caller_in_its_rate_limit_may_be_another_one_of_the_profile() -> None:
    """Then it may have no limit of its own."""

    def shared(profile: Profile) -> None:
        profile["credentials"]["throttled"] = profile["credentials"]["primary"]

    with stage(shared) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(limits.test_too_many_requests_are_rejected)
    assert undecided.value.needs == ("credentials.throttled",)
