"""The connection to a tool interface: JSON-RPC over streamable HTTP.

Two generations of the Model Context Protocol are supported: with a handshake (up to 2025-11-25),
and with all context in each request (2026-07-28). Responses are JSON or an event stream.
"""

import json
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance import __version__
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.json_rpc import older_version, redirect_target, response_to
from conformance.http.sending import Sending
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.suite.callers import expect
from conformance.target.forged import NEAR_MISS
from conformance.target.target import Credential

HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
CLIENT = {"name": "localization-api-conformance", "version": __version__}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
MOST_ITEMS = 2_000_000
MOST_MESSAGES = 1_000
"""What keeps the numbers of the requests of different items apart, within 32 bits."""
LONGEST_VERSION = 100
"""Characters of a protocol version: each request repeats it."""

ENDED = frozenset({400, 404})
"""Statuses for a session that has ended: 404 by the protocol, or 400 as for an unknown session."""


@dataclass(frozen=True)
class Message:
    """A JSON-RPC request with its parameters, or a notification without parameters.

    `schema` is the input schema of the called tool: it may ask for arguments in headers as well.
    """

    method: str
    params: dict[str, Any] | None
    purpose: str
    operation: str = "tools"
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Caller:
    """A credential and the scheme by which it is sent; `beside` are headers of further ones."""

    credential: Credential | None
    scheme: str | None
    beside: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, credential: Credential | None, scheme: str | None = None) -> "Caller":
        """A caller, by the first scheme of its credential unless one is named."""
        if credential is not None and scheme is None:
            scheme = credential.schemes[0]
        return cls(credential, scheme)


@dataclass(frozen=True)
class Connection:
    """The protocol version and, if the target has sessions, the session of one caller.

    `rejection` is the response to a handshake that was rejected. `greeted` is true where the
    handshake succeeded. `redirected` is the address that the target has redirected to.
    """

    version: str
    session: str | None = None
    rejection: Exchange | None = None
    greeted: bool = False
    redirected: str | None = None

    def has_ended(self, exchange: Exchange) -> bool:
        """Whether a response states that the session has ended."""
        return exchange.status in ENDED and self.session is not None


@dataclass(frozen=True)
class Reply:
    """The response to a request, and the number of the request."""

    exchange: Exchange
    number: int


