"""The rules: requirements on every exchange of a run, regardless of the check that sent it.

A rule is a pure function of one exchange and the contract; those on callers are in `client`.
"""

from conformance.contract.openapi import Contract
from conformance.http.exchange import MISSING, Exchange
from conformance.rules import arguments, client, page, record, response, statements
from conformance.rules.judgement import Judgements

REQUIREMENTS = {
    "response": response.REQUIREMENTS,
    "record": record.REQUIREMENTS,
    "statements": statements.REQUIREMENTS,
    "page": page.REQUIREMENTS,
    "arguments": arguments.REQUIREMENTS,
    "client": client.REQUIREMENTS,
}
"""The requirements that the rules of each module check."""

UNSUPPORTED_MEDIA_TYPE = 415
NOT_MODIFIED = 304
GONE = 410
URI_TOO_LONG = 414
LONG_ADDRESS = 1_000
"""Characters of an address, several times as many as valid arguments take."""
CONDITIONS = frozenset({"if-none-match", "if-modified-since"})


def examine(exchange: Exchange, contract: Contract) -> Judgements:
    """Check the form of a response and of the records in it; `arguments.examine` is separate."""
    if exchange.response is None or is_unmodified(exchange):
        return
    if _lacks_media_type(exchange, contract) or _may_have_aged(exchange, contract):
        return
    if is_too_long(exchange):
        return
    yield from response.examine(exchange.response, contract.statuses)
    if exchange.response.is_unreadable:
        return
    if exchange.status == 200 and exchange.data is not MISSING:
        operation = contract.operation(exchange.operation)
        yield from record.examine(exchange.data, operation, contract)
        yield from statements.examine(exchange.data, operation)
        yield from page.examine(exchange)


def is_unmodified(exchange: Exchange) -> bool:
    """Whether 304 responds to a conditional request, about which the specification is silent."""
    has_condition = any(name in CONDITIONS for name, _ in exchange.request.headers)
    return exchange.status == NOT_MODIFIED and has_condition


def is_too_long(exchange: Exchange) -> bool:
    """Whether 414 responds to a long address, about which the specification is silent."""
    return exchange.status == URI_TOO_LONG and len(exchange.request.url) > LONG_ADDRESS


def _lacks_media_type(exchange: Exchange, contract: Contract) -> bool:
    """Whether 415 responds to a request without the body, and so without the media type, it needs.

    The specification is silent about other media types.
    """
    has_type = any(name == "content-type" for name, _ in exchange.request.headers)
    takes_body = contract.operation(exchange.operation).body_schema is not None
    return exchange.status == UNSUPPORTED_MEDIA_TYPE and takes_body and not has_type


def _may_have_aged(exchange: Exchange, contract: Contract) -> bool:
    """Whether 410 responds to a request for a page with more than a limit, such as a cursor.

    The specification is silent about how long a cursor lives.
    """
    is_page = contract.operation(exchange.operation).is_list
    names = {name for name, _ in exchange.call.query}
    return exchange.status == GONE and is_page and bool(names - {"limit"})
