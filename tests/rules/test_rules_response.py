"""The form of every response: conforming ones, and ones with one defect."""

import json
from typing import Any

import pytest

from conformance.contract.verdict import Defect, Kind, Location, Part, defect
from conformance.http.exchange import Response
from conformance.rules.judgement import Judgement, hold, shown
from conformance.rules.response import REQUIREMENTS, examine

STATUSES = frozenset({200, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503})
JSON = ("content-type", "application/json")
SUCCESS = b'{"data": null, "requestId": "r"}'
ERROR = b'{"code": "c", "requestId": "r"}'
FORM = {"response/status", "response/content-type", "response/json"}
ENVELOPE = FORM | {"envelope/data", "envelope/request-id"}
ERROR_FORM = FORM | {
    "error/object",
    "error/code",
    "error/request-id",
    "error/message",
    "error/title",
}


def sentences(status: int, body: bytes, *headers: tuple[str, str]) -> dict[str, str | None]:
    """The requirements that a response exercises, each with the sentence of its defect."""
    return {
        judgement.requirement: judgement.problem
        for judgement in examine(Response(status, headers, body), STATUSES)
    }


def violated(status: int, body: bytes, *headers: tuple[str, str]) -> dict[str, str]:
    """The requirements that a response violates."""
    return {
        requirement: sentence
        for requirement, sentence in sentences(status, body, *headers).items()
        if sentence is not None
    }


def test_a_success_exercises_the_envelope() -> None:
    """`data` itself is checked by other rules."""
    assert sentences(200, SUCCESS, JSON) == dict.fromkeys(ENVELOPE)
    assert sentences(200, b'{"data": 1, "requestId": "", "more": 2}', JSON) == dict.fromkeys(
        ENVELOPE
    )


@pytest.mark.parametrize("status", sorted(STATUSES - {200, 401, 429}))
def test_an_error_response_exercises_the_error_body(status: int) -> None:
    """`message` and `title` may be absent."""
    assert sentences(status, ERROR, JSON) == dict.fromkeys(ERROR_FORM)
    assert sentences(
        status, b'{"code": "", "requestId": "", "message": "", "title": "", "more": 1}', JSON
    ) == dict.fromkeys(ERROR_FORM)


def test_a_401_exercises_the_challenge_too() -> None:
    """Every value conforms."""
    assert sentences(401, ERROR, JSON, ("www-authenticate", "Bearer")) == dict.fromkeys(
        [*ERROR_FORM, "authentication/challenge"]
    )
    assert violated(401, ERROR, JSON) == {
        "authentication/challenge": "401 without WWW-Authenticate"
    }


@pytest.mark.parametrize("status", [201, 204, 301, 402, 405, 418, 501])
def test_an_undocumented_status_violates_one_requirement(status: int) -> None:
    """Nothing else of the response is checked."""
    assert sentences(status, b"") == {"response/status": f"status {status}"}


@pytest.mark.parametrize("status", [408, 425, 499, 520, 525, 530, 598, 599])
def test_a_status_of_gateways_with_the_error_body_of_the_target_is_checked(status: int) -> None:
    """With another body the status is a transient error."""
    assert violated(status, ERROR, JSON) == {"response/status": f"status {status}"}
    assert sentences(status, b'{"message": "Try again"}', JSON) == {}
    assert sentences(status, b"<html>", ("content-type", "text/html")) == {}


@pytest.mark.parametrize("status", [502, 503, 504])
def test_the_response_of_a_gateway_is_not_checked(status: int) -> None:
    """Its body has neither `code` nor `requestId`, or is not declared as JSON."""
    assert sentences(status, b"<html>", ("content-type", "text/html")) == {}
    assert sentences(status, ERROR) == {}
    assert sentences(status, b'{"message": "Endpoint request timed out"}', JSON) == {}
    assert set(sentences(status, ERROR, JSON)) == (set() if status == 504 else ERROR_FORM)


