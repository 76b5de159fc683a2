"""What a target does to a run at the moment in which a signal stops it.

Each is an interface, a function of the right response, and the seconds after the request at which
the signal is sent.
"""

import json
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hostile_behaviours import CHUNKED, CLOSED, MEGABYTE, branching, cursor, each, schema
from hostile_run import CLASSES
from hostile_server import Answer, Bytes
from stopped_run import Ended, stopped, trapped

STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"

Response = Callable[[Answer, threading.Event], Bytes]


@dataclass(frozen=True)
class Situation:
    """A response, and when the signal is sent: after so many requests and seconds."""

    face: str
    respond: Response
    after: float = 0.0
    requests: int = 1


def waiting(answer: Answer, end: threading.Event) -> bytes:
    """Nothing, for a minute."""
    end.wait(60)
    return answer.but()


def dripping(start: bytes, piece: bytes, pause: float) -> Response:
    """The same bytes again and again."""

    def respond(_: Answer, end: threading.Event) -> Iterator[bytes]:
        yield start
        while not end.wait(pause):
            yield piece

    return respond


def always(change: Callable[[Answer], Bytes]) -> Response:
    """A response at once."""
    return lambda answer, _: change(answer)


def body(content: bytes, *headers: str) -> Response:
    """Another body, at once."""
    return lambda answer, _: answer.but(content, "", *headers)


def large_description(answer: Answer, _: threading.Event) -> bytes:
    """The right description with schemas of 7 MB that all have to be compared."""
    found = json.loads(answer.body)
    schemas: dict[str, Any] = found["components"]["schemas"]
    for number in range(2_000):
        fields = {f"field{each}": {"type": "string"} for each in range(40)}
        schemas[f"Extra{number}"] = {"type": "object", "properties": fields}
    extra = [{"$ref": f"#/components/schemas/Extra{number}"} for number in range(2_000)]
    schemas["Account"] = {"allOf": [schemas["Account"], {"anyOf": extra}]}
    return answer.but(json.dumps(found).encode())


def tools(answer: Answer, end: threading.Event) -> bytes:
    """Everything at once but the list of tools, which takes a minute."""
    if b'"tools"' in answer.body:
        end.wait(60)
    return answer.but()


MILLION = 1_000_000

SITUATIONS = {
    "a response that does not come": Situation("http", waiting, requests=4),
    "an endless body": Situation("http", dripping(CLOSED, b" " * 65_536, 0.0), 0.3),
    "one byte a second": Situation("http", dripping(CLOSED, b" ", 1.0), 0.3, requests=4),
    "an endless chunked body": Situation(
        "http", dripping(CHUNKED, b"10000\r\n" + b" " * 65_536 + b"\r\n", 0.0), 0.3
    ),
    "31 MB of blanks": Situation("http", body(b" " * (31 * MEGABYTE)), 0.3),
    "31 MB of text": Situation("http", body(b'"' + b"x" * (31 * MEGABYTE) + b'"'), 0.3),
    "a million digits": Situation("http", body(b'{"data":' + b"1" * MILLION + b"}"), 0.3),
    "a million decimals": Situation("http", body(b'{"data":0.' + b"1" * MILLION + b"}"), 0.3),
    "a million items": Situation(
        "http", body(b'{"data":{"items":[' + b"{}," * 50_000 + b"{}]}}"), 0.3, requests=4
    ),
    **{
        f"7 MB of {name}": Situation("http", body(piece * (7 * MEGABYTE // len(piece))), 3.0)
        for name, piece in (("escapes", rb"\x41"), ("escapes within escapes", b"%2541\\\\x41"))
    },
    "a cursor of 10 MB": Situation("http", always(cursor("x" * (7 * MEGABYTE))), 0.5, requests=4),
    "names of half a megabyte": Situation(
        "http", always(each(lambda record: {**record, "name": "n" * 500_000})), 0.5, requests=4
    ),
    "a Retry-After": Situation(
        "http", always(lambda answer: answer.but(None, "429 Slow", "retry-after: 80")), 0.3
    ),
    "a description of 31 MB": Situation(
        "description", body(b'{"openapi": "3.1.1", "x": "' + b"x" * (31 * MEGABYTE) + b'"}'), 0.1
    ),
    "a description of many schemas": Situation("description", large_description, 0.1),
    "a description that does not come": Situation("description", waiting),
    "an initialize that does not come": Situation("tools", waiting),
    "an endless event stream": Situation("tools", dripping(STREAM, b": ping\n\n", 0.1), 0.3),
    "a flood of events": Situation("tools", dripping(STREAM, b"data: {}\n\n" * 5_000, 0.0), 0.3),
    "a slow list of tools": Situation("tools", tools, 0.5, requests=2),
    "a schema that branches": Situation("tools", always(schema(branching(30))), 0.5, requests=3),
}
"""The situations, by name."""


def stopped_in(name: str, directory: Path, number: signal.Signals = signal.SIGTERM) -> Ended:
    """How a run ends that receives a signal in a situation."""
    found = SITUATIONS[name]
    with trapped(directory, found.face, found.respond, CLASSES[found.face]) as trap:
        return stopped(
            directory, trap.options, lambda: trap.ready(found.requests, found.after), [number]
        )
