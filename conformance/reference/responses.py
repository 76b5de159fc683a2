"""HTTP responses: envelope, error body and headers ("Resources and their fields", "Errors")."""

from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from typing import Final
from uuid import UUID

import orjson
from starlette.types import Send

from conformance.reference.errors import ApiError
from conformance.reference.resources import Json

CONTENT_TYPE: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Response:
    """A status, a JSON body, and headers other than Content-Type and Content-Length."""

    status: int
    body: bytes
    headers: dict[str, str]


class ResponseBuilder:
    """Builds responses; `requestId` is derived from `origin` and the number of the response."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._numbers = count(1)

    def success(self, data: Json) -> Response:
        """Status 200 with the envelope `{data, requestId}`."""
        body = {
            "data": data,
            "requestId": self._request_id(),
        }
        return Response(200, orjson.dumps(body), {})

    def error(self, error: ApiError) -> Response:
        """The status and headers of the error, with the error body."""
        body = {
            "code": error.code,
            "requestId": self._request_id(),
            "message": error.message,
            "title": error.title,
        }
        return Response(error.status, orjson.dumps(body), error.headers)

    def _request_id(self) -> str:
        number = next(self._numbers)
        return str(
            UUID(
                bytes=blake2b(f"{self._origin} {number}".encode(), digest_size=16).digest(),
                version=4,
            )
        )


async def transmit(response: Response, send: Send, *, bodiless: bool) -> None:
    """Send a response; `bodiless` (for HEAD) omits the body and keeps its headers."""
    headers = {
        "content-type": CONTENT_TYPE,
        "content-length": str(len(response.body)),
        **response.headers,
    }
    encoded = [
        (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()
    ]
    await send({"type": "http.response.start", "status": response.status, "headers": encoded})
    await send({"type": "http.response.body", "body": b"" if bodiless else response.body})
