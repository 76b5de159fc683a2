"""Replay: a transport that responds from a recording, without a target or a network."""

import base64
from collections.abc import Mapping
from typing import Any

import httpx

from conformance.http.budget import RESPONSE
from conformance.http.exchange import Cut
from conformance.http.transport import RECORDED, RecordedFailure

MOST_PADDING = 32 * 1024 * 1024
"""Spaces at the end of a recorded body; a recording may ask for any number of them."""


class Unrecorded(Exception):
    """The suite sent a request that is not in the recording."""


class Recording:
    """Returns to each request the recorded response to the exchange of the same id.

    The documents are those of the exchanges by their ids. `unused` are the ids of exchanges that
    no request has had yet, `missing` those of requests that are not in the recording.

    Another suite may number the requests of an item otherwise: what responded to one address is
    then no response to another. `is_ours` tells that the suite is the one that has recorded.
    """

    concurrency = 1

    def __init__(self, documents: Mapping[str, Mapping[str, Any]], *, is_ours: bool = True) -> None:
        self._documents = documents
        self._is_ours = is_ours
        self._left = set(documents)
        self.missing: list[str] = []

    @property
    def unused(self) -> list[str]:
        """The recorded exchanges that no request has had."""
        return sorted(self._left)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded response, or failure. Raises Unrecorded for an unknown exchange."""
        id = request.extensions["exchange"]
        if id not in self._left or not (self._is_ours or _is_at(request, self._documents[id])):
            self.missing.append(id)
            raise Unrecorded(f"no exchange {id}")
        self._left.remove(id)
        document = self._documents[id]
        times = document.get("started"), document.get("elapsed")
        if all(isinstance(each, int | float) for each in times):
            # What overlapped then does so now, in whichever order it is sent.
            request.extensions[RECORDED] = times
        if "response" not in document:
            raise RecordedFailure(str(document["failure"]))
        response = document["response"]
        # Bodies are recorded decoded.
        headers = [(name, value.encode("latin-1")) for name, value in response["headers"]]
        replayed = httpx.Response(
            response["status"], headers=headers, stream=httpx.ByteStream(content(response["body"]))
        )
        replayed.extensions["decoded"] = True
        if "length" in response["body"]:
            replayed.extensions["cut"] = _cut(response["body"])
        return replayed

    def wait(self, _seconds: float, _since: float | None = None, /) -> None:
        """Nothing: the time has passed when the run was recorded."""

    def abort(self) -> None:
        """Nothing: nobody waits."""

    def close(self) -> None:
        """Nothing to close."""


def _is_at(request: httpx.Request, document: Mapping[str, Any]) -> bool:
    """Whether a recorded request has this address, or one with a masked secret in it."""
    recorded = document["request"]["url"]
    return recorded == str(request.url) or "$" in recorded


def _cut(body: Mapping[str, Any]) -> Cut:
    return Cut(int(body["length"]), str(body["sha256"]), "the response was cut", RESPONSE)


def content(body: Mapping[str, Any]) -> bytes:
    """The bytes of a recorded body."""
    start = base64.b64decode(body["base64"]) if "base64" in body else str(body["text"]).encode()
    return start + b" " * min(int(body.get("padding", 0)), MOST_PADDING)
