"""Failures of a report as a stand-alone pytest file: it needs httpx and pytest alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.http import serialization
from conformance.http.replay import content
from conformance.report.document_types import ExchangeEntry, FindingEntry, RequirementEntry
from conformance.report.repair import Condition, conditions

HEAD = '''\
"""Failures of {base_url}, found on {date}.

Each test sends the requests of one finding. Secrets are read from the environment. A test that
approves a review is skipped unless APPROVE_REVIEWS is set: an approval cannot be undone.
"""

import json
import os

import httpx
import pytest

BASE_URL = os.environ.get("BASE_URL", {base_url!r})
ABSENT = object()


def send(method, url, headers, body=None):
    """The response to a request; `$NAME` in a header is a variable of the environment."""
    values = {{name: expanded(value) for name, value in headers}}
    with httpx.Client(timeout=30) as client:
        return client.request(method, url, headers=values, content=body)


def expanded(value):
    """A header with the secret that it names."""
    start, _, name = value.rpartition("$")
    if not name.isidentifier() or start not in ("", "Bearer "):
        return value
    if name not in os.environ:
        pytest.skip(f"the variable {{name}} is not set")
    return start + os.environ[name]


def at(response, pointer):
    """The value at a JSON Pointer of a response; ABSENT where there is none."""
    try:
        value = response.json()
        for step in pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            value = value[int(name)] if isinstance(value, list) else value[name]
    except (ValueError, LookupError, TypeError):
        return ABSENT
    return value
'''
APPROVES = '@pytest.mark.skipif("APPROVE_REVIEWS" not in os.environ, reason="approves a review")\n'

Failure = tuple[RequirementEntry, FindingEntry]


def text(failures: Sequence[Failure], base_url: str, date: str) -> str:
    """The file; findings without a condition on their responses are left out."""
    parts = [HEAD.format(base_url=base_url, date=date)]
    names: set[str] = set()
    for entry, found in failures:
        holds = conditions(found["defect"], found["exchanges"]) if "defect" in found else []
        if holds:
            parts.append("\n\n" + "\n".join(_test(entry, found, holds, base_url, names)) + "\n")
    return "".join(parts)


def _test(
    entry: RequirementEntry,
    found: FindingEntry,
    holds: Sequence[Condition],
    base_url: str,
    names: set[str],
) -> Iterator[str]:
    if any(each["request"]["url"].endswith("/approve") for each in found["exchanges"]):
        yield APPROVES.rstrip()
    yield f"def {_name(entry, found, names)}():"
    yield f"    {entry['statement']!r}"
    yield "    responses = ["
    for exchange in found["exchanges"]:
        yield from _request(exchange, base_url)
    yield "    ]"
    yield f"    # {_comment(found['message'])}"
    for condition in holds:
        yield f"    assert {condition.source()}"


def _request(exchange: ExchangeEntry, base_url: str) -> Iterator[str]:
    request = exchange["request"]
    headers = [pair for pair in request["headers"] if pair[0] not in serialization.UNREPEATED]
    url = request["url"]
    target = f"BASE_URL + {url.removeprefix(base_url)!r}" if url.startswith(base_url) else repr(url)
    yield f"        # {_comment(exchange['purpose'])}"
    yield "        send("
    yield f"            {request['method']!r},"
    yield f"            {target},"
    yield f"            {[tuple(pair) for pair in headers]!r},"
    if request["body"] is not None:
        body: Mapping[str, Any] = request["body"]
        yield f"            {content(body)!r},"
    yield "        ),"


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
