"""A pytest plugin whose target is the bundled reference, but for its manners: it repeats the caller's credential wherever it can."""

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


def spelled(secret: str) -> list[str]:
    """A secret as a target may repeat it."""
    coded = base64.b64encode(f"Bearer {secret}".encode()).decode()
    return [
        secret,
        quote(secret, safe=""),
        json.dumps(secret)[1:-1],
        base64.b64encode(secret.encode()).decode(),
        coded,
    ]


class Echo:
    """An application that adds what it was sent to every answer: to headers, to records, to errors."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer as the application does, and then some."""
        messages: list[Any] = []

        async def keep(message: Any) -> None:
            messages.append(message)

        await self.application(scope, receive, keep)
        start, *bodies = messages
        secrets = list(_secrets(scope["headers"]))
        body = b"".join(message.get("body", b"") for message in bodies)
        if body and secrets and scope["path"] != "/mcp":
            body = _garnished(json.loads(body), spelled(secrets[0]))
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


def _garnished(document: Any, echoes: list[str]) -> bytes:
    document["echoes"] = echoes
    if isinstance(document.get("data"), dict):
        document["data"]["echoes"] = echoes
    else:
        document |= {"code": echoes[0], "title": echoes}
    return json.dumps(document).encode()


def pytest_configure(config: pytest.Config) -> None:
    """Let the target of this run be the one with bad manners."""

    def made() -> Subject:
        honest = examination.in_process(reference)
        assert isinstance(honest.transport, InProcess)
        return Subject(
            honest.target, InProcess(Echo(honest.transport._application), honest.transport._advance)
        )

    config.stash[examination.SUBJECT] = made
