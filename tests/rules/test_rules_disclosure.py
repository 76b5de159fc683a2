"""Records in the bodies of error responses."""

import json
from typing import Any

import pytest

from conformance.contract import openapi
from conformance.rules.disclosure import MOST_VALUES, names_in, record_in

ID = "0d6c1a52-4b1e-4f6e-9d55-5c5a4a0f3c11"
REVIEW = "7f6c1a52-4b1e-4f6e-9d55-5c5a4a0f3c22"
COMMENT = {
    "id": ID,
    "reviewId": REVIEW,
    "body": "A comment",
    "status": "open",
    "startUs": 1,
    "endUs": 2,
    "createdAt": "2026-01-01T00:00:00Z",
    "replies": [],
}
ERROR = {"code": "forbidden", "requestId": "1"}


def _found(value: object, *named: str) -> Any:
    return record_in(value, "Comment", openapi.load(), named)


def test_a_record_is_found_wherever_it_stands() -> None:
    assert _found(COMMENT) == ()
    assert _found({**ERROR, "data": COMMENT}) == ("data",)
    assert _found({**ERROR, "details": [1, {"items": [COMMENT]}]}) == ("details", 1, "items", 0)


def test_a_record_is_found_in_json_text() -> None:
    text = json.dumps({"data": {"items": [COMMENT]}})
    assert _found({"content": [{"type": "text", "text": text}]}) == ("content", 0, "text")


@pytest.mark.parametrize("absent", [("replies", "endUs"), ("body", "status", "startUs", "endUs")])
def test_a_record_without_some_of_its_fields_is_one(absent: tuple[str, ...]) -> None:
    part = {name: value for name, value in COMMENT.items() if name not in absent}
    assert _found({"comment": part}) == ("comment",)


@pytest.mark.parametrize(
    "value",
    [
        ERROR,
        {**ERROR, "details": {"id": ID, "reviewId": REVIEW, "status": "denied"}},
        {**ERROR, "data": None, "text": "{no JSON", "more": "[" * 300_000},
        {**ERROR, "data": {**COMMENT, "id": "none"}},
        {**ERROR, "data": {**COMMENT, "status": 403}},
    ],
)
def test_ids_and_words_are_no_record(value: object) -> None:
    assert _found(value) is None


def test_only_a_record_with_one_of_the_ids_counts() -> None:
    assert _found({"data": COMMENT}, REVIEW) == ("data",)
    assert _found({"data": COMMENT}, "another") is None


def test_the_search_is_bounded() -> None:
    deep: dict[str, Any] = COMMENT
    for _ in range(20):
        deep = {"inner": deep}
    assert _found(deep) is None
    many = [{"number": number} for number in range(MOST_VALUES)]
    assert _found({"many": many, "last": COMMENT}) is None


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        ("Winter Campaign 002", True),
        ("Épisode 1", True),
        ("Access", False),
        ("Internationalization", True),
        ("A 1", False),
    ],
)
def test_a_name_is_told_unless_a_sentence_has_it_by_chance(name: str, is_told: bool) -> None:
    """A single short word may be one of the message itself."""
    record = {"id": "x", "projectName": name, "status": "not your campaign"}
    body = {"code": "forbidden", "message": f"{name} is not your campaign."}

    assert names_in(body, record) == ({name: ("message",)} if is_told else {})
    assert [*names_in({"error": json.dumps(body)}, record)] == ([name] if is_told else [])
