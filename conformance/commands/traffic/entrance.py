"""What may pass a proxy: requests that name it, and whose path is sent as it is recorded.

A page in a browser reaches this machine by a name of its own that leads here (DNS rebinding), and
would have what the headers of the profile open.
"""

from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from conformance.commands.traffic.forwarding import path_of
from conformance.http import proxy

FOREIGN_HOST = "The Host of a request is a loopback name."
ODD_PATH = 'The path of a request has no segment "." or "..", and its URL has no "#".'


def guarded(app: ASGIApp, *, is_local: bool) -> ASGIApp:
    """The application for the requests that may pass; all others are rejected in a sentence.

    A proxy that `is_local` is called by loopback names. Whoever lets it listen to others lets them
    call it by any name.
    """

    async def entered(scope: Scope, receive: Receive, send: Send) -> None:
        rejection = _rejection(scope, is_local=is_local)
        chosen = Response(*rejection, media_type="text/plain") if rejection else app
        await chosen(scope, receive, send)

    return entered


def _rejection(scope: Scope, *, is_local: bool) -> tuple[str, int] | None:
    """The sentence and the status for a request that may not pass."""
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    if is_local and not (hosts and all(map(_is_own, hosts))):
        return FOREIGN_HOST, 421
    path = path_of(scope).lower().replace(b"%2e", b".")  # for many servers they are the same
    is_odd = b"#" in path + scope["query_string"] or not {b".", b".."}.isdisjoint(path.split(b"/"))
    return (ODD_PATH, 400) if is_odd else None


def _is_own(host: str) -> bool:
    try:
        return proxy.is_here(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
