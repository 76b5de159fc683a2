"""The arguments of single requests (Endpoints, Limits, States and transitions)."""

from collections.abc import Iterator
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import MISSING
from conformance.http.media_type import bare
from conformance.rules import arguments
from conformance.rules.answer import HTTP
from conformance.rules.arguments import KEY, REVISION, Fitness
from conformance.rules.client.asked import ID, Argument, Asked
from conformance.rules.client.recording import Recording, ruling
from conformance.rules.judgement import shown
from conformance.rules.ruling import Rulings

IDENTIFIERS, LIMIT = "client/identifiers", "client/limit"
MEDIA_TYPE, BODY, GUARD = "client/media-type", "client/body", "client/guard"
REQUIREMENTS = frozenset({IDENTIFIERS, LIMIT, MEDIA_TYPE, BODY, GUARD})

JSON = "application/json"


def examine(recording: Recording) -> Rulings:
    """What single requests show of their arguments."""
    for call in recording.calls:
        exchange = call.exchange
        for argument in call.arguments:
            for requirement, otherwise in _argument(call, argument):
                yield ruling(requirement, exchange, otherwise=otherwise)
        if call.face == HTTP and exchange.request.body:
            yield ruling(MEDIA_TYPE, exchange, otherwise=_other_type(call))
        if call.operation.writes:
            yield ruling(BODY, exchange, otherwise=_malformed(call.body))
            yield ruling(GUARD, exchange, otherwise=_unguarded(call.body))


def _argument(call: Asked, argument: Argument) -> Iterator[tuple[str, Defect | None]]:
    """What one argument shows; nothing where the contract leaves open what it means."""
    value = str(argument.value)
    if not value:  # many servers treat an empty value as a missing one
        return
    if argument.role == ID or argument.role in call.operation.filters:
        yield IDENTIFIERS, None if is_uuid(value) else _misfit(argument, "a UUID")
    if argument.role == "limit" and (fitness := arguments.limit(value)) is not Fitness.OPEN:
        is_valid = fitness is Fitness.VALID
        yield LIMIT, None if is_valid else _misfit(argument, "an integer from 1 to 100")


def _misfit(argument: Argument, expected: str) -> Defect:
    return defect(
        Kind.VALUE,
        "the {name} is {value}",
        expected=expected,
        actual=argument.value,
        name=argument.name,
        value=shown(argument.value),
    )


def _other_type(call: Asked) -> Defect | None:
    types = [value for name, value in call.exchange.request.headers if name == "content-type"]
    if [bare(each) for each in types] == [JSON]:
        return None
    return defect(
        Kind.HEADER,
        "the body has {type}",
        expected=JSON,
        type=f"the media type {shown(', '.join(types))}" if types else "no media type",
    )


def _malformed(body: Any) -> Defect | None:
    """What is wrong with the properties that an approval has; those that it lacks are another's."""
    if not isinstance(body, dict):
        what = "is not JSON" if body is MISSING else f"is {shown(body)}"
        return defect(Kind.BODY, "the body {what}", expected="a JSON object", what=what)
    revision, key = body.get(REVISION, 0), body.get(KEY, "")
    is_integral = isinstance(revision, float) and revision.is_integer()
    if isinstance(revision, bool) or not (isinstance(revision, int) or is_integral):
        return _wrong(REVISION, revision, "an integer")
    return None if isinstance(key, str) else _wrong(KEY, key, "a string")


def _wrong(name: str, value: Any, expected: str) -> Defect:
    text = "the property {name} is {value}"
    return defect(
        Kind.VALUE, text, expected=expected, actual=value, name=name, value=shown(value)
    ).on(name)


def _unguarded(body: Any) -> Defect | None:
    missing = [name for name in (REVISION, KEY) if not isinstance(body, dict) or name not in body]
    if not missing:
        return None
    text = "the request has no {names}"
    expected = f"{REVISION} and {KEY}"
    return defect(Kind.ABSENT, text, expected=expected, names=" and no ".join(missing)).on(*missing)
