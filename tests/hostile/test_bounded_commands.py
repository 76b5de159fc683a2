"""Commands that send outside of a run, and runs of little time, against hostile targets."""

import itertools
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from faulty_server import responding, served
from hostile_behaviours import described
from hostile_server import Answer, Broken, Bytes, broken
from hostile_verdict import LONGEST, MOST_MEMORY
from measured import measured
from process import report

from conformance.contract.exit_codes import (
    CONFORMANT,
    INCOMPLETE,
    NON_CONFORMANT,
    USAGE_ERROR,
)
from conformance.http.budget import OWN_REQUESTS

THROTTLED = b'{"code":"RATE_LIMITED","message":"later","requestId":"r"}'
HEAD = b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nconnection: close\r\n"
PROFILE = 'base-url = "{}"\n[credentials.primary]\napi-key = "{}"\n{}'


def throttling(seconds: int) -> bytes:
    """A response that asks for a pause."""
    stated = f"retry-after: {seconds}\r\ncontent-length: {len(THROTTLED)}\r\n\r\n"
    return HEAD + stated.encode() + THROTTLED


@pytest.mark.parametrize("retry_after", [1, 80])
def test_a_run_that_waits_until_its_end_is_incomplete(retry_after: int, tmp_path: Path) -> None:
    """No check has an internal error, and nothing is said of the target."""
    with served(responding(throttling(retry_after))) as url:
        (tmp_path / "target.toml").write_text(PROFILE.format(url, "lk_invented", ""))
        ended = measured(tmp_path, "run", "--max-time", 3, "--class", "read")
    assert (ended.code, "Traceback" in ended.problems) == (INCOMPLETE, False)
    assert ended.seconds < LONGEST
    found = report(tmp_path)
    verdicts = {each["verdict"] for each in found["requirements"]}
    assert verdicts.isdisjoint({"fail", "error"})


def test_doctor_ends_with_its_time(tmp_path: Path) -> None:
    """It says in one line what it could not do."""
    with served(responding(throttling(80))) as url:
        (tmp_path / "target.toml").write_text(
            PROFILE.format(url, "lk_invented", "[limits]\nmax-time = 3\n")
        )
        ended = measured(tmp_path, "doctor")
    message = "conformance doctor: not checked: the 3 s of the command are over\n"
    assert (ended.code, ended.output) == (INCOMPLETE, "")
    assert ended.problems.endswith(message)
    assert ended.seconds < LONGEST


@pytest.mark.parametrize(
    "place", ["file:///etc/passwd", "gopher://127.0.0.1:9/", "http://169.254.169.254/latest"]
)
def test_diff_follows_no_redirect_to_another_server(place: str, tmp_path: Path) -> None:
    """It ends in one line, which names the other address."""
    redirect = f"HTTP/1.1 302 Found\r\nlocation: {place}\r\ncontent-length: 0\r\n\r\n"
    with served(responding(redirect.encode())) as url:
        ended = measured(tmp_path, "diff", url)
    assert (ended.code, ended.output) == (USAGE_ERROR, "")
    assert f"redirects elsewhere: name {place} if that is right" in ended.problems
    assert "Traceback" not in ended.problems


def test_a_redirect_to_no_port_ends_in_one_line(tmp_path: Path) -> None:
    """To the https of the same server a redirect is followed."""
    redirect = (
        b"HTTP/1.1 302 Found\r\nlocation: https://127.0.0.1:99999/\r\ncontent-length: 0\r\n\r\n"
    )
    with served(responding(redirect)) as url:
        ended = measured(tmp_path, "diff", url)
    assert (ended.code, ended.output) == (USAGE_ERROR, "")
    assert "a port beyond 65535" in ended.problems


def test_diff_follows_redirects_of_one_server(tmp_path: Path) -> None:
    """Up to three: what has no end, ends it."""
    redirect = b"HTTP/1.1 302 Found\r\nlocation: /openapi.json\r\ncontent-length: 0\r\n\r\n"
    with served(responding(redirect)) as url:
        ended = measured(tmp_path, "diff", url)
    assert (ended.code, ended.output) == (USAGE_ERROR, "")
    assert "TooManyRedirects" in ended.problems


