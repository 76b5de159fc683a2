"""Answers as HTTP carries them: the envelope of a success, the body of an error, and their headers ("Resources", "Errors")."""

from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from typing import Final
from uuid import UUID

import orjson
from starlette.types import Send

from conformance.reference.faults import Fault
from conformance.reference.resources import Json

CONTENT_TYPE: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a JSON body, and headers beyond the type and length of the body."""

    status: int
    body: bytes
    headers: dict[str, str]


class Answers:
    """Makes answers; every one gets a `requestId` of its own, which follows from `origin` and the answers before it."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._numbers = count(1)

    def success(self, data: Json) -> Answer:
        """200 with the envelope `{data, requestId}`."""
        body = {
            "data": data,
            "requestId": self._request_id(),
        }
        return Answer(200, orjson.dumps(body), {})

    def refusal(self, fault: Fault) -> Answer:
        """The fault's status and headers, and the error body."""
        body = {
            "code": fault.code,
            "requestId": self._request_id(),
            "message": fault.message,
            "title": fault.title,
        }
        return Answer(fault.status, orjson.dumps(body), fault.headers)

    def _request_id(self) -> str:
        number = next(self._numbers)
        return str(
            UUID(
                bytes=blake2b(f"{self._origin} {number}".encode(), digest_size=16).digest(),
                version=4,
            )
        )


async def transmit(answer: Answer, send: Send, *, bodiless: bool) -> None:
    """Send an answer; to HEAD without its body, but with the headers that the body would have."""
    headers = {
        "content-type": CONTENT_TYPE,
        "content-length": str(len(answer.body)),
        **answer.headers,
    }
    encoded = [
        (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": encoded})
    await send({"type": "http.response.body", "body": b"" if bodiless else answer.body})