@pytest.mark.parametrize(
    ("present", "absent"), [("code", "error/request-id"), ("requestId", "error/code")]
)
def test_one_property_of_an_error_body_proves_that_the_target_responds(
    present: str, absent: str
) -> None:
    """Then the other one is required."""
    assert violated(503, json.dumps({present: "x"}).encode(), JSON).keys() == {absent}


@pytest.mark.parametrize("name", ["CODE", "requestid", "REQUESTID", "message", "title"])
def test_other_properties_do_not_prove_that_the_target_responds(name: str) -> None:
    """Gateways use them too."""
    assert sentences(503, json.dumps({name: "x"}).encode(), JSON) == {}


def test_a_500_is_a_response_of_the_target() -> None:
    """Its body may be HTML."""
    assert set(violated(500, b"<html>", ("content-type", "text/html"))) == {
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
    """Case and parameters do not matter."""
    assert violated(200, SUCCESS, ("content-type", value)) == {}


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
def test_another_media_type_violates_one_requirement(value: str) -> None:
    """An absent media type violates it too."""
    assert violated(200, SUCCESS, ("content-type", value)) == {
        "response/content-type": f'Content-Type "{value}"'
    }
    assert violated(200, SUCCESS) == {"response/content-type": "no Content-Type"}


@pytest.mark.parametrize("status", [200, 404])
def test_a_body_that_is_not_json_violates_one_requirement(status: int) -> None:
    """The sentence quotes its first characters."""
    assert violated(status, b"<html>", JSON) == {"response/json": 'the body is not JSON: "<html>"'}
    assert violated(status, b"x" * 10_000, JSON) == {
        "response/json": f'the body is not JSON: "{"x" * 118}…'
    }
    assert violated(status, b"", JSON) == {"response/json": 'the body is not JSON: ""'}


@pytest.mark.parametrize(
    ("flaw", "place", "around"),
    [
        (b",]}", 5020, 'y\\",]}"'),
        (b", NaN]}", 5021, 'y\\", NaN]}"'),
        (b', "\xff"]}', 5022, 'y\\", \\"\ufffd\\"]}"'),
        (b"]} trailing", 5022, 'y\\"]} trailing"'),
    ],
)
def test_a_late_flaw_of_a_body_is_shown_where_it_is(flaw: bytes, place: int, around: str) -> None:
    """The words that JSON does not have count only outside of a text."""
    body = b'{"data": ["NaN", "' + b"y" * 5_000 + b'"' + flaw
    message = violated(200, body, JSON)["response/json"]
    assert message.startswith(f'the body is not JSON at character {place}, in "yyyyy')
    assert message.endswith(around)


def test_a_body_that_is_nested_too_deeply_is_not_checked() -> None:
    """JSON of any depth is JSON: a limit of the parser is not a violation."""
    assert set(sentences(200, b"[" * 200_000 + b"]" * 200_000, JSON)) == {
        "response/status",
        "response/content-type",
    }


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"[]", {"envelope/data": "a success without data: []"}),
        (b"null", {"envelope/data": "a success without data: null"}),
        (b'"data"', {"envelope/data": 'a success without data: "data"'}),
        (
            b'{"requestId": "r"}',
            {"envelope/data": 'a success without data: {"requestId": "r"}'},
        ),
        (b'{"data": {}}', {"envelope/request-id": "requestId is absent"}),
        (b'{"data": {}, "requestId": 7}', {"envelope/request-id": "requestId is 7"}),
        (b'{"data": {}, "requestId": null}', {"envelope/request-id": "requestId is null"}),
        (
            b"{}",
            {
                "envelope/data": "a success without data: {}",
                "envelope/request-id": "requestId is absent",
            },
        ),
    ],
)
def test_each_property_of_the_envelope_has_a_requirement(
    body: bytes, expected: dict[str, str]
) -> None:
    """A body that is not an object violates that of `data` only."""
    assert violated(200, body, JSON) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"[1]", {"error/object": "the error body is not an object: [1]"}),
        (b'{"requestId": "r"}', {"error/code": "code is absent"}),
        (b'{"code": 404, "requestId": "r"}', {"error/code": "code is 404"}),
        (b'{"code": "c"}', {"error/request-id": "requestId is absent"}),
        (b'{"code": "c", "requestId": []}', {"error/request-id": "requestId is []"}),
        (b'{"code": "c", "requestId": "r", "message": null}', {"error/message": "message is null"}),
        (b'{"code": "c", "requestId": "r", "title": {}}', {"error/title": "title is {}"}),
    ],
)
def test_each_property_of_an_error_body_has_a_requirement(
    body: bytes, expected: dict[str, str]
) -> None:
    """`code` and `requestId` are required, `message` and `title` are strings if present."""
    assert violated(404, body, JSON) == expected


