"""The form of every response: status, content type, JSON, and the properties of its envelope."""

import json
import re

from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import MISSING, Response
from conformance.http.media_type import is_json
from conformance.http.retry import UNAVAILABLE, is_from_gateway, retry_after
from conformance.rules.judgement import (
    STATUS_LINE,
    Judgement,
    Judgements,
    body,
    header,
    hold,
    shown,
)

REQUIREMENTS = frozenset({
    "response/status", "response/content-type", "response/json",
    "limits/retry-after", "limits/retry-after-form", "authentication/challenge",
    "envelope/data", "envelope/request-id",
    "error/object", "error/code", "error/request-id", "error/message", "error/title",
})  # fmt: skip
"""What these rules check."""

NEAR = 60
"""A flaw after so many characters is shown with the beginning of a body."""
BEFORE = 15
"""Characters that are shown before a later one, each of which may be written as six."""

_WORD = re.compile(r'"(?:[^"\\]|\\.)*+"|(NaN|-?Infinity)')
"""A whole text, or a word."""


def examine(response: Response, statuses: frozenset[int]) -> Judgements:
    """Check the form of a response; stop where further defects would follow from the first."""
    documented = response.status in statuses
    is_unavailable = response.status in UNAVAILABLE and not documented
    if is_unavailable or is_from_gateway(response):
        return
    yield hold("response/status", documented, lambda: _undocumented(response, statuses))
    if not documented:
        return
    if response.status == 429:
        yield from _retry_after(response)
    if response.status == 401:
        yield _challenge(response)
    yield hold("response/content-type", is_json(response), lambda: _other_type(response))
    if response.is_unreadable:
        return  # It may be JSON: that we cannot parse it is not the target's fault.
    parsed = response.json
    yield hold("response/json", parsed is not MISSING, lambda: _not_json(response))
    if parsed is not MISSING:
        yield from _success(parsed) if response.status == 200 else _error(parsed)


def _undocumented(response: Response, statuses: frozenset[int]) -> Defect:
    documented = ", ".join(map(str, sorted(statuses)))
    return defect(
        Kind.STATUS,
        "status {status}",
        expected=f"one of {documented}",
        actual=response.status,
        status=response.status,
        allowed=sorted(statuses),
    ).at(STATUS_LINE)


def _other_type(response: Response) -> Defect:
    value = response.header("content-type")
    return defect(
        Kind.HEADER,
        "no Content-Type" if value is None else "Content-Type {value}",
        expected="application/json",
        actual=value,
        value=shown(value),
    ).at(header("content-type"))


def _not_json(response: Response) -> Defect:
    text, flaw = _with_flaw(response.body)
    is_near = flaw <= NEAR
    start = text[:200] if is_near else text[flaw - BEFORE : flaw + 200]
    return defect(
        Kind.BODY,
        "the body is not JSON: {start}"
        if is_near
        else "the body is not JSON at character {flaw}, in {start}",
        expected="one JSON value",
        actual=start,
        flaw=flaw,
        start=shown(start),
    ).at(body())


def _with_flaw(content: bytes) -> tuple[str, int]:
    """The text of a body, and the index in it of the first character that JSON does not allow."""
    try:
        text = content.decode()
        json.loads(text)
    except UnicodeDecodeError as problem:
        return content.decode(errors="replace"), len(content[: problem.start].decode())
    except json.JSONDecodeError as problem:
        return text, problem.pos
    except (ValueError, RecursionError):
        return text, 0
    # Python takes these words for numbers.
    words = (found.start() for found in _WORD.finditer(text) if found[1])
    return text, next(words, 0)


def _retry_after(response: Response) -> Judgements:
    value = (response.header("retry-after") or "").strip()
    yield hold("limits/retry-after", value != "", _no_retry_after)
    if value:
        is_standard = retry_after(response) is not None
        yield hold("limits/retry-after-form", is_standard, lambda: _other_form(value))


def _no_retry_after() -> Defect:
    text, expected = "429 without Retry-After", "Retry-After with the time to wait"
    return defect(Kind.HEADER, text, expected=expected).at(header("retry-after"))


def _other_form(value: str) -> Defect:
    return defect(
        Kind.HEADER,
        "429 with Retry-After {value}",
        expected="delay-seconds or an HTTP-date (RFC 9110)",
        actual=value,
        value=shown(value),
    ).at(header("retry-after"))


def _challenge(response: Response) -> Judgement:
    def otherwise() -> Defect:
        text, expected = "401 without WWW-Authenticate", "WWW-Authenticate"
        return defect(Kind.HEADER, text, expected=expected).at(header("www-authenticate"))

    named = response.header("www-authenticate") is not None
    return hold("authentication/challenge", named, otherwise)


def _success(parsed: object) -> Judgements:
    is_object = isinstance(parsed, dict)
    properties = parsed if isinstance(parsed, dict) else {}

    def otherwise() -> Defect:
        return (
            defect(
                Kind.ABSENT if is_object else Kind.BODY,
                "a success without data: {body}",
                expected="an object {data, requestId}",
                body=shown(parsed),
            )
            .on("data")
            .at(body())
        )

    yield hold("envelope/data", is_object and "data" in properties, otherwise)
    if is_object:
        yield _string(properties, "requestId", "envelope/request-id", required=True)


def _error(parsed: object) -> Judgements:
    def otherwise() -> Defect:
        return defect(
            Kind.BODY,
            "the error body is not an object: {body}",
            expected="an object",
            body=shown(parsed),
        ).at(body())

    yield hold("error/object", isinstance(parsed, dict), otherwise)
    if isinstance(parsed, dict):
        yield _string(parsed, "code", "error/code", required=True)
        yield _string(parsed, "requestId", "error/request-id", required=True)
        yield _string(parsed, "message", "error/message", required=False)
        yield _string(parsed, "title", "error/title", required=False)


def _string(
    properties: dict[str, object], name: str, requirement: str, *, required: bool
) -> Judgement:
    if name not in properties:
        return hold(requirement, not required, lambda: _absent(name))
    value = properties[name]
    return hold(requirement, isinstance(value, str), lambda: _no_string(name, value))


def _absent(name: str) -> Defect:
    violation = defect(Kind.ABSENT, "{name} is absent", expected=f"{name}: a string", name=name)
    return violation.on(name).at(body())


def _no_string(name: str, value: object) -> Defect:
    return (
        defect(
            Kind.VALUE,
            "{name} is {value}",
            expected=f"{name}: a string",
            actual=value,
            name=name,
            value=shown(value),
        )
        .on(name)
        .at(body(name))
    )
