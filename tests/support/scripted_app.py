"""An ASGI application with scripted responses."""

from dataclasses import dataclass, field
from typing import Any

Response = tuple[int, list[tuple[bytes, bytes]], bytes]
"""Status, headers and body."""


@dataclass
class ScriptedApp:
    """Returns these responses in turn, and repeats the last one; an exception is raised instead.

    `requests` are the scopes and bodies of the requests so far.
    """

    responses: list[Any]
    requests: list[tuple[dict[str, Any], bytes]] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request, and record it."""
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        self.requests.append((scope, body))
        response = self.responses[min(len(self.requests), len(self.responses)) - 1]
        if isinstance(response, Exception):
            raise response
        status, headers, content = response
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    @property
    def headers(self) -> list[dict[str, str]]:
        """The headers of each request."""
        return [_decoded(scope["headers"]) for scope, _ in self.requests]


def scripted_response(
    status: int = 200, body: bytes = b'{"data": {}, "requestId": "r"}', **headers: str
) -> Response:
    """A scripted response; underscores in the names of headers stand for hyphens."""
    named = {"content_type": "application/json", **headers}
    return status, [_encoded(name, value) for name, value in named.items()], body


def _encoded(name: str, value: str) -> tuple[bytes, bytes]:
    return name.replace("_", "-").encode(), value.encode("latin-1")


def _decoded(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode(): value.decode("latin-1") for name, value in headers}
