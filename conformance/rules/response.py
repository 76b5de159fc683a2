"""The form of every answer: its status, its content type, its JSON, and the fields that every envelope has."""

from conformance.http.exchange import MISSING, Response
from conformance.http.retry import UNAVAILABLE, retry_after
from conformance.rules.judgement import Judgement, Judgements, hold, shown


def examine(response: Response, statuses: frozenset[int]) -> Judgements:
    """Judge what can be judged without knowing the operation; stop where what follows would only repeat the defect."""
    documented = response.status in statuses
    if response.status in UNAVAILABLE and not (documented and _is_own(response)):
        return  # A gateway in front of the target answers in its own words.
    yield hold(
        "response/status",
        documented,
        lambda: f"status {response.status}",
        f"one of {sorted(statuses)}",
    )
    if not documented:
        return
    if response.status == 429:
        yield _retry_after(response)
    if response.status == 401:
        named = response.header("www-authenticate") is not None
        yield hold(
            "authentication/challenge",
            named,
            lambda: "a 401 without WWW-Authenticate",
            "WWW-Authenticate",
        )
    yield hold(
        "response/content-type",
        _is_json(response),
        lambda: f"Content-Type {shown(response.header('content-type'))}",
        "application/json",
    )
    if response.is_too_deep:
        return  # It may be JSON: that we cannot read it is no fault of the target.
    parsed = response.json
    yield hold(
        "response/json",
        parsed is not MISSING,
        lambda: f"a body that is no JSON: {shown(response.body[:200])}",
        "one JSON value",
    )
    if parsed is not MISSING:
        yield from _success(parsed) if response.status == 200 else _error(parsed)


def _is_own(response: Response) -> bool:
    """Whether it is the target that says that it is away; gateways answer in JSON as well, but know nothing of its members."""
    return (
        _is_json(response)
        and isinstance(response.json, dict)
        and not {"code", "requestId"}.isdisjoint(response.json)
    )


def _is_json(response: Response) -> bool:
    value = response.header("content-type")
    return value is not None and value.split(";")[0].strip().lower() == "application/json"


def _retry_after(response: Response) -> Judgement:
    return hold(
        "limits/retry-after",
        retry_after(response) is not None,
        lambda: f"429 with Retry-After {shown(response.header('retry-after'))}",
        "Retry-After with delay-seconds or an HTTP-date",
    )


def _success(body: object) -> Judgements:
    is_object = isinstance(body, dict)
    members = body if isinstance(body, dict) else {}
    expected = "an object {data, requestId}"
    yield hold(
        "envelope/data",
        is_object and "data" in members,
        lambda: f"a success body without data: {shown(body)}",
        expected,
    )
    if is_object:
        yield _string(members, "requestId", "envelope/request-id", required=True)


def _error(body: object) -> Judgements:
    yield hold(
        "error/object",
        isinstance(body, dict),
        lambda: f"an error body that is no object: {shown(body)}",
        "an object",
    )
    if isinstance(body, dict):
        yield _string(body, "code", "error/code", required=True)
        yield _string(body, "requestId", "error/request-id", required=True)
        yield _string(body, "message", "error/message", required=False)
        yield _string(body, "title", "error/title", required=False)


def _string(
    members: dict[str, object], name: str, requirement: str, *, required: bool
) -> Judgement:
    if name not in members:
        return hold(requirement, not required, lambda: f"no {name}", f"{name}: a string")
    value = members[name]
    return hold(
        requirement,
        isinstance(value, str),
        lambda: f"{name} is {shown(value)}",
        f"{name}: a string",
    )
