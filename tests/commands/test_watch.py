"""`conformance watch` between a client and a served reference: both sides are judged."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import live_server
import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from conformance.__main__ import main
from conformance.assurance.clients import edited
from conformance.contract import requirements
from conformance.contract.verdict import Verdict
from conformance.reference import Reference, target

Report = dict[str, Any]


class WithoutRequestId:
    """A target whose account has no requestId."""

    def __init__(self, reference: Reference) -> None:
        self._app = reference.app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        app = JSONResponse({"data": {}}) if scope["path"].endswith("/account") else self._app
        await app(scope, receive, send)


def watched(folder: Path, profile: dict[str, Any], source: str) -> tuple[int, Report]:
    """The exit code and the report of a client whose traffic with a target was watched."""
    (folder / "target.toml").write_text(target.toml(profile), encoding="utf-8")
    client = folder / "client.py"
    client.write_text(source, encoding="utf-8")
    options = ["--target", "target.toml", "--trust", "--listen", ":0", "--json"]
    command = [sys.executable, "-m", "conformance", "watch", *options]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        said = running.stderr.readline()
        match = re.match(r"(http://127\.0\.0\.1:[0-9]+/v1) passes requests on to ", said)
        assert match, said + running.stderr.read()
        subprocess.run([sys.executable, client], env=_environment(profile, match[1]), check=False)
        running.send_signal(signal.SIGINT)
        running.stderr.read()
    report = folder / "reports" / "latest" / "report.json"
    return running.returncode, json.loads(report.read_text(encoding="utf-8"))


def _environment(profile: dict[str, Any], base_url: str) -> dict[str, str]:
    primary, fixtures = profile["credentials"]["primary"], profile["fixtures"]
    return {
        **os.environ,
        "LOCALIZATION_BASE_URL": base_url,
        "LOCALIZATION_API_KEY": primary["api-key"],
        "LOCALIZATION_TOKEN": primary["bearer"],
        "LOCALIZATION_REVIEW_IDS": " ".join(fixtures["approvable-reviews"][:2]),
        "LOCALIZATION_PROJECT_ID": _project(profile),
    }


def _project(profile: dict[str, Any]) -> str:
    """A project that the client can read."""
    key = profile["credentials"]["primary"]["api-key"]
    response = httpx.get(f"{profile['base-url']}/projects", headers={"x-api-key": key})
    return str(response.json()["data"]["items"][0]["id"])


def failed(report: Report) -> set[str]:
    """The requirements that failed."""
    return {each["id"] for each in report["requirements"] if each["verdict"] == Verdict.FAIL}


def test_right_traffic_passes_on_both_sides(tmp_path: Path) -> None:
    """What it exercises passes; all else is not checked, which is not green."""
    with live_server.instance(Reference()) as profile:
        right = edited.ORIGINAL.read_text(encoding="utf-8")
        code, report = watched(tmp_path, profile, right)
    passed = {each["id"] for each in report["requirements"] if each["verdict"] == Verdict.PASS}
    assert (code, report["verdict"], failed(report)) == (0, "inconclusive", set())
    assert passed >= {"account/required", "client/cursor", "client/credential"}
    assert {each["id"] for each in report["requirements"]} == set(requirements.every())
    secrets = profile["credentials"]["primary"].values()
    written = (tmp_path / "reports" / "latest").iterdir()
    texts = [path.read_text(encoding="utf-8") for path in written]
    assert not any(secret in text for secret in secrets for text in texts)


def test_faults_of_both_sides_are_in_one_report(tmp_path: Path) -> None:
    """A target without requestId, and a client that asks for too large pages."""
    reference = Reference()
    reference.app = WithoutRequestId(reference)  # type: ignore[assignment]
    (greedy,) = (each for each in edited.mutants() if each.id == "client-asks-for-large-pages")
    with live_server.instance(reference) as profile:
        code, report = watched(tmp_path, profile, greedy.source)
    assert (code, report["verdict"]) == (1, "non-conformant")
    assert failed(report) >= {"client/limit", "envelope/request-id"}
    assert not any(each in failed(report) for each in ("client/cursor", "error/code"))


ODD = """
import os, socket
from urllib.parse import urlsplit

address = urlsplit(os.environ["LOCALIZATION_BASE_URL"])
for target in ("http://elsewhere.example/v1/account", "@elsewhere.example/v1", '/v1/"<{}>'):
    with socket.create_connection((address.hostname, address.port)) as connection:
        request = f"GET {target} HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n"
        connection.sendall(request.encode())
        while connection.recv(65536):
            pass
