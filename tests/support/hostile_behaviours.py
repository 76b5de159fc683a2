"""A hundred broken behaviours of a target: what it sends instead of its responses.

Each is a function of the right response. Those of `tools` replace responses of JSON-RPC, those of
`description` the published OpenAPI document.
"""

import functools
import gzip
import json
import time
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from hostile_server import Answer, Broken, Bytes

MEGABYTE = 1024 * 1024
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
CLOSED = HEAD + b"connection: close\r\n\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


def raw(*pieces: bytes) -> Broken:
    """Always the same bytes."""
    return lambda _: b"".join(pieces)


def status(line: str) -> Broken:
    """The right response with another status line."""
    return lambda answer: answer.but(None, line)


def header(*lines: str) -> Broken:
    """The right response with further headers."""
    return lambda answer: answer.but(None, "", *lines)


def body(content: bytes, *headers: str) -> Broken:
    """Another body."""
    return lambda answer: answer.but(content, "", *headers)


def document(change: Callable[[Any], Any]) -> Broken:
    """The JSON document of the response, changed."""

    def respond(answer: Answer) -> Bytes:
        try:
            found = json.loads(answer.body)
        except ValueError:
            return answer.but()
        return answer.but(json.dumps(change(found)).encode())

    return respond


def data(change: Callable[[Any], Any]) -> Broken:
    """The `data` of a success, changed."""
    return document(
        lambda found: {**found, "data": change(found["data"])} if "data" in found else found
    )


def items(change: Callable[[list[Any]], list[Any]]) -> Broken:
    """The items of a page, changed."""
    return data(
        lambda found: {**found, "items": change(found["items"])} if "items" in found else found
    )


def cursor(value: Any) -> Broken:
    """Another `nextCursor` on every page."""
    return data(lambda found: {**found, "nextCursor": value} if "items" in found else found)


def each(change: Callable[[Any], Any]) -> Broken:
    """Every record of a page, changed."""
    return items(lambda found: [change(record) for record in found])


def result(value: Any) -> Broken:
    """Another result of every JSON-RPC request."""
    return document(lambda found: {**found, "result": value} if "id" in found else found)


def tool(change: Callable[[Any], Any]) -> Broken:
    """Each tool of the list of tools, changed."""

    def changed(found: Any) -> Any:
        listed = found.get("result", {}).get("tools") if isinstance(found, dict) else None
        if not listed:
            return found
        return {**found, "result": {**found["result"], "tools": list(map(change, listed))}}

    return document(changed)


def listed(change: Callable[[Any], Any]) -> Broken:
    """The list of tools, changed."""

    def changed(found: Any) -> Any:
        held = found.get("result") if isinstance(found, dict) else None
        return {**found, "result": change(held)} if held and "tools" in held else found

    return document(changed)


def schema(value: Any) -> Broken:
    """Another input schema of every tool."""
    return tool(lambda found: {**found, "inputSchema": value})


def events(*chunks: str) -> Broken:
    """An event stream instead of JSON."""
    return body("".join(chunks).encode("utf-8", "surrogatepass"), "content-type: text/event-stream")


def slowly(*pieces: bytes, pause: float = 0.2, rounds: int = 10_000) -> Broken:
    """The first bytes at once, the last ones again and again."""

    def respond(_: Answer) -> Iterator[bytes]:
        yield from pieces[:-1]
        for _round in range(rounds):
            yield pieces[-1]
            time.sleep(pause)

    return respond


def slow_start(seconds: float) -> Broken:
    """The right response after some seconds."""

    def respond(answer: Answer) -> Bytes:
        time.sleep(seconds)
        return answer.but()

    return respond


def endless(start: bytes, piece: bytes) -> Broken:
    """A response without an end, as fast as it can be read."""
    return slowly(start, piece, pause=0.0, rounds=1_000_000)


def packed(content: bytes, coding: str, times: int = 1) -> Broken:
    """A compressed body."""
    packer = gzip.compress if coding == "gzip" else zlib.compress
    for _ in range(times):
        content = packer(content)
    return body(content, f"content-encoding: {', '.join([coding] * times)}")


def deep(opening: str, closing: str, levels: int) -> bytes:
    """A deeply nested JSON text."""
    return (opening * levels + "1" + closing * levels).encode()