@dataclass
class Channel:
    """Sends the messages of an item to one tool interface.

    Handshakes are made once for each caller that its name identifies.
    """

    session: Context
    _connections: dict[Caller, Connection] = field(default_factory=dict)
    _redirected: str | None = None

    def __post_init__(self) -> None:
        self._number = _first_number(self.session.item)

    @property
    def url(self) -> str:
        """The address of the tool interface, after redirects; Inconclusive if it is unknown."""
        url = self._redirected or self.session.target.tools_url
        if url is None:
            raise Inconclusive("the URL of the tool interface is unknown", needs=("tools.url",))
        return url

    def send(self, message: Message, caller: Caller) -> Reply:
        """Send a request; repeat it in a new session if its session has ended."""
        reply = self._sent(message, caller)
        if self._connection(caller).has_ended(reply.exchange):
            with self._renewing:
                self._connections[caller] = self._connect(caller)
                reply = self._sent(message, caller)
        return reply

    @property
    def _renewing(self) -> threading.Lock:
        """Held by one item of the run at a time: a new session may end that of another item."""
        return self.session.fact(fact_name("sessions", "renewing"), lambda _: threading.Lock())

    def send_as_guest(self, message: Message, caller: Caller, host: Caller) -> Reply | None:
        """Send a request of a caller as if the handshake of another one had been its own.

        It has the protocol version and the session of `host`. None where that is as before: without
        a session, for a caller whose own handshake succeeded.
        """
        connection = self._connection(host)
        is_own = connection.session is None and self._connection(caller).rejection is None
        if connection.rejection is not None or is_own:
            return None
        return self._post(message, caller, connection)

    def has_greeted(self, caller: Caller) -> bool:
        """Whether the handshake of a caller succeeded."""
        return self._connection(caller).greeted

    def request_beside(self, message: Message, caller: Caller) -> tuple[Call, Sending, int]:
        """A request for the moment of others, and its number; Inconclusive without a handshake."""
        connection = self._connection(caller)
        if connection.rejection is not None:
            expect.served(connection.rejection)
        call, sending = self._request(message, caller, connection)
        return call, sending, self._number

    def send_all(self, messages: Sequence[Message], caller: Caller) -> list[Reply]:
        """Send many requests concurrently, as far as the transport allows."""
        connection = self._connection(caller)
        first = self._number + 1
        requests = [self._request(message, caller, connection) for message in messages]
        exchanges = self.session.client.send_all(
            [call for call, _ in requests], [sending for _, sending in requests]
        )
        return [
            self.send(message, caller)
            if connection.has_ended(exchange)
            else Reply(exchange, first + index)
            for index, (message, exchange) in enumerate(zip(messages, exchanges, strict=True))
        ]

    def send_together(
        self, requests: Sequence[tuple[Message, Caller]], host: Caller
    ) -> list[Reply]:
        """Send requests of several callers in the same moment.

        A caller whose handshake was rejected sends as `host` does, unless a session is needed.
        """
        connections = [self._connection_beside(caller, host) for _, caller in requests]
        made = [
            (*self._request(message, caller, connection), self._number)
            for (message, caller), connection in zip(requests, connections, strict=True)
            if connection.rejection is None
        ]
        exchanges = iter(
            self.session.client.send_all(
                [call for call, _, _ in made], [sending for _, sending, _ in made], together=True
            )
        )
        numbers = iter(number for _, _, number in made)
        replies = [
            Reply(connection.rejection, self._number)
            if connection.rejection is not None
            else Reply(next(exchanges), next(numbers))
            for connection in connections
        ]
        return [
            self.send(*request) if connection.has_ended(reply.exchange) else reply
            for request, connection, reply in zip(requests, connections, replies, strict=True)
        ]

    def _connection_beside(self, caller: Caller, host: Caller) -> Connection:
        connection, hosts = self._connection(caller), self._connection(host)
        is_needed = connection.rejection is not None
        is_possible = hosts.rejection is None and hosts.session is None
        return hosts if is_needed and is_possible else connection

    def _sent(self, message: Message, caller: Caller) -> Reply:
        connection = self._connection(caller)
        if connection.rejection is not None:
            return Reply(connection.rejection, self._number)
        return self._post(message, caller, connection)

    def _connection(self, caller: Caller) -> Connection:
        if caller not in self._connections:
            connection = self._shared_connection(caller)
            self._connections[caller] = connection
            self._redirected = self._redirected or connection.redirected
        return self._connections[caller]

    def _shared_connection(self, caller: Caller) -> Connection:
        """The connection of a caller: a fact of the run where its name stands for one secret."""
        name = caller.credential.name if caller.credential else "nobody"
        if name == NEAR_MISS:
            return self._connect(caller)
        # With two credentials, a session may belong to either.
        fact = fact_name("handshake", name, caller.scheme, "beside" if caller.beside else None)
        return self.session.fact(fact, lambda own: Channel(own)._connect(caller))

    def _connect(self, caller: Caller) -> Connection:
        """Shake hands; a target without a handshake gets the modern protocol."""
        reply = self._shake_hands(caller, HANDSHAKE)
        other = older_version(response_to(reply.exchange, reply.number), HANDSHAKE)
        if other is not None:
            reply = self._shake_hands(caller, other)
        result = response_to(reply.exchange, reply.number).get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if isinstance(version, str) and len(version) <= LONGEST_VERSION:
            return self._initialized(caller, reply.exchange, version)
        if reply.exchange.status in (401, 403):
            return Connection("", rejection=reply.exchange, redirected=self._redirected)
        expect.clear(reply.exchange)
        return Connection(MODERN, redirected=self._redirected)

    def _initialized(self, caller: Caller, exchange: Exchange, version: str) -> Connection:
        assert exchange.response is not None
        session = exchange.response.header("mcp-session-id")
        connection = Connection(version, session, greeted=True, redirected=self._redirected)
        notification = Message("notifications/initialized", None, "complete the handshake")
        self._post(notification, caller, connection)
        return connection

    def _shake_hands(self, caller: Caller, version: str) -> Reply:
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
        message = Message("initialize", params, "shake hands")
        reply = self._post(message, caller, Connection(""))
        redirected = redirect_target(reply.exchange, self.url)
        if redirected is not None:
            self._redirected = redirected
            reply = self._post(message, caller, Connection(""))
        return reply

    def _post(self, message: Message, caller: Caller, connection: Connection) -> Reply:
        call, sending = self._request(message, caller, connection)
        number = self._number
        return Reply(self.session.client.send(call, sending), number)

    def _request(
        self, message: Message, caller: Caller, connection: Connection
    ) -> tuple[Call, Sending]:
        """The HTTP request of a message; one that has a response takes the next number."""
        if connection.version == MODERN and message.params is not None:
            message = replace(message, params={**message.params, "_meta": META})
        document: dict[str, Any] = {"jsonrpc": "2.0", "method": message.method}
        if message.params is not None:
            self._number += 1
            document |= {"id": self._number, "params": message.params}
        sending = Sending(
            caller.credential,
            caller.scheme,
            message.purpose,
            headers=(*_headers(connection, message), *caller.beside),
            in_contract=False,
            method="POST",
            url=self.url,
        )
        return Call(message.operation, body=json.dumps(document).encode()), sending


def _first_number(item: str) -> int:
    """The number before the first request of an item: others of one session have other numbers."""
    return zlib.crc32(item.encode()) % MOST_ITEMS * MOST_MESSAGES


def _headers(connection: Connection, message: Message) -> Iterator[tuple[str, str]]:
    yield "accept", "application/json, text/event-stream"
    if connection.version:
        yield "mcp-protocol-version", connection.version
    if connection.session is not None:
        yield "mcp-session-id", connection.session
    if connection.version == MODERN:
        yield "mcp-method", message.method
        yield from _headers_of_call(message)


def _headers_of_call(message: Message) -> Iterator[tuple[str, str]]:
    """The name of the tool, and the arguments for which its input schema names a header."""
    params = message.params or {}
    if "name" in params:
        yield "mcp-name", params["name"]
    arguments = params.get("arguments", {})
    for name, schema in message.schema.get("properties", {}).items():
        header = schema.get("x-mcp-header") if isinstance(schema, dict) else None
        if isinstance(header, str) and name in arguments:
            yield f"mcp-param-{header.lower()}", str(arguments[name])
