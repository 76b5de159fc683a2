"""The floor: the requests of a run, replayed by a bare loop that records and checks them.

The loop has no client, no retries, no schedule and no checks of its own; each response passes the
rules and is written as the log of a run writes it. Requests to the tool interface are left out.
"""

import http.client
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

from benchmarks import runs, served
from benchmarks.measured import Row
from conformance.contract import openapi
from conformance.http import replay, serialization
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.http.redaction import Redactor
from conformance.reference import ManualClock, Reference
from conformance.rules import examine
from conformance.target.profile import parse
from conformance.target.target import Target

Send = Callable[[Request], Response]
BASE_URL = "http://reference.invalid/v1"


@dataclass(frozen=True)
class Recorded:
    """One exchange of a recording: its operation, and its request with the secrets put back."""

    operation: str
    request: Request


def rows(depth: str) -> Iterator[Row]:
    """A run and its floor, in-process and over loopback."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _compared("in-process", runs.of(folder, depth), _here(folder))
        with served.reference(folder) as target:
            run = runs.of(folder, depth, "--target", target.profile)
            yield from _compared("over loopback", run, _there(folder, target.target))


def _compared(where: str, run: runs.Run, floor: tuple[float, int]) -> Iterator[Row]:
    cpu, exchanges = floor
    for name, seconds, count in (
        (f"bare loop, {where}", cpu, exchanges),
        (f"conformance run, {where}", run.cost.cpu, run.exchanges),
    ):
        yield Row(
            name,
            {
                "exchanges": count,
                "CPU s": round(seconds, 2),
                "exchanges/CPU s": round(count / seconds),
                "to floor": round(seconds / count / (cpu / exchanges), 1),
            },
        )


def _here(folder: Path) -> tuple[float, int]:
    clock = ManualClock()
    reference = Reference(clock=clock)
    target = parse(reference.profile(BASE_URL), environ={})
    return _replayed(folder, target, _direct(reference.app, clock))


def _there(folder: Path, target: Target) -> tuple[float, int]:
    address = urlsplit(target.base_url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port)
    try:
        return _replayed(folder, target, _over(connection))
    finally:
        connection.close()


def _replayed(folder: Path, target: Target, send: Send) -> tuple[float, int]:
    """The seconds of CPU of the loop, and the number of its exchanges."""
    secrets = {
        credential.variable(scheme): credential.secret(scheme)
        for credential in target.credentials.values()
        for scheme in credential.schemes
    }
    redactor = Redactor({secret: variable for variable, secret in secrets.items()})
    recording = folder / "report" / "exchanges.jsonl"
    recorded = list(_recorded(recording, target.base_url, secrets))
    contract = openapi.load()
    began = time.process_time()
    with (folder / "floor.jsonl").open("wb", buffering=0) as log:
        for number, each in enumerate(recorded, 1):
            response, call = send(each.request), Call(each.operation)
            exchange = Exchange("floor", number, call, "", None, None, each.request, response)
            log.write(orjson.dumps(serialization.document(exchange, redactor)) + b"\n")
            for _ in examine(exchange, contract):
                pass
    return time.process_time() - began, len(recorded)


def _recorded(path: Path, base_url: str, secrets: Mapping[str, str]) -> Iterator[Recorded]:
    with path.open("rb") as lines:
        for line in lines:
            exchange = orjson.loads(line)
            request = exchange["request"]
            is_operation = exchange["operation"] in openapi.load().operations
            is_http = request["url"].startswith(f"{base_url}/")
            if not is_operation or not is_http or "response" not in exchange:
                continue
            headers = tuple(
                (name, _with_secret(value, secrets)) for name, value in request["headers"]
            )
            body = None if request["body"] is None else replay.content(request["body"])
            yield Recorded(
                exchange["operation"], Request(request["method"], request["url"], headers, body)
            )


def _with_secret(value: str, secrets: Mapping[str, str]) -> str:
    scheme, space, variable = value.rpartition(" ")
    return f"{scheme}{space}{secrets.get(variable, variable)}"


def _direct(application: Any, clock: ManualClock) -> Send:
    """A call of the application in this process; the clock moves, or its rate limit would count."""

    def send(request: Request) -> Response:
        clock.advance(1)
        url = urlsplit(request.url)
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1",
            "method": request.method, "scheme": "http", "path": unquote(url.path),
            "raw_path": url.path.encode(), "query_string": url.query.encode(), "root_path": "",
            "headers": _encoded(request.headers), "server": (url.hostname, url.port or 80),
            "client": ("127.0.0.1", 50000),
        }  # fmt: skip
        return _driven(application, scope, request.body or b"")

    return send


def _encoded(headers: Sequence[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers]


def _driven(application: Any, scope: Mapping[str, Any], body: bytes) -> Response:
    start: dict[str, Any] = {}
    chunks: list[bytes] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        start.update(message)
        chunks.append(message.get("body", b""))

    call = application(dict(scope), receive, send)
    try:
        call.send(None)
    except StopIteration:
        pass
    else:
        call.close()
        raise RuntimeError("an operation of the reference waits")
    headers = tuple((name.decode(), value.decode("latin-1")) for name, value in start["headers"])
    return Response(start["status"], headers, b"".join(chunks))


def _over(connection: http.client.HTTPConnection) -> Send:
    def send(request: Request) -> Response:
        url = urlsplit(request.url)
        path = f"{url.path}?{url.query}" if url.query else url.path
        headers = {name: value for name, value in request.headers if name != "transfer-encoding"}
        connection.request(request.method, path, request.body, headers)
        received = connection.getresponse()
        fields = tuple((name.lower(), value) for name, value in received.getheaders())
        return Response(received.status, fields, received.read())

    return send