def branching(levels: int) -> dict[str, Any]:
    """A schema with two to the power of `levels` paths."""
    definitions: dict[str, Any] = {
        f"x{level}": {"anyOf": [{"$ref": f"#/$defs/x{level + 1}"}] * 2} for level in range(levels)
    }
    definitions[f"x{levels}"] = {"type": "object", "required": ["never"]}
    return {"type": "object", "anyOf": [{"$ref": "#/$defs/x0"}], "$defs": definitions}


def described(change: Callable[[Any], Any]) -> Broken:
    """The published description, changed."""

    def changed(found: Any) -> Any:
        change(found)
        return found

    return document(changed)


def linked(length: int) -> Broken:
    """Schemas of which each holds where the next one holds; the account is the first."""

    def change(found: Any) -> None:
        names = [f"L{number}" for number in range(length)]
        links = {
            name: {"allOf": [{"$ref": f"#/components/schemas/{following}"}]}
            for name, following in pairwise([*names, "Last"])
        }
        account = {"$ref": "#/components/schemas/L0"}
        found["components"]["schemas"].update(links, Last={"type": "object"}, Account=account)

    return described(change)


def account(value: Any) -> Broken:
    """Another schema of the account in the description."""
    return described(lambda found: found["components"]["schemas"].update(Account=value))


def branches(found: Any) -> None:
    """Schemas whose branches double at each level."""
    schemas = found["components"]["schemas"]
    for level in range(24):
        target = f"#/components/schemas/B{level + 1}"
        schemas[f"B{level}"] = {"anyOf": [{"$ref": target}, {"$ref": target}]}
    schemas["B24"] = {"type": "string"}
    schemas["Account"] = {"$ref": "#/components/schemas/B0"}


def chain(found: Any) -> None:
    """Ten thousand references, each to the next one."""
    schemas = found["components"]["schemas"]
    for number in range(10_000):
        schemas[f"C{number}"] = {"$ref": f"#/components/schemas/C{number + 1}"}
    schemas["C10000"] = {"type": "string"}
    schemas["Account"] = {"$ref": "#/components/schemas/C0"}


UUID = "01980000-0000-7000-8000-000000000001"
LONG = "x" * (10 * MEGABYTE)
WIDE = LONG[:300_000] + "\U0001f600"
"""A character of four bytes, so that each of the others takes up four in memory too."""
EMOJI = b"\\ud83d\\ude00"
EVIL = "$(reboot) ${HOME} \x1b[31m \u202e ::error::x ##[error] <script>"

EVIL_PATTERN = "^(a+)+$"
NESTED = "(" * 500 + "a" + "){1,9}" * 500
DEEPEST: Any = 1
"""What is within all levels of a value."""
HOLDS_WHERE_IT_HOLDS = {
    "type": "object",
    "allOf": [{"$ref": "#/$defs/one"}],
    "$defs": {"one": {"allOf": [{"$ref": "#/$defs/two"}]}, "two": {"$ref": "#/$defs/one"}},
}
"""No value decides it: a validator that follows every reference has no end."""
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


def output_schema(value: Any) -> Broken:
    """An output schema of every tool, and results with a text that is evil for its patterns."""

    def changed(found: Any) -> Any:
        held = found.get("result") if isinstance(found, dict) else None
        if not isinstance(held, dict):
            return found
        if "tools" in held:
            tools = [{**each, "outputSchema": value} for each in held["tools"]]
            return {**found, "result": {**held, "tools": tools}}
        if "content" in held:
            return {**found, "result": {**held, "structuredContent": {"a" * 60 + "b": 1}}}
        return found

    return document(changed)


def content(text: str) -> Broken:
    """Another text in the result of every call of a tool."""

    def changed(found: Any) -> Any:
        held = found.get("result") if isinstance(found, dict) else None
        if not isinstance(held, dict) or "content" not in held:
            return found
        return {**found, "result": {"content": [{"type": "text", "text": text}]}}

    return document(changed)


