"""Serialized exchanges, and the curl commands that repeat them."""

import base64
import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import orjson
import pytest
from faulty_server import served

from conformance.contract import openapi
from conformance.http import serialization
from conformance.http.client import Client
from conformance.http.dispatcher import Dispatcher
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.http.network import Network
from conformance.http.redaction import Redactor
from conformance.http.sending import Sending
from conformance.http.serialization import LONGEST_BODY
from conformance.target.target import Credential

SECRET = "lk-0123456789"
REDACTOR = Redactor({SECRET: "$PRIMARY_API_KEY"})
APPROVE = Call("review_approve", {"reviewId": "r"})
EXCHANGE = Exchange(
    item="read::x",
    number=2,
    call=Call("account_get"),
    purpose="look",
    credential="primary",
    scheme="api-key",
    request=Request("GET", "http://target.test/v1/account", (("x-api-key", "$PRIMARY_API_KEY"),)),
    response=Response(200, (("content-type", "application/json"),), b"{}"),
    started=0.12345678,
    elapsed=0.00000049,
)


def test_an_exchange_is_serialized_with_all_its_properties() -> None:
    """Ids, credential, purpose, request and response; times are rounded to microseconds."""
    assert serialization.document(EXCHANGE, REDACTOR) == {
        "id": "read::x#2",
        "item": "read::x",
        "operation": "account_get",
        "purpose": "look",
        "credential": "primary",
        "scheme": "api-key",
        "request": {
            "method": "GET",
            "url": "http://target.test/v1/account",
            "headers": [["x-api-key", "$PRIMARY_API_KEY"]],
            "body": None,
        },
        "response": {
            "status": 200,
            "headers": [["content-type", "application/json"]],
            "body": {"text": "{}"},
        },
        "started": 0.123457,
        "elapsed": 0.0,
    }


def test_an_exchange_without_a_response_has_a_failure() -> None:
    """A repeated exchange is marked as superseded."""
    written = serialization.document(
        replace(EXCHANGE, response=None, failure="ReadTimeout: late", superseded=True), REDACTOR
    )
    assert (written["failure"], written["superseded"], "response" in written) == (
        "ReadTimeout: late",
        True,
        False,
    )


def test_secrets_are_redacted_in_a_serialized_exchange() -> None:
    """The exchange itself is unchanged, since it is checked as received."""
    body = f'{{"k": "{SECRET}"}}'.encode()
    response = Response(
        307, (("location", f"/{SECRET}"),), body + b"\xff" + base64.b64encode(SECRET.encode())
    )
    echoing = replace(
        EXCHANGE, purpose=SECRET, request=Request("POST", "", (), body), response=response
    )
    written = serialization.document(echoing, REDACTOR)

    assert SECRET.encode() not in orjson.dumps(written)
    assert written["purpose"] == "$PRIMARY_API_KEY"
    assert written["request"]["body"] == {"text": '{"k": "$PRIMARY_API_KEY"}'}
    assert written["response"]["headers"] == [["location", "/$PRIMARY_API_KEY"]]
    assert SECRET.encode() not in base64.b64decode(written["response"]["body"]["base64"])
    assert echoing.response is not None
    assert SECRET.encode() in echoing.response.body


@pytest.mark.parametrize(
    ("content", "written"),
    [
        (b"", {"text": ""}),
        ("ü\n".encode(), {"text": "ü\n"}),
        (b"\xff", {"base64": "/w=="}),
        (b" " * LONGEST_BODY, {"text": " " * LONGEST_BODY}),
        (b"x" * LONGEST_BODY, {"text": "x" * LONGEST_BODY}),
        (b" " * (LONGEST_BODY + 1), {"text": "", "padding": LONGEST_BODY + 1}),
        (b"{}" + b" " * LONGEST_BODY, {"text": "{}", "padding": LONGEST_BODY}),
        (b"x" * LONGEST_BODY + b" ", {"text": "x" * LONGEST_BODY, "padding": 1}),
        (b"\xff" + b" " * LONGEST_BODY, {"base64": "/w==", "padding": LONGEST_BODY}),
    ],
)
def test_a_body_is_serialized_as_text_or_base64(content: bytes, written: dict[str, Any]) -> None:
    """Trailing spaces of a long body are counted."""
    assert serialization.body(content) == written


