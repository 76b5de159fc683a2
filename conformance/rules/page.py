"""The length of a page, compared with the requested limit, or with the default (Limits)."""

from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import Exchange
from conformance.rules import arguments
from conformance.rules.arguments import Fitness
from conformance.rules.judgement import Judgement, Judgements, body, hold

REQUIREMENTS = frozenset({"pagination/limit"})
"""What these rules check; of pagination/default-limit they see a part."""
DEFAULTS = {"project_list": 25}
"""The default limits that the specification states."""


def examine(exchange: Exchange) -> Judgements:
    """Check a page that was requested with one valid limit, unless it is shorter."""
    # In brackets it may be the same parameter: then it has two values, of which none has to count.
    names = ("limit", "limit[]")
    limits = [value for name, value in exchange.call.query if name in names]
    default = DEFAULTS.get(exchange.call.operation)
    # Another parameter may carry a limit, as a cursor does, and so may a body.
    is_plain = not exchange.call.query and exchange.call.body is None
    if default is not None and is_plain and len(exchange.items) > default:
        beyond = _beyond_default(len(exchange.items), default).at(body("data", "items"))
        yield Judgement("pagination/default-limit", beyond)
    if len(limits) != 1 or arguments.limit(limits[0]) is not Fitness.VALID:
        return
    limit, length = int(limits[0]), len(exchange.items)
    if length >= limit:
        where = body("data", "items")
        yield hold("pagination/limit", length == limit, lambda: too_long(length, limit).at(where))


def _beyond_default(length: int, default: int) -> Defect:
    return defect(
        Kind.COUNT,
        "{length} items without a limit",
        expected=f"at most {default} items",
        actual=length,
        length=length,
    )


def too_long(length: int, limit: int) -> Defect:
    """The defect of a page with more items than its limit, wherever it shows."""
    return defect(
        Kind.COUNT,
        "{length} items with limit={limit}",
        expected=f"at most {limit} {'item' if limit == 1 else 'items'}",
        actual=length,
        length=length,
        limit=limit,
    )