def doubling() -> Broken:
    """A list of tools that goes on, with cursors that double up to 7 MB."""
    length = 1
    kept: list[Any] = []

    def changed(found: Any) -> Any:
        nonlocal length
        if "tools" in found.get("result", {}):
            kept.append(found["result"])
        elif "error" not in found or not kept:
            return found
        length = min(2 * length, 7 * MEGABYTE)
        result = {**kept[0], "nextCursor": "c" * length}
        return {"jsonrpc": "2.0", "id": found["id"], "result": result}

    return document(lambda found: changed(found) if isinstance(found, dict) else found)


def yaml(text: bytes) -> Broken:
    """A description in YAML."""
    return body(text, "content-type: application/yaml")


def of_version_3_0(found: Any) -> None:
    """An evil pattern, and a default that it takes ages to reject."""
    found["openapi"] = "3.0.3"
    evil = {"type": "string", "pattern": EVIL_PATTERN, "default": "a" * 60 + "b"}
    found["components"]["schemas"]["Account"] = {"type": "object", "properties": {"x": evil}}


def doubling_variables(found: Any) -> None:
    """Each variable of a server URL is the next one twice; and an operation is missing."""
    del found["paths"]["/account"]
    variables = {f"v{n}": {"default": f"{{v{n + 1}}}" * 2} for n in range(40)}
    found["servers"] = [{"url": "{v0}/v1", "variables": variables}]


def many_parameters(found: Any) -> None:
    """Six thousand on each list."""
    named = [{"name": f"n{n}", "in": "query", "schema": {"type": "string"}} for n in range(6_000)]
    for item in found["paths"].values():
        if "get" in item:
            item["get"]["parameters"] = named


