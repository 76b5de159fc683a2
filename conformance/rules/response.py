"""The form of every response: its status, its content type, its JSON, and the properties of its envelope."""

from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import MISSING, Response
from conformance.http.retry import UNAVAILABLE, retry_after
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
    "limits/retry-after", "authentication/challenge",
    "envelope/data", "envelope/request-id",
    "error/object", "error/code", "error/request-id", "error/message", "error/title",
})  # fmt: skip
"""What these rules check."""


def examine(response: Response, statuses: frozenset[int]) -> Judgements:
    """Check what does not depend on the operation; stop where what follows would repeat the defect."""
    documented = response.status in statuses
    if response.status in UNAVAILABLE and not (documented and _is_own(response)):
        return  # It comes from a gateway in front of the target.
    yield hold("response/status", documented, lambda: _undocumented(response, statuses))
    if not documented:
        return
    if response.status == 429:
        yield _retry_after(response)
    if response.status == 401:
        yield _challenge(response)
    yield hold("response/content-type", _is_json(response), lambda: _other_type(response))
    if response.is_too_deep:
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
    ).at(STATUS_LINE)


def _is_own(response: Response) -> bool:
    """Whether the target itself responds; the error body of a gateway has neither `code` nor `requestId`."""
    parsed = response.json
    own = isinstance(parsed, dict) and not {"code", "requestId"}.isdisjoint(parsed)
    return own and _is_json(response)


def _is_json(response: Response) -> bool:
    value = response.header("content-type")
    return value is not None and value.split(";")[0].strip().lower() == "application/json"


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
    start = response.body[:200].decode("utf-8", "replace")
    return defect(
        Kind.BODY,
        "the body is not JSON: {start}",
        expected="one JSON value",
        actual=start,
        start=shown(start),
    ).at(body())


def _retry_after(response: Response) -> Judgement:
    value = response.header("retry-after")

    def otherwise() -> Defect:
        return defect(
            Kind.HEADER,
            "429 without Retry-After" if value is None else "429 with Retry-After {value}",
            expected="Retry-After with delay-seconds or an HTTP-date",
            actual=value,
            value=shown(value),
        ).at(header("retry-after"))

    return hold("limits/retry-after", retry_after(response) is not None, otherwise)


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
    found = defect(Kind.ABSENT, "{name} is absent", expected=f"{name}: a string", name=name)
    return found.on(name).at(body())


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
