"""Failures of a report as a stand-alone pytest file: it needs httpx and pytest alone.

A report may come from anybody: its texts are in the file as literals, and in comments. Addresses,
and the variables that are read, are those of a target of the user.
"""

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.commands.reproduction import client_text
from conformance.commands.reproduction.again import Failure
from conformance.http import server_sent_events
from conformance.http.outgoing import authorization
from conformance.report import body_values
from conformance.report.condition import Condition
from conformance.report.document_types import ExchangeEntry, FindingEntry, Report, RequirementEntry
from conformance.report.repair import conditions
from conformance.runner.recorded_headers import NotSent
from conformance.runner.recorded_request import Interface, Repetition, repetition, with_made_up
from conformance.target.forged import MADE_UP
from conformance.target.target import Credential, Target

HEAD = '''\
"""Failures of an API, written by `conformance replay --write-test`.

Each test sends the requests of one finding. Secrets are read from the environment. A test that
approves a review is skipped unless APPROVE_REVIEWS is set: an approval cannot be undone.
"""

import json
import os
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

'''
FUNCTIONS = '''\
def send(method, url, headers, body=None):
    """The response to a request."""
    with client() as opened:
        del opened.headers["accept"]  # a request has its own, or none
        return opened.request(method, url, headers=headers, content=body)


def secret(name):
    """The value of a variable; without it the test is skipped."""
    if name not in os.environ:
        pytest.skip(f"the variable {name} is not set")
    return os.environ[name]


def in_session(url, headers):
    """The headers with that of a new session of the tools, where the server has sessions."""
    version = dict(headers).get("mcp-protocol-version", "")
    own = {"name": "localization-api-conformance", "version": "replay"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": own}
    content = {"content-type": "application/json"}
    with client([*headers, *content.items()]) as tools:
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        session = tools.post(url, json=message).headers.get("mcp-session-id")
        if session is None:
            return headers
        own = {"mcp-session-id": session}
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        tools.post(url, json=done, headers=own)
    return [*headers, *own.items()]


def body(response):
    """The parsed body of a response; ABSENT where it is no JSON."""
    try:
        return json.loads(json_text(response.headers.get("content-type"), response.text))
    except (ValueError, RecursionError):
        return ABSENT


'''
VALUES = "\n\n\n".join(
    [
        inspect.getsource(server_sent_events).partition("import Iterator\n")[2].strip(),
        inspect.getsource(body_values).partition("from typing import Any\n")[2].strip(),
    ]
)
"""The functions that read bodies, and that the assertions use, as a replay does."""
APPROVES = '@pytest.mark.skipif("APPROVE_REVIEWS" not in os.environ, reason="approves a review")'
UNCOMPARED = "its responses cannot be compared one by one"
MOST_SPACES = 100
"""Spaces at the end of a body that are written out."""


@dataclass(frozen=True)
class Written:
    """A test file: its text, the number of its tests, and the failures without one, with why."""

    text: str
    tests: int
    left_out: tuple[tuple[Failure, str], ...]


def write(failures: Sequence[Failure], report: Report, target: Target) -> Written:
    """The file for a target; findings whose requests it may not get are left out."""
    target = with_made_up(target, report["suite"]["seed"])
    tests: list[str] = []
    names: set[str] = set()
    left_out: list[tuple[Failure, str]] = []
    for failure in failures:
        entry, found = failure
        holds = conditions(found["defect"], found["exchanges"]) if "defect" in found else []
        try:
            requests = _requests(failure, report, target)
        except NotSent as reason:
            left_out.append((failure, str(reason)))
            continue
        if not holds:
            left_out.append((failure, UNCOMPARED))
            continue
        name = _name(entry, found, names)
        tests.append("\n".join(_test(failure, name, requests, holds)))
    text = "\n\n\n".join([_head(report, target), *tests])
    return Written(f"{text}\n", len(tests), tuple(left_out))


def _requests(failure: Failure, report: Report, target: Target) -> list[Repetition]:
    base_url = report["target"]["base-url"]
    return [repetition(each, base_url, target) for each in failure[1]["exchanges"]]


def _head(report: Report, target: Target) -> str:
    urls = ((each.value, each.url(target)) for each in Interface)
    addresses = [
        f"{name} = os.environ.get({name!r}, {url!r})" for name, url in urls if url is not None
    ]
    found = f"# Found on {_comment(report['started'])}"
    opened = client_text.client(target.connection)
    return "\n".join([f"{HEAD}{found}", *addresses, "", "", opened, "", "", FUNCTIONS + VALUES])


def _test(
    failure: Failure, name: str, requests: Sequence[Repetition], holds: Sequence[Condition]
) -> Iterator[str]:
    entry, found = failure
    if any(each.review is not None for each in requests):
        yield APPROVES
    yield f"def {name}():"
    yield f"    {entry['statement']!r}"
    yield "    responses = ["
    for exchange, request in zip(found["exchanges"], requests, strict=True):
        yield from _request(exchange, request)
    yield "    ]"
    if any("bodies[" in condition.source() for condition in holds):
        yield "    bodies = [body(each) for each in responses]"
    yield f"    # {_comment(found['message'])}"
    for condition in holds:
        yield f"    assert {condition.source()}"


def _request(exchange: ExchangeEntry, request: Repetition) -> Iterator[str]:
    url = request.interface.value
    literals = [repr(each) for each in request.headers]
    headers = f"[{', '.join([*literals, *map(_secret, request.secrets)])}]"
    yield f"        # {_comment(exchange['purpose'])}"
    yield "        send("
    yield f"            {request.method!r},"
    yield f"            {url} + {request.rest!r}," if request.rest else f"            {url},"
    yield (
        f"            in_session({url}, {headers}),"
        if request.needs_session
        else (f"            {headers},")
    )
    if request.body is not None:
        body = _body(request.body)
        yield f"            iter([{body}])," if request.is_streamed else f"            {body},"
    yield "        ),"


def _secret(secret: tuple[str, Credential]) -> str:
    """The header with a secret: the variable is that of the profile."""
    scheme, credential = secret
    if credential.name == MADE_UP:
        return repr(authorization(scheme, credential.secret(scheme)))
    name, value = authorization(scheme, credential.variable(scheme))
    start, _, variable = value.partition("$")
    prefix = f"{start!r} + " if start else ""
    return f"({name!r}, {prefix}secret({variable!r}))"


def _body(body: bytes) -> str:
    start = body.rstrip(b" ")
    spaces = len(body) - len(start)
    return repr(body) if spaces <= MOST_SPACES else f"{start!r} + b' ' * {spaces}"


def _name(entry: RequirementEntry, found: FindingEntry, names: set[str]) -> str:
    place = f" on {found['operation']}" if found["operation"] else ""
    name = re.sub(r"\W+", "_", f"test {entry['id']}{place}", flags=re.ASCII)
    number = 1
    while (unique := name if number == 1 else f"{name}_{number}") in names:
        number += 1
    names.add(unique)
    return unique


def _comment(message: str) -> str:
    """A text in one line of a comment: no character ends the line."""
    return " ".join("".join(each if each.isprintable() else " " for each in message).split())
