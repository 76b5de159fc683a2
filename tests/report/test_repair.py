"""What has to hold of the responses once a failure is repaired."""

from typing import Any

import pytest

from conformance.report import body_values, recorded_body, repair

DEEP = '{"a":' * 50_000 + "1" + "}" * 50_000
"""More levels than a parser follows."""


def exchange(text: str | None) -> Any:
    """An exchange with a response of this text; None: without a response."""
    if text is None:
        return {"failure": "no response"}
    body = {"text": text}
    return {"response": {"status": 200, "headers": [], "body": body}}


@pytest.mark.parametrize(
    ("text", "pointer", "value"),
    [
        ('{"data": {"items": [{"id": 1}]}}', "/data/items/0/id", 1),
        ('{"data": null}', "/data", None),
        ('{"data": {}}', "/data/id", body_values.ABSENT),
        ('{"data": []}', "/data/0", body_values.ABSENT),
        ('{"data": 1}', "/data/id", body_values.ABSENT),
        ("no JSON", "", body_values.ABSENT),
        (DEEP, "/a", body_values.ABSENT),
        (None, "/data", body_values.ABSENT),
    ],
)
def test_the_value_at_a_place_of_a_response(text: str | None, pointer: str, value: object) -> None:
    """There is none in a body that cannot be parsed, however a target has written it."""
    body = recorded_body.value(exchange(text).get("response"), body_values.ABSENT)

    assert body_values.at(body, pointer) == value


def test_responses_that_cannot_be_parsed_are_equal_where_their_texts_are() -> None:
    """So a deeply nested body is seen again."""
    found: Any = {}

    assert repair.are_equal(found, [exchange(DEEP)], [exchange(DEEP)])
    assert not repair.are_equal(found, [exchange(DEEP)], [exchange(f"[{DEEP}]")])
