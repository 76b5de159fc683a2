"""The reference's rate limit: a bucket for each credential, which time refills."""

from typing import Any

import httpx
import pytest
import reference_client

from conformance.reference import ManualClock, Reference, SystemClock
from conformance.reference.errors import RateLimited
from conformance.reference.rate_limit import Rate, RateLimiter


@pytest.fixture
def credentials(reference: Reference) -> dict[str, Any]:
    """The credentials of the profile."""
    table: dict[str, Any] = reference.profile(reference_client.URL)["credentials"]
    return table


def test_a_burst_is_limited_and_time_lifts_the_limit(
    anonymous: httpx.Client, credentials: dict[str, Any], clock: ManualClock
) -> None:
    """20 requests pass, the next is 429; after Retry-After there are as many tokens as that time brings."""
    throttled = {"x-api-key": credentials["throttled"]["api-key"]}
    assert [anonymous.get("/account", headers=throttled).status_code for _ in range(21)] == [
        200
    ] * 20 + [429]
    answer = anonymous.get("/projects", headers=throttled)
    assert (answer.status_code, answer.headers["retry-after"], answer.json()["code"]) == (
        429,
        "1",
        "rate_limited",
    )
    clock.advance(1)
    assert [anonymous.get("/account", headers=throttled).status_code for _ in range(11)] == [
        200
    ] * 10 + [429]
    clock.advance(60)
    assert [anonymous.get("/account", headers=throttled).status_code for _ in range(21)] == [
        200
    ] * 20 + [429]


def test_each_credential_has_a_bucket_of_its_own(
    anonymous: httpx.Client, credentials: dict[str, Any]
) -> None:
    """Neither the other scheme nor primary pays for what a throttled key has spent."""
    for _ in range(25):
        anonymous.get("/account", headers={"x-api-key": credentials["throttled"]["api-key"]})
    assert (
        anonymous.get(
            "/account", headers={"authorization": f"Bearer {credentials['throttled']['bearer']}"}
        ).status_code
        == 200
    )
    assert (
        anonymous.get(
            "/account", headers={"x-api-key": credentials["primary"]["api-key"]}
        ).status_code
        == 200
    )


def test_refused_requests_count_too(anonymous: httpx.Client, credentials: dict[str, Any]) -> None:
    """A token is gone whatever the answer; the limit wins over every later refusal."""
    throttled = {"x-api-key": credentials["throttled"]["api-key"]}
    assert [anonymous.get("/projects/x", headers=throttled).status_code for _ in range(21)] == [
        422
    ] * 20 + [429]


def test_primary_never_meets_its_limit(
    anonymous: httpx.Client, credentials: dict[str, Any]
) -> None:
    """A thousand requests at one moment are answered."""
    primary = {"x-api-key": credentials["primary"]["api-key"]}
    assert {anonymous.get("/account", headers=primary).status_code for _ in range(1000)} == {200}


def test_a_slow_bucket_names_whole_seconds(clock: ManualClock) -> None:
    """One request in ten seconds: whoever comes after 2.5 of them waits 8."""
    limiter = RateLimiter(clock)
    limiter.consume("key", Rate(1, 10))
    clock.advance(2.5)
    with pytest.raises(RateLimited) as refusal:
        limiter.consume("key", Rate(1, 10))
    assert refusal.value.headers == {"Retry-After": "8"}


def test_a_clock_that_is_set_back_takes_nothing_away(clock: ManualClock) -> None:
    """Time that seems to run backwards refills nothing and costs nothing."""
    limiter = RateLimiter(clock)
    limiter.consume("key", Rate(2, 10))
    clock.advance(-3600)
    limiter.consume("key", Rate(2, 10))
    with pytest.raises(RateLimited):
        limiter.consume("key", Rate(2, 10))


def test_the_system_clock_goes_on() -> None:
    """It never stands before the moment that it showed."""
    clock = SystemClock()
    assert 0 < clock.now() <= clock.now()
