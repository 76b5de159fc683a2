"""The form of every answer: each rule kept, and broken alone."""

import json

import pytest

from conformance.http.exchange import Response
from conformance.rules.judgement import Judgement, hold, shown
from conformance.rules.response import examine

STATUSES = frozenset({200, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503})
JSON = ("content-type", "application/json")
SUCCESS = b'{"data": null, "requestId": "r"}'
ERROR = b'{"code": "c", "requestId": "r"}'
FORM = {"response/status", "response/content-type", "response/json"}
ENVELOPE = FORM | {"envelope/data", "envelope/request-id"}
REFUSAL = FORM | {"error/object", "error/code", "error/request-id", "error/message", "error/title"}


def judged(status: int, body: bytes, *headers: tuple[str, str]) -> dict[str, str | None]:
    """The requirements that an answer exercises, each with its problem or None."""
    return {
        judgement.requirement: judgement.problem
        for judgement in examine(Response(status, headers, body), STATUSES)
    }


def broken(status: int, body: bytes, *headers: tuple[str, str]) -> dict[str, str]:
    """The requirements that an answer breaks."""
    return {
        requirement: problem
        for requirement, problem in judged(status, body, *headers).items()
        if problem is not None
    }


def test_a_success_exercises_the_envelope() -> None:
    """And keeps it; whatever data is, is looked at elsewhere."""
    assert judged(200, SUCCESS, JSON) == dict.fromkeys(ENVELOPE)
    assert judged(200, b'{"data": 1, "requestId": "", "more": 2}', JSON) == dict.fromkeys(ENVELOPE)


@pytest.mark.parametrize("status", sorted(STATUSES - {200, 401, 429}))
def test_a_refusal_exercises_the_error_body(status: int) -> None:
    """Message and title may be absent."""
    assert judged(status, ERROR, JSON) == dict.fromkeys(REFUSAL)
    assert judged(
        status, b'{"code": "", "requestId": "", "message": "", "title": "", "more": 1}', JSON
    ) == dict.fromkeys(REFUSAL)


def test_a_refused_credential_exercises_the_challenge_too() -> None:
    """Whatever the challenge says."""
    assert judged(401, ERROR, JSON, ("www-authenticate", "Bearer")) == dict.fromkeys(
        [*REFUSAL, "authentication/challenge"]
    )
    assert broken(401, ERROR, JSON) == {
        "authentication/challenge": "a 401 without WWW-Authenticate"
    }


@pytest.mark.parametrize("status", [201, 204, 301, 402, 405, 418, 501])
def test_a_status_outside_the_contract_breaks_that_alone(status: int) -> None:
    """Nothing else of such an answer is looked at."""
    assert judged(status, b"") == {"response/status": f"status {status}"}


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_answers_in_its_own_words(status: int) -> None:
    """Nothing is judged, unless it speaks JSON as the target does."""
    assert judged(status, b"<html>", ("content-type", "text/html")) == {}
    assert judged(status, ERROR) == {}
    assert judged(status, b'{"message": "Endpoint request timed out"}', JSON) == {}
    assert set(judged(status, ERROR, JSON)) == (set() if status == 504 else REFUSAL)


@pytest.mark.parametrize(
    ("member", "missed"), [("code", "error/request-id"), ("requestId", "error/code")]
)
def test_one_member_of_an_error_shows_that_a_failure_is_the_targets_own(
    member: str, missed: str
) -> None:
    """Then it is the other one that it has to have as well."""
    assert broken(503, json.dumps({member: "x"}).encode(), JSON).keys() == {missed}


@pytest.mark.parametrize("member", ["CODE", "requestid", "REQUESTID", "message", "title"])
def test_other_members_show_nothing_of_whose_a_failure_is(member: str) -> None:
    """Gateways have them too, in any spelling."""
    assert judged(503, json.dumps({member: "x"}).encode(), JSON) == {}


def test_other_failures_are_no_gateways() -> None:
    """A 500 in HTML is the target's."""
    assert set(broken(500, b"<html>", ("content-type", "text/html"))) == {
        "response/content-type",
        "response/json",
    }


@pytest.mark.parametrize(
    "value",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        " application/json ;x=y",
    ],
)
def test_a_media_type_is_compared_as_http_does(value: str) -> None:
    """In any case, with any parameters."""
    assert broken(200, SUCCESS, ("content-type", value)) == {}


@pytest.mark.parametrize(
    "value",
    [
        "",
        "text/json",
        "application/problem+json",
        "application/json5",
        "text/plain; application/json",
    ],
)
def test_another_media_type_breaks_that_alone(value: str) -> None:
    """And so does none at all."""
    assert broken(200, SUCCESS, ("content-type", value)) == {
        "response/content-type": f"Content-Type {value!r}"
    }
    assert broken(200, SUCCESS) == {"response/content-type": "Content-Type None"}


@pytest.mark.parametrize("status", [200, 404])
def test_a_body_that_is_no_json_breaks_that_alone(status: int) -> None:
    """The beginning of it is shown."""
    assert broken(status, b"<html>", JSON) == {"response/json": "a body that is no JSON: b'<html>'"}
    assert broken(status, b"x" * 10_000, JSON) == {
        "response/json": f"a body that is no JSON: b'{'x' * 117}…"
    }
    assert broken(status, b"", JSON) == {"response/json": "a body that is no JSON: b''"}


