"""The names by which the served reference may be called, beside those of this machine.

Its tool interface accepts loopback names and its own address only: the page of a stranger could
otherwise reach it in a browser, by a name that leads to this machine (DNS rebinding).
"""

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL = b"localhost"


@dataclass(frozen=True)
class Named:
    """Passes requests for these hosts on as requests for localhost; for every host if None."""

    app: ASGIApp
    names: Collection[str] | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            headers = [(name, self._host(name, value)) for name, value in scope["headers"]]
            scope = {**scope, "headers": headers}
        await self.app(scope, receive, send)

    def _host(self, name: bytes, value: bytes) -> bytes:
        """The value of a header; of Host, the name that the reference accepts."""
        if name != b"host":
            return value
        stated = value.decode("latin-1").rpartition(":")[0] or value.decode("latin-1")
        is_named = self.names is None or stated.lower() in self.names
        return LOCAL if is_named else value


def allowed(listening: str, stated: Collection[str]) -> frozenset[str] | None:
    """The names that are allowed; every name (None) for an address that others can reach.

    Whoever serves beyond this machine has no page of a stranger to fear that could do more than
    everybody on the network.
    """
    if stated:
        return frozenset(map(str.lower, stated))
    return frozenset() if _is_loopback(listening) else None


def shown(listening: str, stated: Collection[str]) -> str:
    """The host in the base URL: a stated name, or an address that clients here can use."""
    wildcards = {"0.0.0.0": "127.0.0.1", "::": "::1"}
    return next(iter(stated), wildcards.get(listening, listening))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == LOCAL.decode()
