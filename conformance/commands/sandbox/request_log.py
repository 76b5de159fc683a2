"""A line for each request, with the requirement because of which a bad one is rejected."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conformance.contract import openapi
from conformance.contract.openapi import Operation
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.reference.app import PREFIX
from conformance.reference.schemes import presented_credentials
from conformance.report.text import short, visible
from conformance.rules import arguments

LONGEST_BODY = 64 * 1024
LONGEST_PATH = 200
BY_STATUS = {
    403: "authorization/permission",
    404: "read/absent",
    409: "approval/stale-revision, approval/key-other-revision",
    413: "limits/body",
    429: "limits/rate",
}
"""What a rejected request is about where its arguments are valid."""

BY_CALLER = {"expired": "authentication/expired", "revoked": "authentication/revoked"}


@dataclass
class Handled:
    """What is known of a request while it is handled."""

    started: float
    body: bytes = b""
    status: int = 0
    response: bytes = b""


class Logged:
    """An application whose requests are written as lines; `callers` are the secrets with names."""

    def __init__(
        self, app: ASGIApp, callers: Mapping[str, str], write: Callable[[str], object]
    ) -> None:
        self._app = app
        self._callers = callers
        self._write = write
        self._contract = openapi.load()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        handled = Handled(time.perf_counter())

        async def received() -> Message:
            message = await receive()
            handled.body = (handled.body + message.get("body", b""))[:LONGEST_BODY]
            return message

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                handled.status = message["status"]
            else:
                handled.response = (handled.response + message.get("body", b""))[:LONGEST_BODY]
            await send(message)

        try:
            await self._app(scope, received, sent)
        finally:
            self._write(self._line(scope, handled))

    def _line(self, scope: Scope, handled: Handled) -> str:
        query = scope["query_string"].decode("latin-1")
        target = f"{scope['path']}?{query}" if query else scope["path"]
        took = round((time.perf_counter() - handled.started) * 1000)
        caller = self._caller(scope)
        line = f"{handled.status or '---'} {scope['method']} {short(target, LONGEST_PATH)}"
        line += f"  {caller}  {took} ms"
        requirement = self._requirement(scope, handled, caller)
        return visible(f"{line}  see {requirement}" if requirement else line)

    def _caller(self, scope: Scope) -> str:
        secrets = presented_credentials(Headers(scope=scope)).secrets()
        names = [self._callers.get(secret, "unknown") for _, secret in secrets]
        return " and ".join(names) or "no credential"

    def _requirement(self, scope: Scope, handled: Handled, caller: str) -> str | None:
        """The requirement that a rejected request is about; `conformance explain` has more."""
        if handled.status == 401:
            missing = "authentication/missing" if caller == "no credential" else None
            return missing or BY_CALLER.get(caller, "authentication/unknown")
        if not 400 <= handled.status < 500:
            return None
        return self._of_arguments(scope, handled) or BY_STATUS.get(handled.status)

    def _of_arguments(self, scope: Scope, handled: Handled) -> str | None:
        found = self._operation(scope)
        if found is None:
            return None
        operation, path = found
        query = tuple(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        call = Call(operation.id, path, query, handled.body or None)
        request = Request(scope["method"], scope["path"], ())
        response = Response(handled.status, (), handled.response)
        exchange = Exchange("sandbox", 1, call, "", None, None, request, response)
        parameters = {role: operation.parameter(role) for role in operation.query_roles}
        roles = {each.name: role for role, each in parameters.items() if each is not None}
        checked = arguments.examine(exchange, roles, self._contract)
        rejected = (each.requirement for each in checked if each.requirement != arguments.ACCEPTED)
        return next(rejected, None)

    def _operation(self, scope: Scope) -> tuple[Operation, dict[str, str]] | None:
        for operation in self._contract.operations.values():
            pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(operation.path))
            match = re.fullmatch(re.escape(PREFIX) + pattern, scope["path"])
            if match and operation.method == scope["method"]:
                values = match.groupdict().items()
                return operation, {name: unquote(value) for name, value in values}
        return None