HTTP: dict[str, Broken] = {
    "nothing at all": raw(b""),
    "a status line only": raw(b"HTTP/1.1 200 OK\r\n"),
    "no HTTP": raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"),
    "HTTP/0.9": raw(b"{}"),
    "HTTP/2 preface": raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "HTTP/9.9": raw(b"HTTP/9.9 200 OK\r\ncontent-length: 2\r\n\r\n{}"),
    "TLS alert": raw(b"\x15\x03\x03\x00\x02\x02\x28"),
    "status 000": status("000 nothing"),
    "status 99": status("99 too small"),
    "status 600": status("600 too large"),
    "status 999": status("999 largest"),
    "status 20": status("20 short"),
    "status 2000": status("2000 long"),
    "status -1": status("-1 negative"),
    "status in words": status("two hundred"),
    "a long reason": status("200 " + "x" * 50_000),
    "an odd reason": status("200 \x01\x02é"),
    "status 204 with a body": status("204 No Content"),
    "status 304": status("304 Not Modified"),
    "status 101": status("101 Switching Protocols"),
    "status 206": status("206 Partial Content"),
    "status 418": status("418 I'm a teapot"),
    "status 200 for every error": status("200 OK"),
    "status 500 always": status("500 Internal Server Error"),
    "status 503 always": status("503 Service Unavailable"),
    "Retry-After for ever": lambda answer: answer.but(None, "429 Slow", "retry-after: 80"),
    "Retry-After of ages": lambda answer: answer.but(None, "503 Slow", "retry-after: 999999999999"),
    "Retry-After of digits": lambda answer: answer.but(
        None, "429 Slow", f"retry-after: {'9' * 10_000}"
    ),
    "Retry-After in the past": lambda answer: answer.but(
        None, "429 Slow", "retry-after: Mon, 01 Jan 0001 00:00:00 GMT"
    ),
    "Retry-After, negative": lambda answer: answer.but(None, "429 Slow", "retry-after: -5"),
    "a redirect to itself": lambda answer: answer.but(b"", "302 Found", "location: ?"),
    "a redirect elsewhere": lambda answer: answer.but(
        b"", "307 Moved", "location: http://127.0.0.1:9/v1"
    ),
    "a redirect to a file": lambda answer: answer.but(b"", "301 Moved", "location: file:///etc"),
    "a redirect to nonsense": lambda answer: answer.but(b"", "308 Moved", "location: http://[::1"),
    "many headers": header(*(f"x-{number}: y" for number in range(3_000))),
    "a million headers": endless(HEAD, b"x-more: y\r\n" * 1_000),
    "a huge header": header("x-huge: " + "y" * 90_000),
    "a header beyond the limit": header("x-huge: " + "y" * 500_000),
    "a header without a colon": header("no colon here"),
    "a header with a space": header("bad name: x"),
    "an empty header name": header(": x"),
    "a folded header": header("x-folded: a\r\n b"),
    "a header with octets": header("x-octets: \udc80\udcff"),
    "a header with a surrogate": header("x-surrogate: \udced\udca0\udc80"),
    "a header with control characters": header("x-control: a\x00b\x1b[31m"),
    "two content types": header("content-type: text/html", "content-type: application/json"),
    "an odd content type": header('content-type: ;;;="application/json'),
    "an unknown charset": header("content-type: application/json; charset=evil"),
    "no content type": header("content-type:"),
    "two lengths": header("content-length: 5"),
    "a negative length": raw(HEAD, b"content-length: -1\r\n\r\n{}"),
    "a huge length": raw(HEAD, b"content-length: 99999999999999999999\r\n\r\n{}"),
    "a length of letters": raw(HEAD, b"content-length: many\r\n\r\n{}"),
    "a body that is too short": raw(HEAD, b"content-length: 100\r\n\r\n{}"),
    "a bad chunk": raw(CHUNKED, b"zz\r\n{}\r\n0\r\n\r\n"),
    "a huge chunk": raw(CHUNKED, b"ffffffffffffffff\r\n{}"),
    "a chunk without an end": raw(CHUNKED, b"2\r\n{}"),
    "trailers": raw(CHUNKED, b"2\r\n{}\r\n0\r\nx: y\r\n\r\n"),
    "length and chunks": raw(
        HEAD, b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    ),
    "an unknown coding": header("content-encoding: br"),
    "many codings": header("content-encoding: " + "gzip, " * 1_000 + "gzip"),
    "a coding that it is not": header("content-encoding: gzip"),
    "a bomb of blanks": packed(b" " * (64 * MEGABYTE), "gzip"),
    "a bomb of zeros, deflated": packed(bytes(64 * MEGABYTE), "deflate"),
    "a bomb in a bomb": packed(b" " * (64 * MEGABYTE), "gzip", 2),
    "a cut gzip": body(gzip.compress(b"{}" * 5_000)[:50], "content-encoding: gzip"),
    "an endless body": endless(CLOSED, b" " * 65_536),
    "an endless chunked body": endless(CHUNKED, b"10000\r\n" + b" " * 65_536 + b"\r\n"),
    "one byte a second": slowly(CLOSED, b" ", pause=1.0),
    "a slow head": slowly(b"HTTP/1.1 200 OK\r\nx-slow: ", b"y", pause=1.0),
    "interim responses for ever": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "31 MB of blanks": body(b" " * (31 * MEGABYTE)),
    "a million digits": body(b'{"data":' + b"1" * 1_000_000 + b"}"),
    "a million decimals": body(b'{"data":0.' + b"1" * 1_000_000 + b"}"),
    "a huge exponent": body(b'{"data":1e' + b"9" * 100_000 + b"}"),
    "deep arrays": body(deep("[", "]", 1_000_000)),
    "deep objects": body(deep('{"a":', "}", 200_000)),
    "a million items": body(b'{"data":{"items":[' + b"{}," * 1_000_000 + b"{}]}}"),
    "a million names": body(
        b"{" + b",".join(b'"k%d":0' % number for number in range(200_000)) + b"}"
    ),
    "the same name again": body(b'{"data":1,' * 1 + b'"data":2,' * 100_000 + b'"data":{}}'),
    "NaN and Infinity": body(b'{"data": NaN, "requestId": Infinity}'),
    "no JSON": body(b"<html>Bad gateway</html>"),
    "an empty body": body(b""),
    "blanks only": body(b"   "),
    "null": body(b"null"),
    "a string": body(b'"data"'),
    "a number": body(b"42"),
    "an array": body(b"[]"),
    "UTF-16": lambda answer: answer.but(answer.body.decode().encode("utf-16")),
    "a byte order mark": lambda answer: answer.but(b"\xef\xbb\xbf" + answer.body),
    "invalid UTF-8": lambda answer: answer.but(answer.body.replace(b"a", b"\xff")),
    "lone surrogates": body(b'{"data": "\\ud800", "requestId": "\\udfff"}'),
    "nulls in strings": body(b'{"data": "\\u0000", "requestId": "\\u0000"}'),
    "two documents": lambda answer: answer.but(answer.body + answer.body),
    "a comma too many": lambda answer: answer.but(answer.body.replace(b"}", b",}")),
    "data is a list": data(lambda _: []),
    "data is null": data(lambda _: None),
    "items is an object": data(lambda _: {"items": {}, "nextCursor": None}),
    "items of numbers": items(lambda _: [1, None, "x", [], True]),
    "a page of one record": items(lambda found: found[:1] * 5_000),
    "ids that are no ids": each(lambda record: {**record, "id": 7}),
    "the same id everywhere": each(lambda record: {**record, "id": UUID}),
    "every field null": each(dict.fromkeys),
    "hostile names": each(lambda record: {**record, EVIL: EVIL, "name": EVIL}),
    "huge names": each(lambda record: {**record, "name": "n" * 500_000}),
    "a cursor of 10 MB": cursor(LONG[: 4 * MEGABYTE]),
    "the same cursor for ever": cursor(UUID),
    "a cursor that is a number": cursor(7),
    "a cursor of a shell": cursor(EVIL),
    "a response every 14 s": slow_start(14.0),
    "a page just below the limits": body(
        b'{"data":{"items":[' + b'{"id":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},' * 70_000 + b"{}]}}"
    ),
    "a text of wide characters": each(lambda record: {**record, "name": WIDE}),
    "other names in every record": items(
        lambda found: (
            [
                {**found[0], **{f"n{number}-{name}": 0 for name in range(100)}}
                for number in range(900)
            ]
            if found
            else found
        )
    ),
    "escapes in every character": lambda answer: answer.but(
        answer.body.replace(
            b'"requestId":', b'"x":"' + b"\\ud83d\\ude00" * 600_000 + b'","requestId":'
        )
    ),
    "many cookies": header(*(f"set-cookie: c{number}=x; Path=/" for number in range(3_000))),
    "many links": header("link: " + ", ".join(f"</v1/{n}>; rel=next" for n in range(4_000))),
    "an error of 7 MB": lambda answer: answer.but(
        json.dumps({"code": "x", "requestId": "y", "message": LONG[: 7 * MEGABYTE]}).encode(),
        "400 Bad Request",
    ),
    "codes of 7 MB": lambda answer: answer.but(
        json.dumps({"code": LONG[: 7 * MEGABYTE], "requestId": "y"}).encode(), "404 Not Found"
    ),
    "many gzip members": body(gzip.compress(b" ") * 100_000, "content-encoding: gzip"),
    "a gzip header without an end": endless(
        HEAD + b"content-encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\0", b"x" * 65_536
    ),
    "thousands of localizations": each(
        lambda record: {**record, "localizations": [{"id": UUID, "language": "x"}] * 1_000}
    ),
}
"""Broken responses of the HTTP API."""

