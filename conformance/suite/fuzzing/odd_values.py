"""Values that few clients send, in the path and in the query: no service may fail for them."""

from collections.abc import Iterator
from urllib.parse import quote

from conformance.contract.openapi import Operation
from conformance.http.exchange import Call, Exchange
from conformance.http.outgoing import fill
from conformance.http.sending import Sending
from conformance.suite.lists.live import Live

NOT_UTF_8 = "%FF"
PATH_VALUES = {
    "U+0000 and an emoji": quote("a\0'🎬"),
    "invalid UTF-8": NOT_UTF_8,
    "2,000 characters": "a" * 2_000,
}
QUERY_VALUES = {
    "U+0000": "%00",
    "invalid UTF-8": NOT_UTF_8,
    "an empty value": "",
    "5,000 characters": "a" * 5_000,
}
"""Percent-encoded: some of them are no text."""
BODIES = (
    b"[" * 5_000 + b"]" * 5_000,
    b'{"expectedSubjectRevision": 1, "idempotencyKey": "k", "idempotencyKey": "k"}',
    b'{"expectedSubjectRevision": 1e999, "idempotencyKey": "k"}',
    b'{"expectedSubjectRevision": 1, "idempotencyKey": "\xff"}',
    b'\xef\xbb\xbf{"expectedSubjectRevision": 1, "idempotencyKey": "k"}',
    b'{"expectedSubjectRevision": 1, "idempotencyKey": "k", "__proto__": {"constructor": {}}}',
)
"""Odd JSON, invalid UTF-8, a byte order mark, and a name that means something to JavaScript:
parsers may reject them.
"""


def responses(operation: Operation, live: Live) -> list[Exchange]:
    """The responses to odd values of each argument, in addresses that primary is served at.

    No rule applies to them: a server in front of the target may respond. What a rule would have
    blamed is observed.
    """
    call, primary = live.call(operation), live.callers.credential("primary")
    addresses = live.session.share([*_addresses(operation, call, live)], operation.id)
    sendings = [
        Sending(primary, None, purpose, in_contract=False, url=url) for purpose, url in addresses
    ]
    return live.session.client.send_all([Call(operation.id)] * len(sendings), sendings)


def _addresses(operation: Operation, call: Call, live: Live) -> Iterator[tuple[str, str]]:
    """What is odd about each address, and the address."""
    base = live.session.target.base_url
    for parameter in call.path:
        for label, value in PATH_VALUES.items():
            path = operation.path.replace(f"{{{parameter}}}", value)
            yield f"{parameter}: {label}", f"{base}{path}"
    served = base + fill(operation.path, call.path)
    for name in live.session.roles(operation):
        for label, value in QUERY_VALUES.items():
            yield f"{name}: {label}", f"{served}?{quote(name)}={value}"
