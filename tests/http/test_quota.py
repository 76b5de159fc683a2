"""What responses say about a rate limit."""

import pytest

from conformance.http import quota
from conformance.http.exchange import Response
from conformance.http.quota import Quota

NOW = ("date", "Fri, 20 Nov 2026 12:00:00 GMT")
EPOCH = "1795176030"
"""Half a minute later."""

BEFORE = Response(200, (("ratelimit-remaining", "1"),))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ((("retry-after", "7"), ("ratelimit-reset", "3")), 7.0),
        ((("ratelimit-reset", "3"),), 3.0),
        ((("x-ratelimit-reset", EPOCH), NOW), 30.0),
        ((("ratelimit", '"default";r=0;t=12'),), 12.0),
        ((("ratelimit", "limit=10, remaining=0, reset=4"),), 4.0),
        ((("x-rate-limit-reset", "0.5"),), 0.5),
        ((("x-ratelimit-reset", EPOCH),), 1.0),
        ((("x-ratelimit-reset", "soon"),), 1.0),
        ((), 1.0),
    ],
)
def test_a_429_says_how_long_to_wait(headers: tuple[tuple[str, str], ...], seconds: float) -> None:
    """In one of several headers; a second where it does not say it."""
    assert Quota().pause(Response(429, headers)) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ((("ratelimit-remaining", "0"), ("ratelimit-reset", "3")), 3.0),
        ((("x-rate-limit-remaining", "0"), ("x-rate-limit-reset", EPOCH), NOW), 30.0),
        ((("ratelimit", '"default";r=0;t=12'),), 12.0),
        ((("ratelimit-remaining", "0"),), None),
        ((("ratelimit-remaining", "2"), ("ratelimit-reset", "3")), None),
        ((("ratelimit", '"default";r=5;t=12'),), None),
        ((), None),
    ],
)
def test_a_response_may_use_up_the_limit(
    headers: tuple[tuple[str, str], ...], seconds: float | None
) -> None:
    """Nothing remains, and it is known until when."""
    quota = Quota()
    assert quota.pause(BEFORE) is None
    assert quota.pause(Response(200, headers)) == seconds


def test_a_counter_that_never_counts_is_ignored() -> None:
    """A header that always says 0 would make a run wait before each request."""
    always = Response(200, (("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "60")))
    quota = Quota()

    assert [quota.pause(always) for _ in range(3)] == [None] * 3


@pytest.mark.parametrize(
    ("headers", "stated"),
    [
        ({"x-ratelimit-limit": "600"}, "600 requests"),
        ({"ratelimit": "limit=100, remaining=50, reset=5"}, "100 requests"),
        ({"ratelimit-policy": '"default";q=100;w=60'}, "100 requests per 60 s"),
        ({"ratelimit": '"default";r=50;t=30'}, None),
        ({"x-ratelimit-limit": "many"}, None),
    ],
)
def test_the_limit_that_headers_state(headers: dict[str, str], stated: str | None) -> None:
    """The requests, and the seconds where they are stated."""
    assert quota.stated(Response(200, tuple(headers.items()), b"")) == stated
