"""Attempts to approve a review, by either interface: what was sent, and what came of it."""

import json
from dataclasses import dataclass
from math import inf
from typing import Any

from conformance.contract import openapi
from conformance.contract.identifiers import alike, is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import MISSING, Exchange
from conformance.http.media_type import bare
from conformance.http.retry import is_transient
from conformance.rules import arguments, tool_call, tool_result
from conformance.rules.arguments import Fitness
from conformance.rules.records import of_contract
from conformance.rules.tool_call import ToolCall

HTTP, TOOL = "http", "tool"
RESULT = "ReviewApproval"

LONGEST_RETRY = 60.0
"""Seconds after an approval in which a replay returns its result.

The specification does not say how long a target stores a key: later, any response is allowed.
"""


@dataclass(frozen=True)
class Attempt:
    """A request to approve a review, and its outcome.

    `review` is the id as it was sent. `body` is the revision and the key; None where the request
    has more, or less, in it than the contract says. `data` is the result, MISSING without one.
    """

    exchange: Exchange
    face: str
    review: str
    body: tuple[int, str] | None
    data: Any = MISSING

    @property
    def caller(self) -> tuple[str | None, ...]:
        """Who has sent it, and by which scheme and interface."""
        return self.face, self.exchange.credential, self.exchange.scheme

    @property
    def subject(self) -> tuple[object, ...]:
        """What a replay has in common with the approval that it repeats."""
        return (*self.caller, self.review.lower(), self.body)

    @property
    def key(self) -> str | None:
        """Its idempotency key; None where it is not known."""
        return self.body and self.body[1]

    @property
    def has_result(self) -> bool:
        """Whether it has succeeded."""
        return isinstance(self.data, dict)

    @property
    def began(self) -> float:
        """When it was sent, in seconds."""
        return self.exchange.started

    @property
    def ends(self) -> float:
        """When nothing of it goes on; never where the target itself has not responded."""
        exchange = self.exchange
        return inf if is_transient(exchange) else exchange.started + exchange.elapsed

    def is_of_same_review(self, other: "Attempt") -> bool:
        """Whether another attempt is on the same review."""
        return other.review.lower() == self.review.lower()

    def overlaps(self, other: "Attempt") -> bool:
        """Whether another attempt was under way at the same time; nothing waits for this one."""
        ended = self.began + self.exchange.elapsed
        return other.began < ended and other.ends > self.began


def read(exchange: Exchange, approval: Operation, parameter: str) -> Attempt | None:
    """The attempt that an exchange of either interface is; None for any other exchange.

    `parameter` is the path parameter with the review.
    """
    return _by_tool(exchange, approval, parameter) or _over_http(exchange, approval, parameter)


def _over_http(exchange: Exchange, approval: Operation, parameter: str) -> Attempt | None:
    review = exchange.call.path.get(parameter)
    if exchange.operation != approval.id or review is None:
        return None
    response = exchange.response
    is_readable = exchange.status == 200 and response is not None
    parsed = response.json if is_readable and response else MISSING
    data = parsed.get("data", MISSING) if isinstance(parsed, dict) else MISSING
    return Attempt(exchange, HTTP, review, _body(exchange, review), data)


def _by_tool(exchange: Exchange, approval: Operation, parameter: str) -> Attempt | None:
    call = tool_call.read(exchange)
    if call is None or call.tool != approval.id:
        return None
    document = {**call.arguments}
    review = document.pop(parameter, None)
    body = body_of(document)
    is_plain = body is not None and type(body[0]) is int and isinstance(body[1], str)
    data = _shown(exchange, call)
    return Attempt(exchange, TOOL, str(review), body if is_plain else None, data)


def _shown(exchange: Exchange, call: ToolCall) -> Any:
    """The result of a call; None where nobody can tell what the interface has responded."""
    try:
        result = tool_result.read(exchange, call.number)
    except Inconclusive:
        return None
    return result.data if result.is_served else MISSING


def is_same_result(one: Any, other: Any) -> bool:
    """Whether two results of approvals agree in what the contract names: the rest may differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        one, other = (of_contract(openapi.load(), RESULT, each) for each in (one, other))
    return alike(one, other)


def _body(exchange: Exchange, review: str) -> tuple[int, str] | None:
    types = [bare(value) for name, value in exchange.request.headers if name == "content-type"]
    is_plain = exchange.in_contract and exchange.judge_arguments and not exchange.call.query
    if not is_plain or types != ["application/json"] or not is_uuid(review):
        return None
    if arguments.body(exchange.call) is not Fitness.VALID:
        return None
    return body_of(json.loads(exchange.call.body or b""))


def body_of(document: dict[str, Any]) -> tuple[int, str] | None:
    """The revision and the key; None where the document has other properties as well."""
    if document.keys() != {arguments.REVISION, arguments.KEY}:
        return None
    return document[arguments.REVISION], document[arguments.KEY]


def is_late(exchange: Exchange, approval: Exchange) -> bool:
    """Whether a request begins so long after an approval that its key may be gone."""
    return exchange.started - approval.started - approval.elapsed > LONGEST_RETRY
