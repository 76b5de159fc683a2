"""The tool interface of a target: JSON-RPC over streamable HTTP, sent by the recording client as it stands.

Both generations of the protocol are spoken: the one with a handshake (up to 2025-11-25), and the one in which each request
carries everything (2026-07-28). Answers may be JSON or an event stream.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from conformance import __version__
from conformance.client import TRIES, Sending
from conformance.exchange import MISSING, Call, Exchange
from conformance.openapi import Operation
from conformance.suite import expect
from conformance.suite.live import Live
from conformance.suite.tool_answers import Answer, elsewhere, offered, read, reply
from conformance.suite.tool_schema import places, plain, shape
from conformance.target import Credential
from conformance.verdict import Inconclusive

HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
ME = {"name": "localization-api-conformance", "version": __version__}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": ME,
    "io.modelcontextprotocol/clientCapabilities": {},
}
MOST_PAGES = 50
GONE = frozenset({400, 404})
"""What a session that has ended is answered: 404 as the protocol has it, or 400 like one that never was."""


@dataclass(frozen=True)
class Message:
    """One JSON-RPC message to be sent: a request with its parameters, or a notification without."""

    method: str
    params: dict[str, Any] | None
    purpose: str
    operation: str = "tools"


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
    """How one caller speaks to the target: the protocol version, and the session where the target keeps one."""

    version: str
    session: str | None = None
    refusal: Exchange | None = None


@dataclass
class Toolbox:
    """Lists and calls tools as any caller; what primary is shown is kept.

    `controls` are the operations whose tool has served primary, so that a refusal of somebody else means something.
    """

    live: Live
    controls: set[str] = field(default_factory=set)
    _connections: dict[tuple[str | None, str | None], Connection] = field(default_factory=dict)
    _tools: dict[str, Any] | None = None
    _number: int = 0
    _moved: str | None = None

    @property
    def url(self) -> str:
        """The address of the tool interface, or where it has sent a caller from there; Inconclusive where the profile has none."""
        found = self._moved or self.live.session.target.tools_url
        if found is None:
            raise Inconclusive("the address of the tool interface is not known", needs=("tools.url",))
        return found

    @property
    def tools(self) -> dict[str, Any]:
        """The tools that primary is shown, by name."""
        scheme = self.scheme  # finding it out may have listed them
        if self._tools is None:
            self._tools = self._listing(Caller.of(self.live.credential("primary"), scheme))
        return self._tools

    @cached_property
    def scheme(self) -> str:
        """The scheme by which primary is shown the tools: the interface may know one alone; the first where it knows neither.

        It serves for both faces, since the key of an approval and a cursor may belong to the credential.
        """
        primary = self.live.credential("primary")
        for scheme in primary.schemes:
            with suppress(Inconclusive):
                self._tools = self._listing(Caller.of(primary, scheme))
                return scheme
        return primary.schemes[0]

    def _listing(self, caller: Caller) -> dict[str, Any]:
        """Every tool that a caller is shown, over all pages; Inconclusive where the list is refused."""
        found: dict[str, Any] = {}
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            params = {"cursor": cursor} if cursor else {}
            exchange = self._request(Message("tools/list", params, "list the tools"), caller)
            result = reply(exchange, self._number).get("result")
            if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
                raise Inconclusive(f"the tools are not listed: {exchange.describe()}", needs=("tools.url",), exchanges=[exchange.id])
            found |= {tool["name"]: tool for tool in result["tools"] if isinstance(tool, dict) and isinstance(tool.get("name"), str)}
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str):
                break
        return found

    def call(
        self,
        operation: Operation,
        arguments: Mapping[str, Any],
        credential: Credential | None,
        scheme: str | None = None,
        *,
        purpose: str = "call the tool",
    ) -> Answer:
        """Call the tool of an operation; names of the arguments are those of the operation, put where its input schema has them."""
        exchange = self._request(self._message(operation, arguments, purpose), Caller.of(credential, scheme))
        return read(exchange, self._number)

    def _message(self, operation: Operation, arguments: Mapping[str, Any], purpose: str) -> Message:
        named = {self.argument(operation, name) or name: value for name, value in arguments.items()}
        shaped = shape(named, self._schema(operation))
        return Message("tools/call", {"name": operation.id, "arguments": shaped}, purpose, operation.id)

    def argument(self, operation: Operation, name: str) -> str | None:
        """What the tool calls a parameter of its operation: as HTTP does here, or else as the contract does; None where it has neither."""
        session, taken = self.live.session, places(self._schema(operation))
        contract = (parameter.name for parameter in operation.parameters if session.name(operation, parameter.role) == name)
        return next((each for each in (name, *contract) if plain(each) in taken), None)

    def _schema(self, operation: Operation) -> dict[str, Any]:
        found = self.tools.get(operation.id, {}).get("inputSchema")
        return found if isinstance(found, dict) else {}

    def tool(self, operation: Operation) -> dict[str, Any]:
        """The tool of an operation as primary is shown it; Inconclusive where there is none."""
        found = self.tools.get(operation.id)
        if not isinstance(found, dict):
            raise Inconclusive(f"there is no tool {operation.id}", needs=("tools.url",))
        return found

    def as_primary(self, operation: Operation, arguments: Mapping[str, Any], purpose: str) -> Answer:
        """Call a tool as primary, once."""
        return self.call(operation, arguments, self.live.credential("primary"), self.scheme, purpose=purpose)

    def each_as_primary(self, operation: Operation, requests: Mapping[str, Mapping[str, Any]]) -> list[Answer]:
        """Call a tool as primary with many arguments, by what each is for, as many at once as the transport likes."""
        caller = Caller.of(self.live.credential("primary"), self.scheme)
        connection = self._connection(caller)
        first = self._number + 1
        letters = [self._letter(self._message(operation, each, purpose), caller, connection) for purpose, each in requests.items()]
        answers = []
        for number, (exchange, purpose) in enumerate(zip(self.live.send_each(letters), requests, strict=True), first):
            ended = exchange.status in GONE and connection.session is not None
            answers.append(self.as_primary(operation, requests[purpose], purpose) if ended else read(exchange, number))
        return answers

    def served_to_primary(self, operation: Operation, arguments: Mapping[str, Any], purpose: str) -> Answer:
        """A call that ought to be served, made again where it is not: a tool's error does not always tell what is over in a moment."""
        for number in range(TRIES):
            self.live.session.transport.wait(float(number))
            answer = self.as_primary(operation, arguments, purpose)
            if not answer.refused and answer.data is not MISSING:
                break
        return answer

    def _request(self, message: Message, caller: Caller) -> Exchange:
        exchange = self._requested(message, caller)
        if exchange.status in GONE and self._connection(caller).session is not None:
            # A session may end at any time, and says so in this way: the client opens another one.
            del self._connections[_key(caller)]
            exchange = self._requested(message, caller)
        return exchange

    def _requested(self, message: Message, caller: Caller) -> Exchange:
        connection = self._connection(caller)
        if connection.refusal is not None:
            return connection.refusal
        return self._post(message, caller, connection)

    def _connection(self, caller: Caller) -> Connection:
        key = _key(caller)
        if key not in self._connections:
            self._connections[key] = self._connect(caller)
        return self._connections[key]

    def _connect(self, caller: Caller) -> Connection:
        """Shake hands; a target that knows no handshake is spoken to without one, and a refused caller stays refused."""
        exchange = self._shake_hands(caller, HANDSHAKE)
        if (other := offered(reply(exchange, self._number), HANDSHAKE)) is not None:
            exchange = self._shake_hands(caller, other)
        result = reply(exchange, self._number).get("result")
        if isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
            assert exchange.response is not None
            connection = Connection(result["protocolVersion"], exchange.response.header("mcp-session-id"))
            self._post(Message("notifications/initialized", None, "the handshake is done"), caller, connection)
            return connection
        if exchange.status in (401, 403):
            return Connection("", refusal=exchange)
        expect.clear(exchange)
        return Connection(MODERN)

    def _shake_hands(self, caller: Caller, version: str) -> Exchange:
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": ME}
        message = Message("initialize", params, "shake hands")
        exchange = self._post(message, caller, Connection(""))
        if (moved := elsewhere(exchange, self.url)) is not None:
            self._moved = moved
            exchange = self._post(message, caller, Connection(""))
        return exchange

    def _post(self, message: Message, caller: Caller, connection: Connection) -> Exchange:
        return self.live.session.client.send(*self._letter(message, caller, connection))

    def _letter(self, message: Message, caller: Caller, connection: Connection) -> tuple[Call, Sending]:
        """A message as it is sent; one that is answered takes a number."""
        if connection.version == MODERN and message.params is not None:
            message = replace(message, params={**message.params, "_meta": META})
        document: dict[str, Any] = {"jsonrpc": "2.0", "method": message.method}
        if message.params is not None:
            self._number += 1
            document |= {"id": self._number, "params": message.params}
        call = Call(message.operation, body=json.dumps(document).encode())
        headers = tuple(_headers(connection, message, self._schema_of(message.params)))
        return call, Sending(
            caller.credential, caller.scheme, message.purpose, headers=headers, ordinary=False, method="POST", url=self.url
        )

    def _schema_of(self, params: dict[str, Any] | None) -> Mapping[str, Any]:
        name = (params or {}).get("name")
        return (self._tools or {}).get(name, {}).get("inputSchema", {}) if isinstance(name, str) else {}


def _key(caller: Caller) -> tuple[str | None, str | None]:
    return (caller.credential.name if caller.credential else None, caller.scheme)


def _headers(connection: Connection, message: Message, schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
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
        # A schema may ask for an argument to stand in a header as well.
        for name, stated in schema.get("properties", {}).items():
            if isinstance(stated, dict) and isinstance(stated.get("x-mcp-header"), str) and name in params.get("arguments", {}):
                yield f"mcp-param-{stated['x-mcp-header'].lower()}", str(params["arguments"][name])
