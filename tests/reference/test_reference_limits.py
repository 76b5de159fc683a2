"""The rate limit of the reference: a token bucket for each credential."""

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


def test_a_burst_is_limited_until_time_passes(
    anonymous: httpx.Client, credentials: dict[str, Any], clock: ManualClock
) -> None:
    """20 requests pass, the next is 429; later as many pass as the elapsed time allows."""
    throttled = {"x-api-key": credentials["throttled"]["api-key"]}
    assert [anonymous.get("/account", headers=throttled).status_code for _ in range(21)] == [
        200
    ] * 20 + [429]
    response = anonymous.get("/projects", headers=throttled)
    assert (response.status_code, response.headers["retry-after"], response.json()["code"]) == (
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


def test_each_credential_has_its_own_bucket(
    anonymous: httpx.Client, credentials: dict[str, Any]
) -> None:
    """The other scheme and primary are unaffected by a throttled key."""
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


def test_rejected_requests_count_too(anonymous: httpx.Client, credentials: dict[str, Any]) -> None:
    """Every response consumes a token; 429 has precedence over all later errors."""
    throttled = {"x-api-key": credentials["throttled"]["api-key"]}
    assert [anonymous.get("/projects/x", headers=throttled).status_code for _ in range(21)] == [
        422
    ] * 20 + [429]


def test_primary_never_reaches_its_limit(
    anonymous: httpx.Client, credentials: dict[str, Any]
) -> None:
    """A thousand requests at the same time succeed."""
    primary = {"x-api-key": credentials["primary"]["api-key"]}
    assert {anonymous.get("/account", headers=primary).status_code for _ in range(1000)} == {200}


def test_retry_after_is_in_whole_seconds(clock: ManualClock) -> None:
    """With one request in ten seconds, the time to wait after 2.5 seconds is 8."""
    limiter = RateLimiter(clock)
    limiter.consume("key", Rate(1, 10))
    clock.advance(2.5)
    with pytest.raises(RateLimited) as error:
        limiter.consume("key", Rate(1, 10))
    assert error.value.headers == {"Retry-After": "8"}


def test_a_clock_that_is_set_back_changes_nothing(clock: ManualClock) -> None:
    """A clock that goes backwards adds and removes no tokens."""
    limiter = RateLimiter(clock)
    limiter.consume("key", Rate(2, 10))
    clock.advance(-3600)
    limiter.consume("key", Rate(2, 10))
    with pytest.raises(RateLimited):
        limiter.consume("key", Rate(2, 10))


def test_the_system_clock_advances() -> None:
    """Its time never decreases."""
    clock = SystemClock()
    assert 0 < clock.now() <= clock.now()
