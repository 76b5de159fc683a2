"""Requests to send: from a call to the bytes of its headers, and to what may be written of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import quote, urlencode

import httpx

from conformance import __version__
from conformance.contract.openapi import Contract
from conformance.http import content_coding, secrecy
from conformance.http.exchange import Call, Request
from conformance.http.redaction import CUT, Redactor
from conformance.http.sending import Sending
from conformance.http.trace import Trace
from conformance.target.connection import Gateway
from conformance.target.token import Token

TIMEOUT = {"connect": 5.0, "read": 15.0, "write": 15.0, "pool": 15.0, "whole": 60.0}
"""Seconds for the steps of an exchange, and for all of it."""

CODINGS = ", ".join(content_coding.CODINGS)
HEADERS = (
    ("accept", "application/json"),
    ("accept-encoding", CODINGS),  # without it, any coding would be welcome
    ("user-agent", f"localization-api-conformance/{__version__}"),
)

LONGEST_LINE = 65_536
"""Characters of a URL or a header that is sent: a target may have made it up."""

LONGEST_BEGINNING = 2_000
STEPS = (".", "..")
"""Segments of a path that stand for another one (RFC 3986, 5.2.4); httpx resolves them."""
TOO_LONG = f"a URL or a header of more than {LONGEST_LINE} characters"

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Outgoing:
    """A request: what is sent, and what is recorded of it, with `$VARIABLES` for secrets.

    `problem` is the reason why nothing can be sent: a target may return a cursor that fits in no
    URL.
    """

    recorded: Request
    request: httpx.Request | None = None
    problem: Exception | None = None


@dataclass(frozen=True)
class Requests:
    """Makes requests to one target."""

    base_url: str
    contract: Contract
    redactor: Redactor
    trace: Trace | None = None
    gateway: Gateway = field(default_factory=Gateway)

    def make(self, call: Call, sending: Sending, scheme: str | None, id: str) -> Outgoing:
        """The request of a call; `id` names the exchange."""
        method, url = self._line(call, sending)
        headers = _headers(call, sending)
        if self.trace is not None:
            headers = (*headers, *self.trace.headers(id))
        secret, public = self._authorization(sending, scheme)
        chunked: Headers = ()
        content: bytes | Iterator[bytes] | None = call.body
        if sending.stream and call.body is not None:
            content, chunked = iter([call.body]), (("transfer-encoding", "chunked"),)
        shown = (*self.redactor.headers(headers), *public, *chunked)
        recorded = Request(method, self.redactor.text(_short(url)), shown, call.body)
        if len(url) > LONGEST_LINE or any(len(value) > LONGEST_LINE for _, value in headers):
            return Outgoing(_beginning(recorded), problem=httpx.InvalidURL(TOO_LONG))
        try:
            request = httpx.Request(
                method,
                _parsed(url),
                headers=_encoded((*headers, *secret, *self._further(url))),
                content=content,
                extensions={"timeout": self._timeout, "exchange": id, "fresh": sending.fresh},
            )
        except (httpx.InvalidURL, UnicodeError) as problem:
            return Outgoing(recorded, problem=problem)
        return Outgoing(recorded, request)

    def _line(self, call: Call, sending: Sending) -> tuple[str, str]:
        """The method and the URL of a call."""
        if sending.url is not None:
            return sending.method or "GET", sending.url
        operation = self.contract.operations[call.operation]
        url = self.base_url + fill(operation.path, call.path)
        # A target may return a cursor that no encoding can carry.
        query = urlencode(call.query, errors="replace")
        return sending.method or operation.method, f"{url}?{query}" if call.query else url

    def _authorization(self, sending: Sending, scheme: str | None) -> tuple[Headers, Headers]:
        """The header with the credential, and the same header as it is recorded."""
        credential = sending.credential
        if credential is None or scheme is None:
            return (), ()
        secret, variable = credential.secret(scheme), credential.variable(scheme)
        if credential.token(scheme) is not None:
            self._hide(secret, variable)
        return (authorization(scheme, secret),), (authorization(scheme, variable),)

    def _further(self, url: str) -> Headers:
        """The headers that a gateway asks for: no record of a request has them."""
        further = self.gateway.headers(url)
        pairs = tuple((each.name, each.value) for each in further)
        for each, (_, value) in zip(further, pairs, strict=True):
            if isinstance(each.secret, Token):
                self._hide(value, each.variable)
        return pairs

    def _hide(self, secret: str, variable: str) -> None:
        """Redact what a command has printed."""
        self.redactor.add(secret, variable)
        secrecy.protect({secret: variable})

    @property
    def _timeout(self) -> dict[str, float]:
        """The seconds for the steps of an exchange, as far as the profile states them."""
        stated = self.gateway.connection
        connect = stated.connect_timeout or TIMEOUT["connect"]
        response = stated.response_timeout or TIMEOUT["read"]
        whole = max(TIMEOUT["whole"], connect + response)
        return {**TIMEOUT, "connect": connect, "read": response, "whole": whole}


def _beginning(request: Request) -> Request:
    """A request with the beginnings of its URL and of its headers."""
    headers = tuple((name, _short(value)) for name, value in request.headers)
    return Request(request.method, _short(request.url), headers, request.body)


def _short(text: str) -> str:
    """A text, or its beginning where it is too long to be sent."""
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_BEGINNING]}{CUT}"


def _headers(call: Call, sending: Sending) -> Headers:
    """The headers of a call without its credential."""
    stated = {name for name, _ in sending.headers} | sending.left_out
    defaults = tuple((name, value) for name, value in HEADERS if name not in stated)
    headers = (*defaults, *sending.headers)
    if call.body is None or call.content_type is None:
        return headers
    return (*headers, ("content-type", call.content_type))


def _encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    # Secrets and probes may hold any octet of a header's value; as text, httpx takes ASCII alone.
    return [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers]


@lru_cache(maxsize=2048)  # the URLs of a quick run, which the self-test sends again and again
def _parsed(url: str) -> httpx.URL:
    # Parsing a URL takes as long as all the rest of a request, and most of them recur.
    return httpx.URL(url)


def fill(path: str, values: Mapping[str, str]) -> str:
    """A path template with its parameters, each percent-encoded as one segment.

    So are dots that would be a step up: no id of a target makes another path of it.
    """
    return path.format_map({name: _segment(value) for name, value in values.items()})


def _segment(value: str) -> str:
    if value in STEPS:
        return value.replace(".", "%2E")
    return quote(value, safe="", errors="replace")


def authorization(scheme: str, secret: str) -> tuple[str, str]:
    """The header that carries a credential (Authentication)."""
    return ("x-api-key", secret) if scheme == "api-key" else ("authorization", f"Bearer {secret}")
