"""Tool calls as attempts to approve a review, for the rule on replays."""

from typing import Any

from conformance.contract import api
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import MISSING, Exchange, parse
from conformance.rules import replay
from conformance.rules.replay import Attempt
from conformance.suite.tools.results import tool_result


def attempt_by_tool(exchange: Exchange) -> Attempt | None:
    """The attempt that a call of the approval's tool is; None for any other exchange."""
    message = parse(exchange.request.body or b"")[0]
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return None
    params: Any = message.get("params")
    given = params.get("arguments") if isinstance(params, dict) else None
    known = api.load()
    if not isinstance(given, dict) or params.get("name") != known.approval.id:
        return None
    review, rest = given.get(known.approved_id), {**given}
    rest.pop(known.approved_id, None)
    body = replay.body_of(rest)
    is_plain = body is not None and type(body[0]) is int and isinstance(body[1], str)
    data = _data(exchange, message.get("id"))
    return Attempt(exchange, replay.BY_TOOL, str(review), body if is_plain else None, data)


def _data(exchange: Exchange, number: Any) -> Any:
    """The result of a call; None where nobody can tell what the interface has responded."""
    try:
        result = tool_result(exchange, number)
    except Inconclusive:
        return None
    return result.data if result.is_served else MISSING