TOOLS: dict[str, Broken] = {
    "no JSON-RPC": body(b"{}"),
    "a list of messages": document(lambda found: [found]),
    "another id": document(lambda found: {**found, "id": -1}),
    "result and error": document(lambda found: {**found, "error": {"code": 1, "message": "m"}}),
    "an error without a code": document(lambda _: {"jsonrpc": "2.0", "id": 1, "error": 7}),
    "a result of text": result("text"),
    "a result of null": result(None),
    "tools that are a text": result({"tools": "text"}),
    "tools without names": tool(lambda _: {}),
    "tools with names of numbers": tool(lambda found: {**found, "name": 7}),
    "a schema that is a text": schema("text"),
    "a schema that refers to itself": schema({"$ref": "#"}),
    "a schema with a cycle": schema(
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    ),
    "a schema that branches": schema(branching(30)),
    "a schema with an evil pattern": schema(
        {"type": "object", "additionalProperties": {"pattern": "^(([a-z0-9-])+.)+[A-Z]+$"}}
    ),
    "a schema that is very deep": schema(json.loads(deep('{"not":', "}", 300))),
    "a schema elsewhere": schema({"$ref": "http://127.0.0.1:9/schema"}),
    "headers from a schema": schema(
        {"type": "object", "properties": {"limit": {"x-mcp-header": "a\r\nb: c"}}}
    ),
    "an output schema with an evil pattern": output_schema(
        {"type": "object", "patternProperties": {EVIL_PATTERN: {}}, "additionalProperties": False}
    ),
    "an output schema that holds where it holds": output_schema(HOLDS_WHERE_IT_HOLDS),
    "an output schema of 900 levels": output_schema(
        {"type": "object", "const": functools.reduce(lambda inner, _: [inner], range(900), DEEPEST)}
    ),
    "an output schema of nested repetitions": output_schema(
        {"type": "object", "patternProperties": {NESTED: {}}}
    ),
    "output schemas of many patterns": output_schema(
        {"type": "object", "patternProperties": {f"(\\w{{99}}){n}": {} for n in range(20_000)}}
    ),
    "a schema of many patterns": schema(
        {"type": "object", "patternProperties": {f"(\\w{{99}}){n}": {} for n in range(20_000)}}
    ),
    "properties that are the schema itself": schema(
        {"type": "object", "properties": {f"p{n}": {"$ref": "#"} for n in range(300)}}
    ),
    "required properties that are the schema itself": schema(
        {
            "type": "object",
            "properties": {f"p{n}": {"$ref": "#"} for n in range(300)},
            "required": [f"p{n}" for n in range(300)],
        }
    ),
    "alternatives that are the schema itself": schema(
        {"type": "object", "allOf": [{"$ref": "#"}] * 300}
    ),
    "results of code blocks": content("```json" + "\n " * 400_000),
    "results of fences": content("```\n" * 400_000),
    "a stream of blank lines": events("\n" * (7 * MEGABYTE)),
    "a stream of one event": events("data: x\n" * (MEGABYTE - 1)),
    "an endless event": endless(STREAM, b"data: x\n" * 5_000),
    "cursors of 7 MB": listed(lambda found: {**found, "nextCursor": LONG[: 7 * MEGABYTE]}),
    "cursors that double": doubling(),
    "cursors of marks": listed(
        lambda found: {**found, "nextCursor": f"{time.monotonic_ns()}\u2026 (3 more) $KEY <cursor>"}
    ),
    "a session of a shell": header("mcp-session-id: $AWS_SECRET_ACCESS_KEY"),
    "a session with octets": header("mcp-session-id: \udc80\udcff"),
    "a stream without an end": endless(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", b": ping\n\n" * 5_000
    ),
    "a slow stream": slowly(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", b": ping\n\n", pause=1.0
    ),
    "a million events": events("data: {}\n\n" * 200_000),
    "events that are no JSON": events("data: {\ndata: ,\n\n", "event: x\n\n"),
    "a redirect to another host": lambda answer: answer.but(
        b"", "307 Moved", "location: http://127.0.0.1:9/mcp"
    ),
    "a redirect to itself": lambda answer: answer.but(b"", "307 Moved", "location: ?"),
    "another redirect every time": lambda answer: answer.but(
        b"", "308 Moved", f"location: /mcp?{time.monotonic_ns()}"
    ),
    "endless pages of tools": listed(
        lambda found: {**found, "nextCursor": str(time.monotonic_ns())}
    ),
    "many tools": listed(
        lambda found: {
            **found,
            "tools": found["tools"]
            + [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(15_000)],
        }
    ),
    "huge schemas": tool(
        lambda found: {
            **found,
            "inputSchema": {
                "type": "object",
                "properties": {f"p{n}": {"type": "string"} for n in range(8_000)},
            },
        }
    ),
    "schemas of many branches": schema(
        {"type": "object", "anyOf": [{"required": [f"r{n}"]} for n in range(20_000)]}
    ),
    "huge descriptions of tools": tool(lambda found: {**found, "description": LONG[:700_000]}),
    "errors of 7 MB": document(
        lambda found: {
            "jsonrpc": "2.0",
            "id": found.get("id"),
            "error": {"code": -32000, "message": LONG[: 7 * MEGABYTE]},
        }
    ),
    "a protocol version of 1 MB": document(
        lambda found: {**found, "result": {"protocolVersion": "x" * MEGABYTE}}
    ),
}
"""Broken responses of the tool interface."""