@pytest.mark.parametrize(
    ("value", "conforms"),
    [
        ("0", True),
        ("30", True),
        ("Fri, 20 Nov 2026 12:00:00 GMT", True),
        ("soon", True),
        ("", False),
        (" ", False),
        (None, False),
    ],
)
def test_a_429_has_a_retry_after(value: str | None, conforms: bool) -> None:
    """Its body is an error body as in every error response."""
    headers = [JSON] if value is None else [JSON, ("retry-after", value)]
    form = {"limits/retry-after-form"} if conforms else set()
    assert set(sentences(429, ERROR, *headers)) == ERROR_FORM | {"limits/retry-after"} | form
    violations = violated(429, ERROR, *headers)
    violations.pop("limits/retry-after-form", None)
    assert violations == ({} if conforms else {"limits/retry-after": "429 without Retry-After"})


@pytest.mark.parametrize(
    ("value", "conforms"),
    [
        ("0", True),
        (" 30 ", True),
        ("Fri, 20 Nov 2026 12:00:00 GMT", True),
        ("soon", False),
        ("1.5", False),
        ("30 s", False),
    ],
)
def test_retry_after_has_one_of_two_forms(value: str, conforms: bool) -> None:
    """A number of seconds, or an HTTP-date."""
    violations = violated(429, ERROR, JSON, ("retry-after", value))
    sentence = f'429 with Retry-After "{value.strip()}"'
    assert violations == ({} if conforms else {"limits/retry-after-form": sentence})


@pytest.mark.parametrize("status", [200, 400, 503])
def test_other_statuses_need_no_retry_after(status: int) -> None:
    """They may have one."""
    assert "limits/retry-after" not in sentences(status, ERROR, JSON, ("retry-after", "soon"))


def defects(status: int, body: bytes, *headers: tuple[str, str]) -> dict[str, Defect]:
    """The defects of a response, by the requirement."""
    return {
        judgement.requirement: judgement.defect
        for judgement in examine(Response(status, headers, body), STATUSES)
        if judgement.defect
    }


@pytest.mark.parametrize(
    ("status", "headers", "requirement", "data"),
    [
        (418, [], "response/status", (Kind.STATUS, 418, Location(Part.STATUS))),
        (
            200,
            [("content-type", "text/json")],
            "response/content-type",
            (Kind.HEADER, "text/json", Location(Part.HEADER, "content-type")),
        ),
        (
            401,
            [JSON],
            "authentication/challenge",
            (Kind.HEADER, None, Location(Part.HEADER, "www-authenticate")),
        ),
        (
            429,
            [JSON, ("retry-after", "")],
            "limits/retry-after",
            (Kind.HEADER, None, Location(Part.HEADER, "retry-after")),
        ),
        (
            429,
            [JSON, ("retry-after", "soon")],
            "limits/retry-after-form",
            (Kind.HEADER, "soon", Location(Part.HEADER, "retry-after")),
        ),
    ],
)
def test_a_defect_outside_the_body_has_its_place_as_data(
    status: int, headers: list[tuple[str, str]], requirement: str, data: tuple[Any, ...]
) -> None:
    """Kind, value, and the status line or the header."""
    violation = defects(status, SUCCESS, *headers)[requirement]
    assert (violation.kind, violation.actual, *violation.where) == data


