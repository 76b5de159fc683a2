"""A transport that answers from recorded evidence: the very same suite runs against it, without target or network."""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from conformance.http.transport import RecordedFailure


class Unrecorded(Exception):
    """The suite sent something that the recording does not hold: it is not the recording of this run."""


class Recording:
    """Answers each request by what came when the exchange of the same item and number was recorded.

    `unused` are the ids of exchanges that nobody has asked for yet.
    """

    concurrency = 1

    def __init__(self, documents: Iterable[Mapping[str, Any]]) -> None:
        self._documents = {document["id"]: document for document in documents}

    @property
    def unused(self) -> list[str]:
        """What is recorded, but was not asked for."""
        return sorted(self._documents)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded answer to an exchange, or its failure. Raises Unrecorded where there is none."""
        id = request.extensions["exchange"]
        document = self._documents.pop(id, None)
        if document is None:
            raise Unrecorded(f"no exchange {id}")
        if "response" not in document:
            raise RecordedFailure(str(document["failure"]))
        response = document["response"]
        # Bodies are recorded as they were read: without the coding in which they came.
        headers = [(name, value.encode("latin-1")) for name, value in response["headers"]]
        answer = httpx.Response(
            response["status"], headers=headers, stream=httpx.ByteStream(content(response["body"]))
        )
        answer.extensions["decoded"] = True
        return answer

    def wait(self, seconds: float) -> None:
        """What was waited for has long passed."""

    def close(self) -> None:
        """There is nothing to give back."""


def content(body: Mapping[str, Any]) -> bytes:
    """The bytes of a recorded body."""
    start = base64.b64decode(body["base64"]) if "base64" in body else str(body["text"]).encode()
    return start + b" " * int(body.get("padding", 0))
