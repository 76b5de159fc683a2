"""Bodies are kept compressed where that is worth it, and read as they were."""

import os
from dataclasses import replace

import pytest

from conformance.http import recent
from conformance.http.exchange import Response

LONG = b'{"data":[' + b'{"name":"a long list"},' * 2_000 + b"{}]}"


def test_a_long_body_takes_up_less_and_reads_as_it_was() -> None:
    """Its length is known without unpacking it."""
    response = Response(200, (), LONG)
    assert response.length == len(LONG)
    assert response.held < len(LONG) / 10
    assert LONG not in vars(response).values()
    assert response.body == LONG
    assert response == Response(200, (), LONG)
    assert replace(response, status=201).body == LONG


@pytest.mark.parametrize("body", [b"", b'{"data":{}}', os.urandom(100_000)])
def test_a_body_that_compressing_does_not_make_smaller_is_kept_as_it_is(body: bytes) -> None:
    """A short one, and one of random bytes."""
    response = Response(200, (), body)
    assert (response.body, response.length, response.held) == (body, len(body), len(body))
    assert response.body is body


def test_an_unpacked_body_is_forgotten_when_others_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is unpacked again where it is needed again."""
    monkeypatch.setattr(recent.RECENT, "_most", len(LONG))
    first, second = Response(200, (), LONG), Response(200, (), LONG[::-1])
    kept = set(vars(first))
    assert first.body == LONG
    assert second.body == LONG[::-1]
    assert set(vars(first)) == kept
    assert first.body == LONG
