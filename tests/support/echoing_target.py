"""A pytest plugin with a target that repeats the credential of the caller in its responses."""

import base64
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from conformance import reference
from conformance.http.transport import InProcess
from conformance.runner import examination
from conformance.runner.examination import Subject


def spellings(secret: str) -> list[str]:
    """The encodings in which a target may repeat a secret."""
    coded = base64.b64encode(f"Bearer {secret}".encode()).decode()
    return [
        secret,
        quote(secret, safe=""),
        json.dumps(secret)[1:-1],
        base64.b64encode(secret.encode()).decode(),
        coded,
    ]


class Echo:
    """Adds the credential of a request to the response: to headers, records and errors."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request."""
        messages: list[Any] = []

        async def collect(message: Any) -> None:
            messages.append(message)

        await self.application(scope, receive, collect)
        start, *bodies = messages
        secrets = list(_secrets(scope["headers"]))
        body = b"".join(message.get("body", b"") for message in bodies)
        if body and secrets and scope["path"] != "/mcp":
            body = _with_echoes(json.loads(body), spellings(secrets[0]))
            start["headers"] = [pair for pair in start["headers"] if pair[0] != b"content-length"]
            start["headers"] += [
                (b"location", f"/?key={quote(secrets[0], safe='')}".encode()),
                (b"x-echo", secrets[0].encode()),
            ]
        await send(start)
        await send({"type": "http.response.body", "body": body})


def _secrets(headers: Any) -> Iterator[str]:
    for name, value in headers:
        if name in (b"x-api-key", b"authorization"):
            yield value.decode("latin-1").removeprefix("Bearer ")


def _with_echoes(document: Any, echoes: list[str]) -> bytes:
    document["echoes"] = echoes
    if isinstance(document.get("data"), dict):
        document["data"]["echoes"] = echoes
    else:
        document |= {"code": echoes[0], "title": echoes}
    return json.dumps(document).encode()


def pytest_configure(config: pytest.Config) -> None:
    """Let this run have the echoing target."""

    def create() -> Subject:
        plain = examination.in_process(reference)
        assert isinstance(plain.transport, InProcess)
        return Subject(
            plain.target, InProcess(Echo(plain.transport._application), plain.transport._advance)
        )

    config.stash[examination.SUBJECT] = create
