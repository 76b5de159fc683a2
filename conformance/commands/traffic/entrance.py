"""What may pass a proxy: requests that name it, and whose path is sent as it is recorded.

A page in a browser reaches this machine by a name of its own that leads here (DNS rebinding), and
would have what the headers of the profile open.
"""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from conformance.commands.traffic.forwarding import path_of
from conformance.http import proxy

FOREIGN_HOST = "The Host of a request is a loopback name, or the address of --listen."
FOREIGN_ORIGIN = "The Origin of a request, if any, has a loopback name, or the address of --listen."
ODD_PATH = 'The path of a request has no segment "." or "..", and its URL has no "#".'


def guarded(app: ASGIApp, names: Collection[str]) -> ASGIApp:
    """The application for the requests that may pass; all others are rejected in a sentence.

    `names` are the hosts by which the proxy may be called, beside loopback names and the address
    at which a connection has reached it.
    """

    async def entered(scope: Scope, receive: Receive, send: Send) -> None:
        rejection = _rejection(scope, {*names, scope["server"][0]})
        chosen = Response(*rejection, media_type="text/plain") if rejection else app
        await chosen(scope, receive, send)

    return entered


def _rejection(scope: Scope, names: Collection[str]) -> tuple[str, int] | None:
    """The sentence and the status for a request that may not pass."""
    headers = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
    hosts = [f"//{value}" for name, value in headers if name == b"host"]
    if not hosts or not all(_is_own(each, names) for each in hosts):
        return FOREIGN_HOST, 421
    if not all(_is_own(value, names) for name, value in headers if name == b"origin"):
        return FOREIGN_ORIGIN, 403
    path = path_of(scope)
    is_odd = b"#" in path + scope["query_string"] or not {b".", b".."}.isdisjoint(path.split(b"/"))
    return (ODD_PATH, 400) if is_odd else None


def _is_own(url: str, names: Collection[str]) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return proxy.is_here(host) or host in names