@pytest.mark.parametrize(
    ("status", "body", "requirement", "data"),
    [
        (200, b"<html>", "response/json", (Kind.BODY, "<html>", (), "")),
        (200, b"[]", "envelope/data", (Kind.BODY, None, ("data",), "")),
        (200, b'{"requestId": "r"}', "envelope/data", (Kind.ABSENT, None, ("data",), "")),
        (404, b"[]", "error/object", (Kind.BODY, None, (), "")),
        (404, b'{"requestId": "r"}', "error/code", (Kind.ABSENT, None, ("code",), "")),
        (
            404,
            b'{"code": 7, "requestId": "r"}',
            "error/code",
            (Kind.VALUE, 7, ("code",), "/code"),
        ),
    ],
)
def test_a_defect_in_the_body_has_its_place_as_data(
    status: int, body: bytes, requirement: str, data: tuple[Any, ...]
) -> None:
    """Kind, value, properties and JSON Pointer."""
    violation = defects(status, body, JSON)[requirement]
    (place,) = violation.where
    assert place.part is Part.BODY
    assert (violation.kind, violation.actual, violation.fields, place.name) == data


def test_a_defect_names_what_the_contract_expects() -> None:
    """Each requirement has one phrase."""
    violations = (
        defects(200, b"{}", JSON) | defects(418, b"") | defects(401, b"{}") | defects(404, b"[")
    )
    violations |= defects(429, b'{"message": 1, "title": 1}', JSON) | defects(404, b"[]", JSON)
    violations |= defects(429, ERROR, JSON, ("retry-after", "soon"))
    documented = "200, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503"
    assert {requirement: defect.expected for requirement, defect in violations.items()} == {
        "response/status": f"one of {documented}",
        "response/content-type": "application/json",
        "response/json": "one JSON value",
        "authentication/challenge": "WWW-Authenticate",
        "limits/retry-after": "Retry-After with the time to wait",
        "limits/retry-after-form": "delay-seconds or an HTTP-date (RFC 9110)",
        "envelope/data": "an object {data, requestId}",
        "envelope/request-id": "requestId: a string",
        "error/object": "an object",
        "error/code": "code: a string",
        "error/request-id": "requestId: a string",
        "error/message": "message: a string",
        "error/title": "title: a string",
    }


def test_the_rules_declare_the_requirements_that_they_check() -> None:
    """A response with a defect violates each of them."""
    violations = (
        defects(200, b"{}", JSON) | defects(418, b"") | defects(401, b"{}") | defects(404, b"[")
    )
    violations |= defects(429, b'{"message": 1, "title": 1}', JSON) | defects(404, b"[]", JSON)
    violations |= defects(429, ERROR, JSON, ("retry-after", "soon"))
    assert set(violations) == REQUIREMENTS


def test_a_defect_is_created_only_for_a_violation() -> None:
    """The message of a conforming response is not rendered."""

    def unwanted() -> Defect:
        raise AssertionError

    example = defect(Kind.STATUS, "status 418")
    assert hold("a/b", conforms=True, otherwise=unwanted) == Judgement("a/b")
    violated = hold("a/b", conforms=False, otherwise=lambda: example)
    assert violated == Judgement("a/b", example)


def test_a_judgement_has_the_sentence_and_the_expectation_of_its_defect() -> None:
    """A conforming response has None and ""."""
    judgement = Judgement("a/b", defect(Kind.STATUS, "{n} of them", expected="none", n=2))
    assert (judgement.problem, judgement.expected) == ("2 of them", "none")
    assert (Judgement("a/b").problem, Judgement("a/b").expected) == (None, "")


def test_a_value_is_quoted_as_json_on_one_line() -> None:
    """It is cut at its longest length; nesting of any depth raises nothing."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown("a\nb") == '"a\\nb"'
    assert shown("ü") == '"ü"'
    assert shown("x" * 118) == f'"{"x" * 118}"'
    assert shown("x" * 119) == f'"{"x" * 118}…'
    assert len(shown("x" * 119)) == 120
    assert shown([1, 2, 3], 5) == "[1, …"
    assert shown(deep) == "a list nested too deeply to be shown"
    while deep:
        deep = deep.pop()  # type: ignore[assignment]
