"""The length of a page, against the limit that was asked for (Limits)."""

from conformance.http.exchange import Exchange
from conformance.rules import arguments
from conformance.rules.arguments import Fitness
from conformance.rules.judgement import Judgements, hold


def examine(exchange: Exchange) -> Judgements:
    """Judge a page that was asked for with one valid limit; one that is not even full shows nothing."""
    limits = [value for name, value in exchange.call.query if name == "limit"]
    if len(limits) != 1 or arguments.limit(limits[0]) is not Fitness.VALID:
        return
    most, found = int(limits[0]), len(exchange.items)
    if found >= most:
        yield hold(
            "pagination/limit",
            found == most,
            lambda: f"{found} items with limit {most}",
            f"{most} items at most",
        )