@pytest.mark.parametrize("end", ["/x", ""])
def test_diff_prints_no_password_of_an_address(end: str, tmp_path: Path) -> None:
    """Nor a query, where the document can be compared and where it cannot."""
    with served(responding(b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n")) as url:
        place = url.replace("//", "//jane:a-long-password@")
        ended = measured(tmp_path, "diff", f"{place}{end}?token=a-long-password#a-long-password")
    assert (ended.code, ended.output) == (USAGE_ERROR, "")
    assert ended.problems == f"conformance diff: error: {url}{end}: returned 404\n"


def test_a_proxy_that_is_none_ends_diff_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the password, which a sign in it has made a part of something else."""
    monkeypatch.setenv("HTTP_PROXY", "http://jane:a-long/password@proxy.example")
    ended = measured(tmp_path, "diff", "http://api.example.com/openapi.json")
    assert (ended.code, ended.output) == (USAGE_ERROR, "")
    assert len(ended.problems.splitlines()) == 1
    assert "password" not in ended.problems


def pages() -> Broken:
    """Every page of a list is followed by another one, with records of its own."""
    kept: list[Any] = []
    numbers = itertools.count()

    def respond(answer: Answer) -> Bytes:
        data = json.loads(answer.body).get("data", {})
        if data.get("items"):
            kept.append(data["items"][0])
        if not kept or (answer.status == 200 and "items" not in data):
            return answer.but()
        number = next(numbers)
        record = {**kept[0], "id": str(uuid.UUID(int=number))}
        page = {"items": [record], "nextCursor": f"cursor-{number}"}
        return answer.but(json.dumps({"data": page, "requestId": "r"}).encode(), "200 OK")

    return respond


def tools() -> Broken:
    """Every page of the list of tools is followed by another one."""
    kept: list[Any] = []
    numbers = itertools.count()

    def respond(answer: Answer) -> Bytes:
        found = json.loads(answer.body or b"{}")
        if "tools" in found.get("result", {}):
            kept.append(found["result"])
        elif "error" not in found or not kept:
            return answer.but()
        result = {**kept[0], "nextCursor": f"cursor-{next(numbers)}"}
        message = {"jsonrpc": "2.0", "id": found["id"], "result": result}
        return answer.but(json.dumps(message).encode(), "200 OK")

    return respond


def parameters() -> Broken:
    """A description with thousands of names that a filter may have."""
    named = [
        {"name": f"company{number}", "in": "query", "schema": {"type": "string"}}
        for number in range(6_000)
    ]

    def change(found: Any) -> None:
        for path in ("/videos", "/reviews", "/projects"):
            found["paths"][path]["get"]["parameters"] = named

    return described(change)


@pytest.mark.parametrize("command", ["init", "doctor"])
@pytest.mark.parametrize("respond", [pages, tools, parameters])
def test_what_has_no_end_does_not_hold_a_command(
    command: str, respond: Callable[[], Broken], tmp_path: Path
) -> None:
    """Within the requests, the time and the memory of a command, without an internal error."""
    face = {pages: "http", tools: "tools", parameters: "description"}[respond]
    with counted(face, respond()) as (profile, requests):
        key, url = profile["credentials"]["primary"]["api-key"], profile["base-url"]
        more = f"[tools]\nurl = {json.dumps(profile['tools']['url'])}\n"
        (tmp_path / "target.toml").write_text(PROFILE.format(url, key, more))
        options = ["--base-url", url, "found.toml"] if command == "init" else []
        ended = measured(tmp_path, command, *options, LOCALIZATION_API_KEY=key)
    assert ended.code in (CONFORMANT, NON_CONFORMANT, INCOMPLETE)
    assert len(requests) <= OWN_REQUESTS
    assert ended.seconds < LONGEST
    assert ended.memory < MOST_MEMORY


@contextmanager
def counted(face: str, respond: Broken) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """A target with broken responses, and all that it was asked for."""
    asked: list[str] = []
    with broken(face, respond, asked.append) as profile:
        yield profile, asked
