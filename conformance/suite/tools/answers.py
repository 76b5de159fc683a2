"""What a tool answers: the message that belongs to a request, and what it came to."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import MISSING, Exchange, parse
from conformance.suite.callers import expect

FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
REDIRECTED = frozenset({307, 308})
"""Statuses that ask for the same request at another place."""
FAILURES = frozenset({0, *range(-32700, -32599)})
"""Codes that JSON-RPC keeps for what is wrong with a request or its answer, and that of many a crash; who is refused is told by others."""
MEMBERS = frozenset({"data", "code"})
"""What tells an envelope, or an error body, from other JSON."""


@dataclass(frozen=True)
class Answer:
    """What a tool call came to: `data` of the operation (or MISSING), and whether it was refused, in which words."""

    exchange: Exchange
    data: Any
    refused: bool
    told: str


def reply(exchange: Exchange, number: int) -> dict[str, Any]:
    """The JSON-RPC message that answers a request, out of a JSON body or an event stream; empty where there is none."""
    for message in _messages(exchange):
        # A server may ask in the same stream, under ids of its own.
        if isinstance(message, dict) and (
            (message.get("id") == number and "result" in message) or "error" in message
        ):
            return message
    return {}


def is_failure(exchange: Exchange, message: Mapping[str, Any]) -> bool:
    """Whether the answer to a request that nobody may refuse is a failure: a 500 that stays, JSON-RPC's own errors, another result."""
    error = message.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return (
        exchange.status == 500
        or code in FAILURES
        or (exchange.status == 200 and isinstance(message.get("result"), dict))
    )


def _messages(exchange: Exchange) -> Iterator[Any]:
    if exchange.response is None:
        return
    kind = (exchange.response.header("content-type") or "").split(";")[0].strip().lower()
    if kind != "text/event-stream":
        yield exchange.json
        return
    for event in (
        exchange.response.body.decode("utf-8", "replace")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .split("\n\n")
    ):
        yield parse(
            "\n".join(
                line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:")
            )
        )[0]


def elsewhere(exchange: Exchange, url: str) -> str | None:
    """Where a request is to be sent instead, on the same host: routers add a slash so. A credential goes to no other host."""
    location = (
        exchange.response.header("location")
        if exchange.response and exchange.status in REDIRECTED
        else None
    )
    with suppress(ValueError):  # a location may be of any form
        found = urljoin(url, location) if location else None
        return found if found and urlsplit(found)[:2] == urlsplit(url)[:2] else None
    return None


def offered(message: Mapping[str, Any], asked: str) -> str | None:
    """The latest of the versions that a target names where it refuses the one that was asked for, instead of answering with its own."""
    error = message.get("error")
    data = error.get("data") if isinstance(error, dict) else None
    supported = data.get("supported") if isinstance(data, dict) else None
    known = (
        [version for version in supported if isinstance(version, str)]
        if isinstance(supported, list)
        else []
    )
    return max((version for version in known if version < asked), default=None)


def read(exchange: Exchange, number: int) -> Answer:
    """What a tool call came to. A refusal is an HTTP error, a JSON-RPC error, or a result that is marked as an error."""
    if exchange.response is None or exchange.response.status in {429, 502, 503, 504}:
        expect.clear(exchange)
    message = reply(exchange, number)
    result = message.get("result")
    if isinstance(result, dict) and exchange.status == 200:
        content = _content(result)
        if result.get("isError") is True:
            return Answer(exchange, MISSING, refused=True, told=f"isError {_code(content)}")
        return Answer(exchange, _data(content), refused=False, told="a result")
    error = message.get("error")
    told = f"JSON-RPC error {error.get('code')}" if isinstance(error, dict) else exchange.describe()
    refused = isinstance(error, dict) or exchange.status in range(400, 500)
    return Answer(exchange, MISSING, refused=refused, told=told)


def _content(result: Mapping[str, Any]) -> Any:
    """What a result carries: the first envelope or error body in it; where there is none, its structured content or the JSON in a text."""
    found = [
        each
        for each in (_unwrapped(result.get("structuredContent")), *map(_parsed, _texts(result)))
        if each is not MISSING
    ]
    objects = [each for each in found if isinstance(each, dict)]
    named = [each for each in objects if not MEMBERS.isdisjoint(each)]
    return next(iter((*named, *objects, *found)), MISSING)


def _texts(result: Mapping[str, Any]) -> Iterator[Any]:
    """The texts of a result, and those of the resources that are embedded in it."""
    for part in _listed(result, "content"):
        holder = (
            part.get("resource")
            if isinstance(part, dict) and part.get("type") == "resource"
            else part
        )
        if isinstance(holder, dict) and (holder is not part or part.get("type") == "text"):
            yield holder.get("text")


def _unwrapped(structured: Any) -> Any:
    """Structured content; what a server puts around the result of a function, which has to be an object there, is none of it."""
    if not isinstance(structured, dict):
        return MISSING
    ((name, inner),) = structured.items() if len(structured) == 1 else (("", None),)
    inner = _parsed(inner)
    return inner if name == "result" or (isinstance(inner, dict) and name != "data") else structured


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    fenced = FENCED.fullmatch(value)  # as a model is shown code
    return parse(fenced[1] if fenced else value)[0]


def _listed(result: Mapping[str, Any], member: str) -> list[Any]:
    found = result.get(member)
    return found if isinstance(found, list) else []


def _data(content: Any) -> Any:
    """`data` of an envelope; a result that is no envelope is the data itself."""
    return content["data"] if isinstance(content, dict) and "data" in content else content


def _code(content: Any) -> str:
    return str(content.get("code", "")) if isinstance(content, dict) else ""


def served(answer: Answer) -> Any:
    """The data of an answer that is no refusal; Violation otherwise."""
    if answer.refused or answer.data is MISSING:
        raise Violation(
            defect(
                Kind.UNSORTED,
                f"{answer.exchange.purpose}: {answer.told}",
                expected="the data of the operation",
            ),
            exchanges=[answer.exchange.id],
        )
    return answer.data


def refused(answer: Answer) -> None:
    """Violation unless the call was refused."""
    if not answer.refused:
        raise Violation(
            defect(
                Kind.UNSORTED, f"{answer.exchange.purpose}: {answer.told}", expected="a refusal"
            ),
            exchanges=[answer.exchange.id],
        )


def controlled(answer: Answer) -> None:
    """Inconclusive unless the call was served, so that a refusal of another one means something."""
    if answer.refused or answer.data is MISSING:
        raise Inconclusive(
            f"the control by tool is answered {answer.told}",
            needs=("tools.url",),
            exchanges=[answer.exchange.id],
        )
