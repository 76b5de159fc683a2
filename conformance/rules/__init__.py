"""What every exchange of a run is held to, whichever check caused it."""

from conformance.contract.openapi import Contract
from conformance.http.exchange import MISSING, Exchange
from conformance.rules import page, record, response
from conformance.rules.judgement import Judgements

UNSUPPORTED_MEDIA_TYPE = 415


def examine(exchange: Exchange, contract: Contract) -> Judgements:
    """Judge the form of an answer, and of the records that it carries."""
    if exchange.response is None or _is_about_the_medium(exchange, contract):
        return
    yield from response.examine(exchange.response, contract.statuses)
    if exchange.status == 200 and exchange.data is not MISSING:
        yield from record.examine(exchange.data, contract.operation(exchange.operation), contract)
        yield from page.examine(exchange)


def _is_about_the_medium(exchange: Exchange, contract: Contract) -> bool:
    """Whether a request that has no body, and so no media type, where one belongs is refused for that: other media types are open."""
    typed = any(name == "content-type" for name, _ in exchange.request.headers)
    takes_body = contract.operation(exchange.operation).body_schema is not None
    return exchange.status == UNSUPPORTED_MEDIA_TYPE and takes_body and not typed
