"""The tools of a target, as its callers are shown them, and calls of them."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import MISSING, Call, Exchange
from conformance.http.patience import TRIES
from conformance.suite.lists.live import Live
from conformance.suite.tools.answers import Answer, is_failure, read, reply
from conformance.suite.tools.channel import Asked, Caller, Channel, Message
from conformance.suite.tools.schema import places, plain, shape
from conformance.target.target import Credential

MOST_PAGES = 50


class Unlisted(Inconclusive):
    """The tools are not listed; `failed` where whoever has shaken hands with the caller answers with a failure of its own."""

    def __init__(self, exchange: Exchange, *, failed: bool) -> None:
        super().__init__(
            f"the tools are not listed: {exchange.describe()}",
            needs=("tools.url",),
            exchanges=[exchange.id],
        )
        self.failed = failed


@dataclass
class Toolbox:
    """Lists and calls tools as any caller; what primary is shown is kept.

    `baselines` are the operations whose tool has served primary, so that a refusal of somebody else means something.
    """

    live: Live
    baselines: set[str] = field(default_factory=set)
    _tools: dict[str, Any] | None = None

    @cached_property
    def channel(self) -> Channel:
        """What carries the calls."""
        return Channel(self.live.session)

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
        """Every tool that a caller is shown, over all pages; Unlisted where the list is refused."""
        found: dict[str, Any] = {}
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            params = {"cursor": cursor} if cursor else {}
            asked = self.channel.ask(Message("tools/list", params, "list the tools"), caller)
            message = reply(asked.exchange, asked.number)
            result = message.get("result")
            if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
                raise Unlisted(
                    asked.exchange,
                    failed=self.channel.has_greeted(caller) and is_failure(asked.exchange, message),
                )
            found |= {
                tool["name"]: tool
                for tool in result["tools"]
                if isinstance(tool, dict) and isinstance(tool.get("name"), str)
            }
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
        asked = self.channel.ask(
            self._message(operation, arguments, purpose), Caller.of(credential, scheme)
        )
        return self._noted(asked, operation, arguments)

    def call_uninvited(
        self, operation: Operation, arguments: Mapping[str, Any], caller: Caller, purpose: str
    ) -> Answer | None:
        """Call a tool without the handshake that is refused to the caller, as primary does after its own; None where it is not refused."""
        host = Caller.of(self.live.credential("primary"), self.scheme)
        asked = self.channel.ask_uninvited(
            self._message(operation, arguments, purpose), caller, host
        )
        return self._noted(asked, operation, arguments) if asked is not None else None

    def _noted(self, asked: Asked, operation: Operation, arguments: Mapping[str, Any]) -> Answer:
        """What a call came to; one that is served may have spent a review."""
        answer = _read(asked)
        if operation.writes and not answer.refused:
            self.live.session.approved.add(str(arguments.get("reviewId")).lower())
        return answer

    def _message(self, operation: Operation, arguments: Mapping[str, Any], purpose: str) -> Message:
        named = {self.argument(operation, name) or name: value for name, value in arguments.items()}
        schema = self._schema(operation)
        return Message(
            "tools/call",
            {"name": operation.id, "arguments": shape(named, schema)},
            purpose,
            operation.id,
            schema,
        )

    def argument(self, operation: Operation, name: str) -> str | None:
        """What the tool calls a parameter of its operation: as HTTP does here, or else as the contract does; None where it has neither."""
        session, taken = self.live.session, places(self._schema(operation))
        contract = (
            parameter.name
            for parameter in operation.parameters
            if session.name(operation, parameter.role) == name
        )
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

    def as_primary(
        self, operation: Operation, arguments: Mapping[str, Any], purpose: str
    ) -> Answer:
        """Call a tool as primary, once."""
        return self.call(
            operation, arguments, self.live.credential("primary"), self.scheme, purpose=purpose
        )

    def each_as_primary(
        self, operation: Operation, requests: Mapping[str, Mapping[str, Any]]
    ) -> list[Answer]:
        """Call a tool as primary with many arguments, by what each is for, as many at once as the transport likes."""
        messages = [
            self._message(operation, arguments, purpose) for purpose, arguments in requests.items()
        ]
        return list(
            map(
                _read,
                self.channel.ask_each(
                    messages, Caller.of(self.live.credential("primary"), self.scheme)
                ),
            )
        )

    def served_to_primary(
        self, operation: Operation, arguments: Mapping[str, Any], purpose: str
    ) -> Answer:
        """A call that ought to be served, made again where it is not: a tool's error does not always tell what is over in a moment."""
        for number in range(TRIES):
            self.live.session.transport.wait(float(number))
            answer = self.as_primary(operation, arguments, purpose)
            if not answer.refused and answer.data is not MISSING:
                break
        return answer


def arguments_of(call: Call) -> dict[str, Any]:
    """The arguments of a call as a tool takes them: numbers as numbers."""
    query = {name: int(value) if name == "limit" else value for name, value in call.query}
    return {**call.path, **query}


def _read(asked: Asked) -> Answer:
    return read(asked.exchange, asked.number)
