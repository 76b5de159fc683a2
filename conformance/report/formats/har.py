"""Every exchange as an HTTP archive (HAR 1.2)."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from conformance import __version__
from conformance.report.document_types import BodyEntry, ExchangeEntry, Report, RequestEntry

Json = dict[str, Any]
NO_SIZE = -1
LONGEST = 64 * 1024 * 1024
"""Bytes of an archive: its readers hold it in memory. The log has what is left out."""
MOST_PADDING = 1024 * 1024
"""Blanks at the end of a body that the archive has: some bodies are too large on purpose."""


class Pieces:
    """The file's content, piece by piece; secrets are `$VARIABLES`."""

    def __init__(self, report: Report, exchanges: Iterable[ExchangeEntry]) -> None:
        self._report, self._exchanges = report, exchanges

    def __iter__(self) -> Iterator[bytes]:
        """A line for each entry: they are searched for secrets one after the other."""
        report, began = self._report, datetime.fromisoformat(self._report["started"])
        creator = {"name": report["suite"]["name"], "version": __version__}
        head = _encoded({"version": "1.2", "creator": creator, "pages": []})
        yield b'{"log": ' + head.removesuffix(b"}") + b', "entries": [\n'
        length, note = 0, ""
        for number, exchange in enumerate(self._exchanges):
            entry = _encoded(_entry(exchange, began))
            length += len(entry)
            if length > LONGEST:
                note = f" (the first {number} exchanges)"
                break
            yield b",\n" + entry if number else entry
        comment = f"{report['target']['base-url']}: {report['verdict']}{note}"
        yield b'\n], "comment": ' + _encoded(comment) + b"}}\n"


def render(report: Report, exchanges: Iterable[ExchangeEntry]) -> bytes:
    """The file's content as a whole."""
    return b"".join(Pieces(report, exchanges))


def _encoded(value: Json | str) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _entry(exchange: ExchangeEntry, began: datetime) -> Json:
    milliseconds = round(exchange["elapsed"] * 1000, 3)
    started = began + timedelta(seconds=exchange["started"])
    return {
        "startedDateTime": started.isoformat(timespec="microseconds"),
        "time": milliseconds,
        "request": _request(exchange["request"]),
        "response": _response(exchange),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "comment": f"{exchange['id']}: {exchange['purpose']}",
    }


def _request(request: RequestEntry) -> Json:
    found: Json = {
        "method": request["method"],
        "url": request["url"],
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(request["headers"]),
        "queryString": _pairs(parse_qsl(urlsplit(request["url"]).query, keep_blank_values=True)),
        "headersSize": NO_SIZE,
        "bodySize": NO_SIZE if request["body"] else 0,
    }
    if request["body"]:
        found["postData"] = {
            "mimeType": _type(request["headers"]),
            "params": [],
            "text": _text(request["body"]),
        }
    return found


def _response(exchange: ExchangeEntry) -> Json:
    response = exchange.get("response")
    if response is None:
        # This is how HAR viewers represent a request without a response.
        empty = {"size": 0, "mimeType": "x-unknown"}
        return {
            **_frame(0, "", []),
            "content": empty,
            "redirectURL": "",
            "bodySize": NO_SIZE,
            "_error": exchange["failure"],
        }
    body = response["body"]
    content: Json = {
        "size": len(_text(body).encode("utf-8", "surrogatepass")),
        "mimeType": _type(response["headers"]),
        "text": _text(body),
    }
    if "base64" in body:
        content["encoding"] = "base64"
    location = next((value for name, value in response["headers"] if name == "location"), "")
    frame = _frame(response["status"], _phrase(response["status"]), response["headers"])
    return {**frame, "content": content, "redirectURL": location, "bodySize": NO_SIZE}


def _frame(status: int, phrase: str, headers: Iterable[Iterable[str]]) -> Json:
    return {
        "status": status,
        "statusText": phrase,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(headers),
        "headersSize": NO_SIZE,
    }


def _pairs(pairs: Iterable[Iterable[str]]) -> list[Json]:
    return [{"name": name, "value": value} for name, value in pairs]


def _type(headers: Iterable[Iterable[str]]) -> str:
    return next((value for name, value in headers if name == "content-type"), "")


def _text(body: BodyEntry) -> str:
    text = body.get("text", body.get("base64", ""))
    return text + " " * min(body.get("padding", 0), MOST_PADDING)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
