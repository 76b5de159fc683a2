"""Reading of request bodies, with their maximum size ("Limits")."""

from typing import Final

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from conformance.reference.errors import BodyTooLarge

MAXIMUM_BODY_BYTES: Final = 65536


def check_declared_length(length: str | None) -> None:
    """Raise BodyTooLarge if Content-Length exceeds the maximum, before the body is read."""
    if length is not None and length.isdecimal() and int(length) > MAXIMUM_BODY_BYTES:
        raise _too_large()


async def read(receive: Receive) -> bytes:
    """Return the whole body.

    Raises BodyTooLarge as soon as it exceeds the maximum, and ClientDisconnect if it ends early.
    The server discards the rest of a rejected body, so that the client can read the response.
    """
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > MAXIMUM_BODY_BYTES:
            raise _too_large()
        more = message.get("more_body", False)
    return bytes(body)


def _too_large() -> BodyTooLarge:
    return BodyTooLarge(f"A request body may have at most {MAXIMUM_BODY_BYTES} bytes.")
