"""Ids of a target that are steps to another path: a request goes to the operation that it names."""

import httpx
import pytest
from hostile_server import broken

from conformance.http.outgoing import fill


@pytest.mark.parametrize(
    ("id", "sent"),
    [
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("../../admin", "..%2F..%2Fadmin"),
        ("%2e%2e", "%252e%252e"),
        ("..;", "..%3B"),
        ("..\\..", "..%5C.."),
        ("?x#y", "%3Fx%23y"),
    ],
)
def test_an_id_is_one_segment_of_a_path(id: str, sent: str) -> None:
    """A review with the id `..` would have its approval sent to `/v1/approve`."""
    paths: list[str] = []
    with broken("http", lambda answer: answer.but(), paths.append) as profile:
        path = fill("/reviews/{reviewId}/approve", {"reviewId": id})
        httpx.post(httpx.URL(profile["base-url"] + path), json={})
    assert paths == [f"/v1/reviews/{sent}/approve"]
