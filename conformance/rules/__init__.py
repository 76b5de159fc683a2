"""What every exchange of a run is held to, whichever check caused it."""

from conformance.exchange import MISSING, Exchange
from conformance.openapi import Contract
from conformance.rules import page, record, response
from conformance.rules.judgement import Judgements


def examine(exchange: Exchange, contract: Contract) -> Judgements:
    """Judge the form of an answer, and of the records that it carries."""
    if exchange.response is None:
        return
    yield from response.examine(exchange.response, contract.statuses)
    if exchange.status == 200 and exchange.data is not MISSING:
        yield from record.examine(exchange.data, contract.operation(exchange.operation), contract)
        yield from page.examine(exchange)
