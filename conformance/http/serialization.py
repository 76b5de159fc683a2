"""Exchanges as JSON values without secrets, and the command that sends a request again."""

import base64
import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.http import trace
from conformance.http.budget import LONGEST_RESPONSE
from conformance.http.exchange import Exchange
from conformance.http.redaction import Redactor

LONGEST_BODY = 64 * 1024
"""Bytes of a request body; a longer one is cut, with its length and digest."""

CREDENTIALS = frozenset({"authorization", "proxy-authorization", "x-api-key", "cookie"})
"""The headers whose values are never a target's."""

VARIABLE = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")

LONGEST_ARGUMENT = 100_000
"""Bytes of an argument in a command line; Linux accepts 131,072."""

UNREPEATED = frozenset({"user-agent", "accept-encoding"}) | trace.HEADERS
"""Headers that a command leaves out."""

Document = dict[str, Any]


def document(exchange: Exchange, redactor: Redactor, longest: int = LONGEST_RESPONSE) -> Document:
    """One exchange as JSON values.

    {id, item, operation, purpose, credential, scheme, request, response | failure, started,
    elapsed}. `started` and `elapsed` are in seconds. A body is {text} or {base64}, with {padding}
    for the number of spaces at the end of a long one, and {length, sha256} where it was cut.
    """
    request = exchange.request
    found: Document = {
        "id": exchange.id,
        "item": exchange.item,
        "operation": exchange.operation,
        "purpose": redactor.text(exchange.purpose),
        "credential": exchange.credential,
        "scheme": exchange.scheme,
        "request": {
            "method": request.method,
            "url": request.url,
            "headers": [list(pair) for pair in request.headers],
            "body": None if request.body is None else body(redactor.bytes(request.body)),
        },
        "started": round(exchange.started, 6),
        "elapsed": round(exchange.elapsed, 6),
    }
    if exchange.superseded:
        found["superseded"] = True
    if exchange.response is None:
        return {**found, "failure": exchange.failure}
    response = exchange.response
    written = body(redactor.bytes(response.body), longest)
    if response.cut is not None:
        written |= {"length": response.cut.length, "sha256": response.cut.sha256}
    found["response"] = {
        "status": response.status,
        "headers": [list(pair) for pair in redactor.headers(response.headers)],
        "body": written,
    }
    return found


def body(content: bytes, longest: int = LONGEST_BODY) -> Document:
    """A body as text where it is UTF-8, otherwise as base64; see `document`."""
    start = content.rstrip(b" ")
    if len(content) <= longest:
        return _written(content)
    if len(start) <= longest:
        return {**_written(start), "padding": len(content) - len(start)}
    return {
        **_written(_beginning(content, longest)),
        "length": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def shortened(document: Mapping[str, Any], longest: int) -> Document:
    """A recorded exchange with the beginnings of its bodies, in characters, where they are longer.

    They keep the length and the digest of the bytes that were recorded.
    """
    found = {**document, "request": _shortened(document["request"], longest)}
    if document.get("response"):
        found["response"] = _shortened(document["response"], longest)
    return found


def _shortened(message: Mapping[str, Any], longest: int) -> Document:
    recorded = message.get("body") or {}
    text = recorded.get("text", recorded.get("base64", ""))
    if len(text) <= longest:
        return dict(message)
    form = "text" if "text" in recorded else "base64"
    content = text.encode() if form == "text" else base64.b64decode(text)
    whole = {"length": len(content), "sha256": hashlib.sha256(content).hexdigest(), **recorded}
    whole.pop("padding", None)
    return {**message, "body": {**whole, form: text[: longest // 4 * 4]}}


def _written(content: bytes) -> Document:
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _beginning(content: bytes, longest: int) -> bytes:
    # Not cut within a character: the text has to stay UTF-8.
    end = next(
        (end for end in range(longest, longest - 4, -1) if content[end] & 0xC0 != 0x80), longest
    )
    return content[:end]


def curl(request: Mapping[str, Any], connection: Sequence[str] = ()) -> str:
    """A shell command that sends a recorded request again; secrets are shell variables.

    `connection` are the words of a gateway (target.connection).
    """
    content = request["body"]
    words = [
        "curl",
        "-sS",
        "-i",
        "-g",
        *connection,
        *_method(request["method"], has_body=content is not None),
        shlex.quote(request["url"]),
    ]
    for name, value in request["headers"]:
        if name not in UNREPEATED and (name, value) != (
            "accept",
            "application/json",
        ):
            words += ["-H", _header(name, value)]
    # curl would name its own ones.
    own = ("accept",) if content is None else ("accept", "content-type")
    words += [
        word for name in own if name not in dict(request["headers"]) for word in ("-H", f"{name}:")
    ]
    if content is None:
        return " ".join(words)
    text = shlex.quote(content.get("text", ""))
    if {"text"} == set(content) and "\0" not in text and len(text.encode()) <= LONGEST_ARGUMENT:
        return " ".join([*words, "--data-raw", text])
    words += ["-H", "expect:", "--data-binary"]
    if "length" in content:
        note = (
            f"# {content['length']} bytes with the SHA-256 {content['sha256']}: too many to be kept"
        )
        return " ".join([*words, "@body", note])
    return " ".join([*_producer(content), "|", *words, "@-"])


def _method(method: str, *, has_body: bool) -> list[str]:
    if method == "HEAD":
        return ["-I"]  # after `-X HEAD` curl waits for a body
    return [] if method == "GET" and not has_body else ["-X", method]


def _header(name: str, value: str) -> str:
    # A variable needs double quotes. Other headers may be from the target, which could name a
    # variable or a command: nothing of them is expanded.
    is_ours = name in CREDENTIALS and VARIABLE.fullmatch(value.removeprefix("Bearer "))
    return f'"{name}: {value}"' if is_ours else shlex.quote(f"{name}: {value}")


def _producer(content: Mapping[str, Any]) -> list[str]:
    coded = (
        content["base64"]
        if "base64" in content
        else base64.b64encode(content["text"].encode()).decode()
    )
    start = f"printf %s '{coded}' | base64 -d"
    padding = (
        f"head -c {content['padding']} /dev/zero | tr '\\0' ' '" if "padding" in content else ":"
    )
    return [f"{{ {start}; {padding}; }}"]
