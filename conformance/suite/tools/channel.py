"""How messages reach a tool interface: JSON-RPC over streamable HTTP, sent by the recording client as it stands.

Both generations of the protocol are spoken: the one with a handshake (up to 2025-11-25), and the one in which each request
carries everything (2026-07-28). Answers may be JSON or an event stream.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance import __version__
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.runner.session import Session
from conformance.suite.callers import expect
from conformance.suite.tools.answers import elsewhere, offered, reply
from conformance.target.target import Credential

HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
ME = {"name": "localization-api-conformance", "version": __version__}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": ME,
    "io.modelcontextprotocol/clientCapabilities": {},
}
GONE = frozenset({400, 404})
"""What a session that has ended is answered: 404 as the protocol has it, or 400 like one that never was."""


@dataclass(frozen=True)
class Message:
    """One JSON-RPC message to be sent: a request with its parameters, or a notification without.

    `schema` is the one of the tool that is called, which may ask for an argument to stand in a header as well.
    """

    method: str
    params: dict[str, Any] | None
    purpose: str
    operation: str = "tools"
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Caller:
    """Who sends it, and by which scheme."""

    credential: Credential | None
    scheme: str | None

    @classmethod
    def of(cls, credential: Credential | None, scheme: str | None = None) -> "Caller":
        """A caller, by the first scheme of the credential if none is named."""
        return cls(credential, credential.schemes[0] if credential and scheme is None else scheme)


@dataclass(frozen=True)
class Connection:
    """How one caller speaks to the target: the protocol version, and the session where the target keeps one.

    `greeted` says that a handshake was answered, so that it is this protocol that is spoken, and with this caller.
    """

    version: str
    session: str | None = None
    refusal: Exchange | None = None
    greeted: bool = False


@dataclass(frozen=True)
class Asked:
    """A request that was sent: what came, and the number by which its answer names it."""

    exchange: Exchange
    number: int


@dataclass
class Channel:
    """Sends the messages of many callers to one tool interface, each over a connection of its own."""

    session: Session
    _connections: dict[Caller, Connection] = field(default_factory=dict)
    _number: int = 0
    _moved: str | None = None

    @property
    def url(self) -> str:
        """The address of the tool interface, or where it has sent a caller from there; Inconclusive where the profile has none."""
        found = self._moved or self.session.target.tools_url
        if found is None:
            raise Inconclusive(
                "the address of the tool interface is not known", needs=("tools.url",)
            )
        return found

    def ask(self, message: Message, caller: Caller) -> Asked:
        """Send a request; once more in another session where its own has ended, as it may at any time."""
        asked = self._asked(message, caller)
        if _has_ended(self._connection(caller), asked.exchange):
            del self._connections[caller]
            asked = self._asked(message, caller)
        return asked

    def ask_uninvited(self, message: Message, caller: Caller, host: Caller) -> Asked | None:
        """Send a request of a caller whose own handshake is refused as if it were done; None where there is nothing to be had by that.

        It goes as those of somebody else do, but not into a session: beside that, which may speak for its owner, nothing is missing.
        """
        connection = self._connection(host)
        if (
            connection.refusal is not None
            or connection.session is not None
            or self._connection(caller).refusal is None
        ):
            return None
        return self._post(message, caller, connection)

    def has_greeted(self, caller: Caller) -> bool:
        """Whether the target has shaken hands with a caller."""
        return self._connection(caller).greeted

    def ask_each(self, messages: Sequence[Message], caller: Caller) -> list[Asked]:
        """Send many requests, as many at once as the transport likes."""
        connection = self._connection(caller)
        first = self._number + 1
        letters = [self._letter(message, caller, connection) for message in messages]
        exchanges = self.session.client.send_all(
            [call for call, _ in letters], [sending for _, sending in letters]
        )
        return [
            self.ask(message, caller)
            if _has_ended(connection, exchange)
            else Asked(exchange, number)
            for number, (message, exchange) in enumerate(
                zip(messages, exchanges, strict=True), first
            )
        ]

    def _asked(self, message: Message, caller: Caller) -> Asked:
        connection = self._connection(caller)
        return (
            self._post(message, caller, connection)
            if connection.refusal is None
            else Asked(connection.refusal, self._number)
        )

    def _connection(self, caller: Caller) -> Connection:
        if caller not in self._connections:
            self._connections[caller] = self._connect(caller)
        return self._connections[caller]

    def _connect(self, caller: Caller) -> Connection:
        """Shake hands; a target that knows no handshake is spoken to without one, and a refused caller stays refused."""
        asked = self._shake_hands(caller, HANDSHAKE)
        if (other := offered(reply(asked.exchange, asked.number), HANDSHAKE)) is not None:
            asked = self._shake_hands(caller, other)
        result = reply(asked.exchange, asked.number).get("result")
        if isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
            assert asked.exchange.response is not None
            session = asked.exchange.response.header("mcp-session-id")
            connection = Connection(result["protocolVersion"], session, greeted=True)
            self._post(
                Message("notifications/initialized", None, "the handshake is done"),
                caller,
                connection,
            )
            return connection
        if asked.exchange.status in (401, 403):
            return Connection("", refusal=asked.exchange)
        expect.clear(asked.exchange)
        return Connection(MODERN)

    def _shake_hands(self, caller: Caller, version: str) -> Asked:
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": ME}
        message = Message("initialize", params, "shake hands")
        asked = self._post(message, caller, Connection(""))
        if (moved := elsewhere(asked.exchange, self.url)) is not None:
            self._moved = moved
            asked = self._post(message, caller, Connection(""))
        return asked

    def _post(self, message: Message, caller: Caller, connection: Connection) -> Asked:
        call, sending = self._letter(message, caller, connection)
        number = self._number
        return Asked(self.session.client.send(call, sending), number)

    def _letter(
        self, message: Message, caller: Caller, connection: Connection
    ) -> tuple[Call, Sending]:
        """A message as it is sent; one that is answered takes a number."""
        if connection.version == MODERN and message.params is not None:
            message = replace(message, params={**message.params, "_meta": META})
        document: dict[str, Any] = {"jsonrpc": "2.0", "method": message.method}
        if message.params is not None:
            self._number += 1
            document |= {"id": self._number, "params": message.params}
        call, headers = (
            Call(message.operation, body=json.dumps(document).encode()),
            tuple(_headers(connection, message)),
        )
        return call, Sending(
            caller.credential,
            caller.scheme,
            message.purpose,
            headers=headers,
            in_contract=False,
            method="POST",
            url=self.url,
        )


def _has_ended(connection: Connection, exchange: Exchange) -> bool:
    return exchange.status in GONE and connection.session is not None


def _headers(connection: Connection, message: Message) -> Iterator[tuple[str, str]]:
    yield "accept", "application/json, text/event-stream"
    if connection.version:
        yield "mcp-protocol-version", connection.version
    if connection.session is not None:
        yield "mcp-session-id", connection.session
    if connection.version == MODERN:
        params = message.params or {}
        yield "mcp-method", message.method
        if "name" in params:
            yield "mcp-name", params["name"]
        for name, stated in message.schema.get("properties", {}).items():
            if (
                isinstance(stated, dict)
                and isinstance(stated.get("x-mcp-header"), str)
                and name in params.get("arguments", {})
            ):
                yield f"mcp-param-{stated['x-mcp-header'].lower()}", str(params["arguments"][name])