DESCRIPTION: dict[str, Broken] = {
    "an evil pattern with a default in 3.0": described(of_version_3_0),
    "a chain of 19,000 alternatives": linked(19_000),
    "a chain of 40,000 alternatives": linked(40_000),
    "nested repetitions in a pattern": account(
        {"type": "object", "patternProperties": {NESTED: {}}}
    ),
    "many patterns": account(
        {
            "type": "object",
            "patternProperties": {f"(\\w{{99}}){n}": {"type": "string"} for n in range(10_000)},
        }
    ),
    "patterns that look around": account(
        {"type": "object", "patternProperties": {"^(?=(a+)+c)(a|aa)+$": {}}}
    ),
    "a sequence of empty items": yaml(b"x:\n" + b"-\n" * 3_500_000),
    "a comment of 8 MB": yaml(b"#" * 8_000_000),
    "merge keys": yaml(
        b"a: &a\n"
        + b"".join(b" k%d: 0\n" % n for n in range(60_000))
        + b"b:\n"
        + b" <<: *a\n" * 60_000
    ),
    "server variables that double": described(doubling_variables),
    "thousands of parameters": described(many_parameters),
    "a path of 3 million characters": described(
        lambda found: found["paths"].update(
            {f"/{LONG[: 3 * MEGABYTE]}": found["paths"]["/account"]}
        )
    ),
    "a path of braces": described(
        lambda found: found["paths"].update({"/" + "{" * MEGABYTE: found["paths"]["/account"]})
    ),
    "a hexadecimal integer": yaml(b"openapi: 3.1.1\nx: 0x" + b"f" * 100_000 + b"\n"),
    "a hexadecimal version": yaml(b"openapi: 0x" + b"f" * 6_000 + b"\n"),
    "a hexadecimal limit": account({"maxProperties": 16**300}),
    "not a document": body(b"hello"),
    "an empty document": body(b""),
    "null as a document": body(b"null"),
    "a document of 31 MB": body(b'{"openapi": "3.1.1", "x": "' + b"x" * (31 * MEGABYTE) + b'"}'),
    "a document of many values": body(b'{"openapi": "3.1.1", "x": [' + b"0," * 200_000 + b"0]}"),
    "YAML aliases": body(
        b"a: &a [x]\n"
        + b"".join(
            b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % (98 + n, 98 + n, *[97 + n] * 8)
            for n in range(20)
        ),
        "content-type: application/yaml",
    ),
    "a deep document": body(deep('{"openapi":', "}", 50_000)),
    "a long number": body(b'{"openapi": "3.1.1", "info": ' + b"1" * 5_000 + b"}"),
    "a million digits in the document": body(
        b'{"openapi": "3.1.1", "x": ' + b"1" * 1_000_000 + b"}"
    ),
    "schemas that branch": described(branches),
    "a schema of itself": account({"$ref": "#/components/schemas/Account"}),
    "a schema with all of itself": account({"allOf": [{"$ref": "#/components/schemas/Account"}]}),
    "a reference elsewhere": account({"$ref": "http://127.0.0.1:9/schema.json"}),
    "a reference to a file": account({"$ref": "file:///etc/passwd"}),
    "a reference to nothing": account({"$ref": "#/components/schemas/None"}),
    "an evil pattern": account({"type": "string", "pattern": "(a+)+$"}),
    "paths that are a list": described(lambda found: found.update(paths=[])),
    "no components": described(lambda found: found.pop("components")),
    "a chain of references": described(chain),
    "many paths": described(
        lambda found: found.update(
            paths={
                f"/p{n}": {"get": {"responses": {"200": {"description": "x"}}}}
                for n in range(20_000)
            }
        )
    ),
    "many alternatives": account(
        {"anyOf": [{"type": "object", "required": [f"r{n}"]} for n in range(10_000)]}
    ),
    "many enumerated values": account({"enum": [f"value {n}" for n in range(100_000)]}),
    "parameters of numbers": described(
        lambda found: found["paths"]["/projects"]["get"].update(parameters=[1, None, "x"])
    ),
}
"""Broken descriptions."""

BEHAVIOURS: dict[str, tuple[str, Broken]] = {
    f"{face}: {name}": (face, respond)
    for face, table in (("http", HTTP), ("tools", TOOLS), ("description", DESCRIPTION))
    for name, respond in table.items()
}
