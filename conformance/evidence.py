"""Exchanges as they are written down: without secrets, and with a command that sends the request again."""

import base64
import hashlib
import shlex
from collections.abc import Mapping
from typing import Any

from conformance.exchange import Exchange
from conformance.redaction import Redactor

LONGEST_BODY = 64 * 1024
"""Bytes of a body that are kept whole; of a longer one the beginning, the length and the digest."""

Document = dict[str, Any]


def document(exchange: Exchange, redactor: Redactor) -> Document:
    """One exchange as JSON-able members: {id, item, operation, purpose, credential, scheme, request, response | failure, started, elapsed}.

    `started` and `elapsed` are in seconds; a body is {text} or {base64}, with {length, sha256} where it was cut.
    """
    request = exchange.request
    found: Document = {
        "id": exchange.id,
        "item": exchange.item,
        "operation": exchange.operation,
        "purpose": exchange.purpose,
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
    found["response"] = {
        "status": response.status,
        "headers": [list(pair) for pair in redactor.headers(response.headers)],
        "body": body(redactor.bytes(response.body)),
    }
    return found


def body(content: bytes) -> Document:
    """A body as text where it is UTF-8, otherwise in base64."""
    kept = content[:LONGEST_BODY]
    cut = {} if len(content) == len(kept) else {"length": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    try:
        return {"text": kept.decode(), **cut}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(kept).decode(), **cut}


def curl(request: Mapping[str, Any]) -> str:
    """A shell command that sends a recorded request again; secrets are the variables that the profile names."""
    words = ["curl", "-sS", "-i"]
    if request["method"] != "GET":
        words += ["-X", request["method"]]
    words.append(shlex.quote(request["url"]))
    for name, value in request["headers"]:
        if name not in {"user-agent", "accept"}:
            words += ["-H", _header(name, value)]
    content = request["body"]
    if content is None:
        return " ".join(words)
    if "text" in content and "length" not in content:
        return " ".join([*words, "--data-binary", shlex.quote(content["text"])])
    return " ".join([*_producer(content), "|", *words, "--data-binary", "@-"])


def _header(name: str, value: str) -> str:
    # A variable has to stand in double quotes, everything else is safest in single ones.
    secret = value.removeprefix("Bearer ")
    return f'"{name}: {value}"' if secret.startswith("$") and secret[1:].isidentifier() else shlex.quote(f"{name}: {value}")


def _producer(content: Mapping[str, Any]) -> list[str]:
    if "base64" in content:
        return ["printf", "%s", content["base64"], "|", "base64", "-d"]
    # Bodies that are too long to be kept are padded with blanks by the check that sends them.
    start = content["text"].rstrip(" ")
    return ["{ printf %s", shlex.quote(start), ";", f"head -c {content['length'] - len(start.encode())} /dev/zero | tr '\\0' ' '; }}"]