def test_a_body_that_cannot_be_looked_at_is_not_blamed() -> None:
    """JSON of any depth is JSON."""
    assert set(judged(200, b"[" * 200_000 + b"]" * 200_000, JSON)) == {
        "response/status",
        "response/content-type",
    }


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        (b"[]", {"envelope/data": "a success body without data: []"}),
        (b"null", {"envelope/data": "a success body without data: None"}),
        (b'"data"', {"envelope/data": "a success body without data: 'data'"}),
        (
            b'{"requestId": "r"}',
            {"envelope/data": "a success body without data: {'requestId': 'r'}"},
        ),
        (b'{"data": {}}', {"envelope/request-id": "no requestId"}),
        (b'{"data": {}, "requestId": 7}', {"envelope/request-id": "requestId is 7"}),
        (b'{"data": {}, "requestId": null}', {"envelope/request-id": "requestId is None"}),
        (
            b"{}",
            {
                "envelope/data": "a success body without data: {}",
                "envelope/request-id": "no requestId",
            },
        ),
    ],
)
def test_each_member_of_the_envelope_is_a_requirement_of_its_own(
    body: bytes, problems: dict[str, str]
) -> None:
    """A body that is no object has no members to miss."""
    assert broken(200, body, JSON) == problems


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        (b"[1]", {"error/object": "an error body that is no object: [1]"}),
        (b'{"requestId": "r"}', {"error/code": "no code"}),
        (b'{"code": 404, "requestId": "r"}', {"error/code": "code is 404"}),
        (b'{"code": "c"}', {"error/request-id": "no requestId"}),
        (b'{"code": "c", "requestId": []}', {"error/request-id": "requestId is []"}),
        (b'{"code": "c", "requestId": "r", "message": null}', {"error/message": "message is None"}),
        (b'{"code": "c", "requestId": "r", "title": {}}', {"error/title": "title is {}"}),
    ],
)
def test_each_member_of_an_error_is_a_requirement_of_its_own(
    body: bytes, problems: dict[str, str]
) -> None:
    """Code and requestId have to be there, message and title have to be strings where they are."""
    assert broken(404, body, JSON) == problems


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("0", True),
        ("30", True),
        ("Fri, 20 Nov 2026 12:00:00 GMT", True),
        ("", False),
        ("soon", False),
        (None, False),
    ],
)
def test_a_429_says_how_long_to_wait(value: str | None, kept: bool) -> None:
    """And is a refusal like any other beside that."""
    headers = [JSON] if value is None else [JSON, ("retry-after", value)]
    assert set(judged(429, ERROR, *headers)) == REFUSAL | {"limits/retry-after"}
    assert broken(429, ERROR, *headers) == (
        {} if kept else {"limits/retry-after": f"429 with Retry-After {value!r}"}
    )


@pytest.mark.parametrize("status", [200, 400, 503])
def test_no_other_status_has_to(status: int) -> None:
    """It may."""
    assert "limits/retry-after" not in judged(status, ERROR, JSON, ("retry-after", "soon"))


def test_every_judgement_says_what_was_expected() -> None:
    """Kept or broken."""
    for body in (SUCCESS, b"{}"):
        expected = {
            judgement.requirement: judgement.expected
            for judgement in examine(Response(200, (JSON,), body), STATUSES)
        }
        assert expected == {
            "response/status": "one of [200, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503]",
            "response/content-type": "application/json",
            "response/json": "one JSON value",
            "envelope/data": "an object {data, requestId}",
            "envelope/request-id": "requestId: a string",
        }


def test_every_judgement_of_a_refusal_says_what_was_expected() -> None:
    """Kept or broken."""
    for headers in ((JSON, ("retry-after", "1")), (JSON,)):
        expected = {
            judgement.requirement: judgement.expected
            for judgement in examine(Response(429, headers, ERROR), STATUSES)
        }
        assert {
            requirement: told for requirement, told in expected.items() if requirement not in FORM
        } == {
            "limits/retry-after": "Retry-After with delay-seconds or an HTTP-date",
            "error/object": "an object",
            "error/code": "code: a string",
            "error/request-id": "requestId: a string",
            "error/message": "message: a string",
            "error/title": "title: a string",
        }


def test_every_judgement_of_a_challenge_says_what_was_expected() -> None:
    """Kept or broken."""
    for headers in ((JSON, ("www-authenticate", "Bearer")), (JSON,)):
        expected = {
            judgement.requirement: judgement.expected
            for judgement in examine(Response(401, headers, ERROR), STATUSES)
        }
        assert expected["authentication/challenge"] == "WWW-Authenticate"


def test_a_problem_is_put_into_words_only_where_there_is_one() -> None:
    """A page need not be printed to be judged."""

    def unwanted() -> str:
        raise AssertionError

    assert hold("a/b", kept=True, problem=unwanted, expected="x") == Judgement("a/b", None, "x")
    assert hold("a/b", kept=False, problem=lambda: "told", expected="x") == Judgement(
        "a/b", "told", "x"
    )


def test_a_value_is_shown_on_one_line() -> None:
    """Cut past its longest length; nesting of any depth does no harm."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown("a\nb") == "'a\\nb'"
    assert shown("x" * 118) == repr("x" * 118)
    assert shown("x" * 119) == "'" + "x" * 118 + "…"
    assert len(shown("x" * 119)) == 120
    assert shown([1, 2, 3], 5) == "[1, …"
    assert shown(deep) == "list nested too deeply to be shown"
    while deep:
        deep = deep.pop()  # type: ignore[assignment]
