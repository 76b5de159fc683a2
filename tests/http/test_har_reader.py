"""Traffic as browsers, proxies and test tools record it."""

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.__main__ import main
from conformance.contract import openapi
from conformance.http import har_reader
from conformance.http.address import below
from conformance.http.har_reader import Traffic
from conformance.storage import json_text

BASE = "https://api.example.com/v1"
ACCOUNT = '{"data": {"id": 7}, "requestId": "r"}'
JSON = {"name": "Content-Type", "value": "application/json"}


def entry(
    content: Any = None, url: str = f"{BASE}/account", status: int = 200, **parts: Any
) -> dict[str, Any]:
    """One request for the account; by default its response violates the contract."""
    request = {"method": "GET", "url": url, "headers": parts.pop("sent", [])}
    content = {"text": ACCOUNT} if content is None else content
    response = {"status": status, "headers": [JSON], "content": content, **parts}
    return {"request": request, "response": response, "time": 5}


def text_of(*entries: dict[str, Any]) -> str:
    """An archive."""
    return json.dumps({"log": {"entries": entries}})


def read(*entries: dict[str, Any]) -> Traffic:
    """What an archive is read as."""
    return har_reader.read(text_of(*entries).encode(), BASE, openapi.load())


def judged(
    folder: Path, capsys: pytest.CaptureFixture[str], *entries: dict[str, Any]
) -> tuple[int, dict[str, Any]]:
    """The exit code of `judge`, and its result."""
    path = folder / "traffic.har"
    path.write_text(text_of(*entries))
    code = main(["judge", "--json", str(path), "--base-url", BASE])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("content", "transferred", "is_known"),
    [
        ({"text": "{}", "size": 2}, 2, True),
        ({"text": "{}"}, None, True),
        ({"text": "", "size": 0}, 0, True),
        ({"text": ""}, None, True),
        ({"size": 0}, 0, True),
        ({"size": 0}, None, True),
        ({"size": 2}, 2, False),
        ({"size": -1}, -1, False),
        ({"size": 0}, 40, False),
        ({"size": 0}, -1, False),
        ({"text": "", "size": 2}, None, False),
        ({"size": 2, "_file": "3a.json"}, 2, False),
        ({"text": None}, None, False),
        ({}, None, False),
    ],
)
def test_a_body_that_was_not_recorded_is_unknown(
    content: dict[str, Any], transferred: int | None, *, is_known: bool
) -> None:
    """It is empty only where the sizes say so."""
    parts: dict[str, Any] = {} if transferred is None else {"bodySize": transferred}
    (exchange,) = read(entry(content, **parts)).exchanges
    assert exchange.response is not None
    assert (not exchange.response.is_unreadable) is is_known


def test_status_and_headers_of_an_unknown_body_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is said of the body, and that is said."""
    code, result = judged(tmp_path, capsys, entry({"size": 2}), entry({"size": 2}, status=418))
    verdicts = {each["id"]: each["verdict"] for each in result["requirements"]}
    assert (code, verdicts) == (1, {"response/status": "fail", "response/content-type": "pass"})
    assert result["observed"] == [
        "2 responses without a recorded body: only status and headers are checked"
    ]


@pytest.mark.parametrize(
    ("condition", "code"), [("If-None-Match", 0), ("if-modified-since", 0), ("Accept", 1)]
)
def test_304_to_a_conditional_request_is_observed(
    condition: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The specification has no such requests; to another one it is no documented status."""
    sent = [{"name": condition, "value": '"1"'}]
    found, result = judged(tmp_path, capsys, entry({"size": 0}, status=304, sent=sent, bodySize=0))
    assert found == code
    observed = [] if code else ["1 response 304 to a conditional request: observed, not checked"]
    assert result["observed"] == observed


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.example.com:443/v1/account", "/account"),
        ("HTTPS://API.Example.COM/v1/account", "/account"),
        ("https://api.example.com:/v1/account", "/account"),
        ("https://someone@api.example.com/v1/account", "/account"),
        ("https://api.example.com:8443/v1/account", None),
        ("https://api.example.com:80/v1/account", None),
        ("http://api.example.com/v1/account", None),
        ("https://api.example.com/V1/account", None),
        ("https://api.example.com.evil.example/v1/account", None),
        ("https://evil.example/@api.example.com/v1/account", None),
        ("/v1/account", None),
    ],
)
def test_an_origin_has_several_spellings(url: str, expected: str | None) -> None:
    """Letters of the host do not count, nor does the port of the scheme."""
    assert below(BASE, url) == expected
    assert below("https://API.example.com:443/v1/", url) == expected


@pytest.mark.parametrize("half", ["\\ud800", "\\uDFFF", "\\\\\\\\\\ud83d", "\\ud83d\\ud83d\\ude00"])
def test_half_a_character_does_not_lose_the_rest(half: str) -> None:
    """A recorder may have cut a text anywhere."""
    text = text_of(entry({"text": '{"data": "HALF"}'}), entry()).replace("HALF", half)
    found = har_reader.read(text.encode(), BASE, openapi.load())
    assert len(found.exchanges) == 2
    assert "\ufffd" in found.exchanges[0].data
    assert found.exchanges[1].data == {"id": 7}


@pytest.mark.parametrize("text", [r'"\ud83d\ude00"', r'"\\ud83d"', '"\\n\u00e9"', '"\\'])
def test_whole_characters_stay_what_they_are(text: str) -> None:
    """An escaped backslash before a `u` is no escape of a surrogate."""
    assert json_text.without_halves(text.encode()) == text.encode()


def test_no_credential_that_nobody_knows_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the URL or in a header of a gateway; also of a request to somewhere else."""
    sent = [{"name": "X-Auth-Token", "value": "s3cret-1"}]
    received = [JSON, {"name": "X-Amz-Security-Token", "value": "s3cret-2"}]
    traffic = (
        entry(url=f"{BASE}/account?access_token=s3cret-3", sent=sent, headers=received),
        entry(url="https://login.example.com/?code=s3cret-4#id_token=s3cret-5"),
    )
    code, result = judged(tmp_path, capsys, *traffic)
    assert (code, len(result["strangers"])) == (1, 1)
    assert "s3cret" not in json.dumps(result)
    assert main(["judge", str(tmp_path / "traffic.har"), "--base-url", BASE]) == 1
    shown = capsys.readouterr().out
    assert "x-auth-token" in shown
    assert "s3cret" not in shown
