"""Responses to odd addresses, which a server in front of the target may give."""

import httpx
from altered_target import Send, stage

from conformance.suite import test_fuzz as fuzz

PAGE = b"<h1>400 Bad Request</h1>"


def proxied(request: httpx.Request, send: Send) -> httpx.Response:
    """Reject invalid UTF-8 in an address, in HTML."""
    if b"%FF" in request.url.raw_path:
        return httpx.Response(
            400, headers={"content-type": "text/html"}, stream=httpx.ByteStream(PAGE)
        )
    return send(request)


def test_what_a_rule_would_blame_at_an_odd_address_is_observed() -> None:
    """The path is no text, and neither is the value of each parameter."""
    with stage(spoil=proxied) as one:
        one.perform(fuzz.test_generated_invalid_arguments_cause_no_failure, "review_list")
        found = {subject: value for id, subject, value in one.session.observations}
        value = found["review_list: limit: invalid UTF-8"]
        assert value == '400: Content-Type "text/html"'