"""


def test_a_request_for_another_server_is_not_passed_on(tmp_path: Path) -> None:
    """It is rejected, and recorded with the report of the rest."""
    with live_server.instance(Reference()) as profile:
        _, report = watched(tmp_path, profile, ODD)
    log = (tmp_path / "reports" / "latest" / "exchanges.jsonl").read_text().splitlines()
    statuses = [json.loads(line)["response"]["status"] for line in log]
    assert (report["exchanges"]["count"], sorted(statuses)) == (3, [400, 400, 404])


class Echo(WithoutRequestId):
    """A target whose account is what it has received, with a header of one connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        received = {name.decode(): value.decode() for name, value in scope["headers"]}
        echo = JSONResponse(received, headers={"connection": "x-hop", "x-hop": "1"})
        await (echo if scope["path"].endswith("/account") else self._app)(scope, receive, send)


RAW = """
import json, os, socket
from pathlib import Path
from urllib.parse import urlsplit

address, folder = urlsplit(os.environ["LOCALIZATION_BASE_URL"]), Path(__file__).parent
responses = []
for target, *headers in json.loads((folder / "sent.json").read_text()):
    with socket.create_connection((address.hostname, address.port)) as connection:
        lines = [f"GET {target} HTTP/1.1", *headers, "Connection: close, X-Hop", "", ""]
        connection.sendall("\\r\\n".join(lines).encode())
        responses.append(connection.makefile("rb").read().decode())
(folder / "responses.json").write_text(json.dumps(responses))
"""


def passed(folder: Path, *sent: tuple[str, ...]) -> tuple[list[str], Report]:
    """The responses to requests, each a path and headers, and the report."""
    (folder / "sent.json").write_text(json.dumps(sent))
    reference = Reference()
    reference.app = Echo(reference)  # type: ignore[assignment]
    with live_server.instance(reference) as profile:
        profile["connection"] = {"headers": {"x-gateway": "token-of-the-gateway"}}
        _, report = watched(folder, profile, RAW)
    return json.loads((folder / "responses.json").read_text()), report


OWN = "Host: 127.0.0.1:8080"
ENTERING = {
    ("/v1/account", OWN): 200,
    ("/v1/account", "Host: LOCALHOST", "Origin: https://page.example"): 200,
    ("/v1/account", "Host: [::1]:9"): 200,
    ("/v1/account", "Host: rebound.example:8080"): 421,
    ("/v1/account", "Host: 127.0.0.1.rebound.example"): 421,
    ("/v1/account", "Host: [::1"): 421,
    ("/v1/account", "Host:"): 421,
    ("/v1/projects/../account", OWN): 400,
    ("/v1/./account", OWN): 400,
    ("/v1/..?limit=1", OWN): 400,
    ("/v1/%2e%2E/account", OWN): 400,
    ("/v1/.%2e", OWN): 400,
    ("/v1/account#fragment", OWN): 400,
    ("/v1/account?limit=1#fragment", OWN): 400,
}


def test_only_what_names_the_proxy_passes(tmp_path: Path) -> None:
    """A page of a stranger gets nothing, and no path is sent that is not the one in the report."""
    responses, report = passed(tmp_path, *ENTERING)
    statuses = [int(response.split()[1]) for response in responses]
    assert dict(zip(ENTERING, statuses, strict=True)) == ENTERING
    assert ["token-of-the-gateway" in each for each in responses] == [
        status == 200 for status in statuses
    ]
    assert report["exchanges"]["count"] == statuses.count(200)


def test_headers_of_one_connection_end_at_the_proxy(tmp_path: Path) -> None:
    """Those that `Connection` names as well, in both directions, and what is for a proxy."""
    (response,), _ = passed(
        tmp_path, ("/v1/account", OWN, "X-Hop: 2", "X-Kept: 3", "Proxy-Authorization: Basic eA==")
    )
    head, _, received = response.partition("\r\n\r\n")
    assert "x-hop" not in head.lower()
    assert json.loads(received).keys() & {"x-hop", "x-kept", "proxy-authorization"} == {"x-kept"}


def test_no_credential_that_nobody_knows_is_written(tmp_path: Path) -> None:
    """In the URL, also of a request that calls nothing, or in a header of the client's gateway."""
    token = "X-Auth-Token: s3cret-of-the-gateway"
    _, report = passed(
        tmp_path,
        ("/v1/projects?access_token=s3cret-of-anna", OWN, token),
        ("/v1/nowhere?access_token=s3cret-of-anna", OWN, token),
    )
    assert failed(report) >= {"client/operation", "client/credential"}
    texts = [each.read_text() for each in (tmp_path / "reports" / "latest").iterdir()]
    assert any("access_token=$SECRET" in text for text in texts)
    assert not any("s3cret" in text for text in texts)


def test_an_address_that_is_none_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything listens."""
    with pytest.raises(SystemExit):
        main(["watch", "--listen", "8080", "--reference"])
    assert "'8080' must be an address such as :8080" in capsys.readouterr().err
