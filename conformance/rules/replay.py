"""Replays of approvals: a rule on all that was sent, whichever check sent it.

An approval repeated with the same key and body, by the same caller, returns 200 with the same data.
That shows in the history of a run, or of recorded traffic, and in no exchange alone.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from conformance.contract import openapi
from conformance.contract.identifiers import alike, is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Defect, Inconclusive, Kind, defect
from conformance.http.exchange import MISSING, Exchange
from conformance.http.media_type import bare
from conformance.http.retry import is_transient
from conformance.rules import arguments, tool_call, tool_result
from conformance.rules.arguments import Fitness
from conformance.rules.judgement import STATUS_LINE, body, shown
from conformance.rules.records import of_contract
from conformance.rules.tool_call import ToolCall

OVER_HTTP = "approval/replay"
BY_TOOL = "tools/approval"
RESULT = "ReviewApproval"

OPEN = frozenset({401, 403, 404, 429})
"""Statuses that a replay may get for another reason.

The credential has expired, the review has moved out of reach, or the rate limit is exceeded.
"""
OPEN_IN_OTHER_CASE = frozenset({400, 422})
"""Statuses for an id that a target may take in the letter case alone in which it shows it."""

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
    requirement: str
    review: str
    body: tuple[int, str] | None
    data: Any = MISSING

    @property
    def caller(self) -> tuple[str | None, ...]:
        """Who has sent it, and by which scheme and interface."""
        return self.requirement, self.exchange.credential, self.exchange.scheme

    @property
    def subject(self) -> tuple[object, ...]:
        """What a replay has in common with the approval that it repeats."""
        return (*self.caller, self.review.lower(), self.body)

    @property
    def ends(self) -> float:
        """When nothing of it goes on; never where the target itself has not responded."""
        exchange = self.exchange
        return inf if is_transient(exchange) else exchange.started + exchange.elapsed

    def is_beside(self, other: "Attempt") -> bool:
        """Whether another attempt on the same review was under way at the same time."""
        is_same = other.review.lower() == self.review.lower()
        began, ended = self.exchange.started, self.exchange.started + self.exchange.elapsed
        return is_same and other.exchange.started < ended and other.ends > began


@dataclass(frozen=True)
class Replay:
    """A replay, the approval that it repeats, and what is wrong with its response, if anything."""

    attempt: Attempt
    approval: Attempt
    defect: Defect | None

    @property
    def is_in_other_case(self) -> bool:
        """Whether the id of the review has other letters: a target may compare them as they are."""
        return self.attempt.review != self.approval.review


def over_http(exchange: Exchange, approval: Operation, parameter: str) -> Attempt | None:
    """The attempt that an exchange over HTTP is; None for any other exchange.

    `parameter` is the path parameter with the review.
    """
    review = exchange.call.path.get(parameter)
    if exchange.operation != approval.id or review is None:
        return None
    response = exchange.response
    is_readable = exchange.status == 200 and response is not None
    parsed = response.json if is_readable and response else MISSING
    data = parsed.get("data", MISSING) if isinstance(parsed, dict) else MISSING
    return Attempt(exchange, OVER_HTTP, review, _body(exchange, review), data)


def by_tool(exchange: Exchange, approval: Operation, parameter: str) -> Attempt | None:
    """The attempt that a call of the approval's tool is; None for any other exchange."""
    call = tool_call.read(exchange)
    if call is None or call.tool != approval.id:
        return None
    document = {**call.arguments}
    review = document.pop(parameter, None)
    body = body_of(document)
    is_plain = body is not None and type(body[0]) is int and isinstance(body[1], str)
    data = _shown(exchange, call)
    return Attempt(exchange, BY_TOOL, str(review), body if is_plain else None, data)


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


def examine(attempts: Sequence[Attempt]) -> list[Replay]:
    """The replays among these attempts, each with an approval that had ended before it.

    A replay beside other attempts on its review says nothing: it may conflict with those. One with
    the id in another letter case says something where the target has served such a replay too.
    """
    found = list(_replays(sorted(attempts, key=_beginning)))
    served = {each.attempt.caller for each in found if each.is_in_other_case and not each.defect}
    return [each for each in found if not each.is_in_other_case or each.attempt.caller in served]


def _beginning(attempt: Attempt) -> tuple[float, str]:
    return attempt.exchange.started, attempt.exchange.id


def _replays(ordered: Sequence[Attempt]) -> Iterator[Replay]:
    approved: dict[tuple[object, ...], Attempt] = {}
    for attempt in ordered:
        if attempt.body is None:
            continue
        spelt, subject = (*attempt.subject, attempt.review), attempt.subject
        earlier = (approved[key] for key in (spelt, subject) if key in approved)
        ended = (each for each in earlier if each.ends <= attempt.exchange.started)
        approval = next(ended, None)
        if isinstance(attempt.data, dict):
            _note(approved, attempt, (spelt, subject))
        if approval is None or _is_open(attempt, approval) or _is_disturbed(attempt, ordered):
            continue
        yield Replay(attempt, approval, _defect(attempt, approval))


def _note(
    approved: dict[tuple[object, ...], Attempt],
    attempt: Attempt,
    keys: Iterable[tuple[object, ...]],
) -> None:
    """Keep the approval that ended first: later ones of the same kind are its replays."""
    for key in keys:
        if approved.setdefault(key, attempt).ends > attempt.ends:
            approved[key] = attempt


def is_late(exchange: Exchange, approval: Exchange) -> bool:
    """Whether a request begins so long after an approval that its key may be gone."""
    return exchange.started - approval.started - approval.elapsed > LONGEST_RETRY


def _is_open(attempt: Attempt, approval: Attempt) -> bool:
    """Whether the response to a replay may be about something else."""
    exchange = attempt.exchange
    response = exchange.response
    if response is None or response.is_unreadable or exchange.superseded or exchange.at_once:
        return True
    if is_late(exchange, approval.exchange):
        return True
    if exchange.status in OPEN_IN_OTHER_CASE and attempt.review != approval.review:
        return True
    if exchange.status != 200 and _is_spelt_otherwise(attempt, approval):
        return True
    if attempt.requirement == BY_TOOL and attempt.data is MISSING:
        return True  # an error result has no status: the review may be out of reach by now
    # What a success has to look like is for the rules on each response.
    is_malformed = attempt.data is not MISSING and not isinstance(attempt.data, dict)
    return exchange.status in OPEN or is_transient(exchange) or is_malformed


def _is_spelt_otherwise(attempt: Attempt, approval: Attempt) -> bool:
    """Whether the same JSON has other bytes: blanks may make a body too large, for example."""
    is_over_http = attempt.requirement == OVER_HTTP
    return is_over_http and attempt.exchange.call.body != approval.exchange.call.body


def _is_disturbed(attempt: Attempt, attempts: Sequence[Attempt]) -> bool:
    return any(attempt.is_beside(other) for other in attempts if other is not attempt)


def _defect(attempt: Attempt, approval: Attempt) -> Defect | None:
    if attempt.data is MISSING:
        return defect(
            Kind.STATUS,
            "the replay of an approval that had succeeded returned {response}",
            expected="200 with the same data",
            actual=attempt.exchange.status,
            response=attempt.exchange.describe(),
        ).at(STATUS_LINE)
    if is_same_result(attempt.data, approval.data):
        return None
    return defect(
        Kind.DIFFERENCE,
        "the replay of an approval returned another result: {result}",
        expected=shown(approval.data),
        actual=attempt.data,
        result=shown(attempt.data),
    ).at(body("data"))
