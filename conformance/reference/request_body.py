"""Request bodies: how they are read, and how large they may be ("Limits")."""

from typing import Final

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from conformance.reference.errors import BodyTooLarge

MAXIMUM_BODY_BYTES: Final = 65536


def check_declared_length(length: str | None) -> None:
    """Refuse a body by the length that its header declares, before a byte of it is read."""
    if length is not None and length.isdecimal() and int(length) > MAXIMUM_BODY_BYTES:
        raise _too_large()


async def read(receive: Receive) -> bytes:
    """The whole body. BodyTooLarge as soon as it exceeds the maximum, ClientDisconnect where its end never comes.

    What is left of a refused body the server throws away, so that the client can read the answer.
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