@pytest.mark.parametrize("shift", range(4))
def test_a_longer_body_is_truncated(shift: int) -> None:
    """Its length and digest are recorded; no character is split."""
    content = b"x" * shift + "😀".encode() * LONGEST_BODY
    written = serialization.body(content)

    beginning = written["text"].encode()
    assert content.startswith(beginning)
    assert LONGEST_BODY - 4 < len(beginning) <= LONGEST_BODY
    assert (written["length"], written["sha256"]) == (
        len(content),
        hashlib.sha256(content).hexdigest(),
    )


def test_a_longer_binary_body_is_truncated_at_the_same_length() -> None:
    """It is encoded as base64."""
    written = serialization.body(b"\x80" * (LONGEST_BODY + 1))
    assert len(base64.b64decode(written["base64"])) == LONGEST_BODY
    assert written["length"] == LONGEST_BODY + 1


# --- commands ------------------------------------------------------------------------------------


@contextmanager
def recording_server() -> Iterator[tuple[str, list[tuple[bytes, dict[bytes, bytes], bytes]]]]:
    """The base URL of a server, and its requests so far: first line, headers, body."""
    requests: list[tuple[bytes, dict[bytes, bytes], bytes]] = []

    def behave(connection: Any) -> None:
        stream = connection.makefile("rb")
        line = stream.readline().rstrip()
        headers = dict(
            header.rstrip().lower().split(b": ", 1) for header in iter(stream.readline, b"\r\n")
        )
        if headers.get(b"transfer-encoding") == b"chunked":
            body = b""
            while size := int(stream.readline(), 16):
                body += stream.read(size + 2)[:-2]
        else:
            body = stream.read(int(headers.get(b"content-length", b"0")))
        requests.append((line, headers, body))
        stream.close()
        connection.sendall(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")

    with served(behave) as url:
        yield url, requests


def original_and_repeated(
    call: Call, sending: Sending, secrets: dict[str, str]
) -> list[tuple[bytes, dict[bytes, bytes], bytes]]:
    """The request of the client, and the request of the recorded command in a shell."""
    network = Network()
    redactor = Redactor({secret: f"${variable}" for variable, secret in secrets.items()})
    with recording_server() as (url, requests):
        dispatcher = Dispatcher(url, openapi.load(), network, redactor)
        sender = Client(dispatcher, "item", lambda _: None)
        exchange = sender.send(call, replace(sending, patient=False))
        network.close()
        command = serialization.curl(serialization.document(exchange, redactor)["request"])
        environment = {"PATH": os.environ["PATH"], **secrets}
        done = subprocess.run(
            ["sh", "-c", command], env=environment, capture_output=True, check=False, timeout=20
        )
        assert (done.returncode, done.stderr) == (0, b"")
    return requests


BODIES = {
    "JSON": b'{"a": 1}',
    "empty": b"",
    "quotes": b"""{"a": "it's \\"$HOME\\" `date` $(date) !"}""",
    "newlines": b"\n{\r\n\t}\n\n",
    "an at sign": b"@/etc/hostname",
    "a hyphen": b"-n",
    "not ASCII": "ü 😀".encode(),
    "octets": bytes(range(256)),
    "a null": b"a\0b",
    "blanks": b'{"a": 1}' + b" " * (LONGEST_BODY + 5),
    "2 MB of blanks": b"'" + b" " * 2_000_000,
    "octets and blanks": b"\xff" + b" " * LONGEST_BODY,
    "many quotes": b"'" * 60_000,
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("content_type", ["application/json", None])
def test_a_command_sends_the_same_body(body: bytes, content_type: str | None) -> None:
    """A real shell and a real curl run it, with a content type and without one."""
    call = replace(APPROVE, body=body, content_type=content_type)
    (line, headers, first), (again, repeated, second) = original_and_repeated(
        call, Sending(None), {}
    )

    assert (again, second) == (line, first)
    assert first == body
    assert repeated.get(b"content-type") == headers.get(b"content-type")
    assert repeated[b"content-length"] == headers[b"content-length"]
    assert b"expect" not in repeated


@pytest.mark.parametrize(
    ("call", "sending"),
    [
        (Call("account_get"), Sending(None)),
        (Call("account_get", query=(("a[]", "{1,2}"), ("b", "it's & \n ü"))), Sending(None)),
        (Call("account_get"), Sending(None, method="HEAD")),
        (Call("account_get"), Sending(None, method="DELETE")),
        (Call("account_get", body=b"{}"), Sending(None)),
        (APPROVE, Sending(None)),
        (
            Call("account_get"),
            Sending(None, headers=(("accept", "text/*"), ("x-one", "$HOME 'x' \"y\" `z`"))),
        ),
        (replace(APPROVE, body=b"{}"), Sending(None, stream=True)),
    ],
    ids=[
        "plain",
        "query",
        "HEAD",
        "DELETE",
        "GET with a body",
        "POST without a body",
        "headers",
        "stream",
    ],
)
def test_a_command_sends_the_same_request(call: Call, sending: Sending) -> None:
    """Method, path, query and all significant headers are the same."""
    (line, headers, body), (again, repeated, second) = original_and_repeated(call, sending, {})
    own = {b"user-agent", b"accept-encoding", b"connection", b"content-length"}

    assert (again, second) == (line, body)
    assert headers.pop(b"accept") == repeated.pop(b"accept").replace(b"*/*", b"application/json")
    assert {name: value for name, value in repeated.items() if name not in own} == {
        name: value for name, value in headers.items() if name not in own
    }


@pytest.mark.parametrize("scheme", ["api-key", "bearer"])
def test_a_command_reads_secrets_from_the_variables_of_the_profile(scheme: str) -> None:
    """The command contains no secret."""
    credential = Credential("primary", api_key="k'$x y", bearer='t"`z', bearer_variable="MY_TOKEN")
    secrets = {"PRIMARY_API_KEY": "k'$x y", "MY_TOKEN": 't"`z'}
    (_, headers, _), (_, repeated, _) = original_and_repeated(
        Call("account_get"), Sending(credential, scheme), secrets
    )

    name = b"x-api-key" if scheme == "api-key" else b"authorization"
    assert repeated[name] == headers[name]


def test_a_command_omits_the_headers_of_the_client() -> None:
    """User-Agent, Accept-Encoding and the default Accept are omitted; another Accept is not."""
    headers = [
        ["user-agent", "x"],
        ["accept-encoding", "gzip"],
        ["accept", "application/json"],
        ["x", "application/json"],
    ]
    request = {"method": "GET", "url": "u", "body": None, "headers": headers}
    assert serialization.curl(request) == "curl -sS -i -g u -H 'x: application/json'"
    assert (
        serialization.curl({**request, "headers": [["accept", "text/plain"]]})
        == "curl -sS -i -g u -H 'accept: text/plain'"
    )


def test_a_command_without_an_accept_keeps_the_client_from_adding_one() -> None:
    """Where nothing is accepted in particular, a response may differ from that to `*/*`."""
    request = {"method": "GET", "url": "u", "body": None, "headers": [["x", "1"]]}
    assert serialization.curl(request) == "curl -sS -i -g u -H 'x: 1' -H accept:"


def test_only_variables_of_secrets_are_expanded_by_the_shell() -> None:
    """They occur in headers with credentials only; other values are in single quotes."""
    headers = [["x-api-key", "$A"], ["authorization", "Bearer $A"], ["cookie", "$A b"]]
    headers += [["mcp-session-id", "$A"], ["x", "$(reboot)"], ["accept", "application/json"]]
    request = {"method": "GET", "url": "u", "body": None, "headers": headers}
    expected = """-H "x-api-key: $A" -H "authorization: Bearer $A" -H 'cookie: $A b' """
    expected += """-H 'mcp-session-id: $A' -H 'x: $(reboot)'"""
    assert serialization.curl(request) == f"curl -sS -i -g u {expected}"


def test_a_command_with_a_truncated_body_reads_it_from_a_file() -> None:
    """A comment states its length and digest; the result is a single command."""
    content = serialization.body(b"x" * (LONGEST_BODY + 1))
    command = serialization.curl(
        {
            "method": "POST",
            "url": "http://h/",
            "headers": [["content-type", "a/b"], ["accept", "application/json"]],
            "body": content,
        }
    )

    note = f"{LONGEST_BODY + 1} bytes with the SHA-256 {content['sha256']}: too many to be kept"
    ending = f"--data-binary @body # {note}"
    assert command == f"curl -sS -i -g -X POST http://h/ -H 'content-type: a/b' -H expect: {ending}"


@pytest.mark.parametrize(("length", "piped"), [(99_998, False), (99_999, True)])
def test_a_long_body_is_piped_into_the_command(length: int, piped: bool) -> None:
    """The length of an argument is limited."""
    command = serialization.curl(
        {"method": "POST", "url": "u", "headers": [], "body": {"text": " " * length}}
    )
    assert ("base64 -d" in command) is piped
