"""A target behind a gateway: `[connection]` of the profile, against nginx."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import live_server
import nginx
import postgres_cluster
import pytest
from postgres_store import PostgresStore
from process import conformance

from conformance.commands.doctor import diagnose
from conformance.commands.outcome import UsageError
from conformance.http.network import Network
from conformance.reference import Reference
from conformance.target.profile import parse

TOKEN = "gateway-token-7f3a91"


@pytest.fixture(scope="module")
def behind() -> Iterator[dict[str, Any]]:
    """The profile of a served reference."""
    with live_server.instance(Reference()) as profile:
        yield profile


@pytest.fixture(scope="module")
def gateway(
    behind: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[nginx.Gateway]:
    """nginx in front of it."""
    with nginx.running(tmp_path_factory.mktemp("nginx"), [port(behind)], TOKEN) as running:
        yield running


def port(profile: Mapping[str, Any]) -> int:
    """The port of a served reference."""
    return urlsplit(str(profile["base-url"])).port or 80


def stated(behind: Mapping[str, Any], gateway: nginx.Gateway, **changes: object) -> dict[str, Any]:
    """The profile of the reference behind the gateway; None leaves a key of the connection out."""
    folder = gateway.folder
    connection: dict[str, object] = {
        "client-certificate": str(folder / "client.pem"),
        "client-key": str(folder / "client.key"),
        "ca": str(folder / "ca.pem"),
        "headers": {"X-Gateway-Token": TOKEN},
        "host": nginx.HOST,
        "http2": True,
        **{key.replace("_", "-"): value for key, value in changes.items()},
    }
    given = {key: value for key, value in connection.items() if value is not None}
    base_url, tools = (urlsplit(url).path for url in (behind["base-url"], behind["tools"]["url"]))
    return {
        **behind,
        "base-url": gateway.url(base_url),
        "tools": {"url": gateway.url(tools)},
        "description": {"url": gateway.url(urlsplit(behind["description"]["url"]).path)},
        "connection": given,
    }


def obstacle(profile: Mapping[str, Any]) -> str:
    """What `doctor` says of a target that it cannot reach."""
    target = parse(profile, environ={})
    network = Network(target.gateway)
    try:
        with pytest.raises(UsageError) as problem:
            diagnose(target, network)
    finally:
        network.close()
    return str(problem.value)


def toml(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


def written(profile: Mapping[str, Any], path: Path) -> Path:
    """The file of a profile."""
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in profile.items()))
    return path


def finished(path: Path, out: Path, *options: str) -> dict[str, str]:
    """The verdicts of a run in another folder, by requirement."""
    command = [sys.executable, "-m", "conformance", "run", "--trust", "--target", str(path)]
    done = subprocess.run(
        [*command, "--report-dir", str(out), *options],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    report = json.loads((out / "report.json").read_text())
    return {each["id"]: each["verdict"] for each in report["requirements"]}


def test_a_run_reaches_its_target_through_client_certificate_header_and_http2(
    behind: Mapping[str, Any], gateway: nginx.Gateway, tmp_path: Path
) -> None:
    """Requests of the API, of the tools and of the stock client get there, and no file tells how.

    Paths begin at the folder of the profile.
    """
    for name in ("ca.pem", "client.pem", "client.key"):
        shutil.copy(gateway.folder / name, tmp_path)
    profile = stated(
        behind, gateway, client_certificate="client.pem", client_key="client.key", ca="ca.pem"
    )
    path = written({**profile, "consent": {}}, tmp_path / "target.toml")
    verdicts = finished(path, tmp_path / "out", "--depth", "smoke")

    assert "fail" not in verdicts.values()
    assert verdicts["tools/stock-client"] == verdicts["description/published"] == "pass"
    key = (gateway.folder / "client.key").read_text().splitlines()[1]
    for file in (each for each in (tmp_path / "out").rglob("*") if each.is_file()):
        content = file.read_text(encoding="utf-8", errors="replace")
        assert TOKEN not in content
        assert key not in content
        assert str(tmp_path) not in content, file


def test_init_reads_a_deployment_behind_a_gateway(
    behind: Mapping[str, Any], gateway: nginx.Gateway, tmp_path: Path
) -> None:
    """By a file with the connection alone, which the written profile has as well."""
    for name in ("ca.pem", "client.pem", "client.key"):
        shutil.copy(gateway.folder / name, tmp_path)
    (tmp_path / "gateway.toml").write_text(
        '[connection]\nclient-certificate = "client.pem"\nclient-key = "client.key"\n'
        f'ca = "ca.pem"\nhost = "{nginx.HOST}"\n'
        'headers = { "x-gateway-token" = "${LOCALIZATION_GATEWAY_TOKEN}" }\n'
    )
    secrets = {
        "LOCALIZATION_API_KEY": behind["credentials"]["primary"]["api-key"],
        "LOCALIZATION_GATEWAY_TOKEN": TOKEN,
    }
    command = ("init", "--base-url", gateway.url(urlsplit(behind["base-url"]).path))

    alone = conformance(tmp_path, *command, **secrets)
    assert alone.returncode == 4
    assert "name the one that it serves in connection.host" in alone.stderr
    assert alone.stderr.endswith("to a file, and name it with --connection\n")

    ended = conformance(tmp_path, *command, "--connection=gateway.toml", "--trust", **secrets)
    assert ended.returncode == 0, ended.stderr
    assert "accepted     api-key in LOCALIZATION_API_KEY" in ended.stdout
    ended = conformance(tmp_path, "doctor", **secrets)
    assert "profile every credential and record is as it should be" in ended.stdout, ended.stderr


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("", (), "gateway.toml has no such table: write the table [connection] alone; init"),
        ("connection = 1\n", (), "gateway.toml has no such table: write the table [connection]"),
        ('[connection.headers]\nx-key = "open sesame"\n', (), "headers.x-key holds the secret"),
        ('base-url = "x"\n[connection]\n', (), "gateway.toml has base-url: write the table"),
        ("[connection]\nhost = 1\n", (), "gateway.toml:2: connection.host is an integer"),
        ("[connection]\nhots = 1\n", (), "gateway.toml:2: connection.hots is an unknown key"),
        ("[connection]\nconnect-timeout = 2026-01-01\n", (), "connect-timeout is of the type date"),
        ("[connection]\nresponse-timeout = nan\n", ("--template",), "is not above zero"),
        ('[connection]\nhost = "a\\r\\nb"\n', ("--template",), "connection.host is not a host"),
        ("[connection]\n", ("sub/t.toml",), "t.toml: write it beside gateway.toml"),
    ],
    ids=[
        *("empty", "no-table", "a-secret", "more", "a-number", "unknown"),
        *("a-date", "no-number", "two-lines", "elsewhere"),
    ],
)
def test_a_connection_of_no_use_is_a_usage_error(
    text: str, options: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    """Before anything is sent."""
    (tmp_path / "gateway.toml").write_text(text)
    url = "--base-url=http://127.0.0.1:9/v1"
    ended = conformance(tmp_path, "init", url, "--connection=gateway.toml", *options)
    assert ended.returncode == 4
    assert expected in " ".join(ended.stderr.split())
    assert not (tmp_path / "target.toml").exists()


def test_each_problem_of_a_profile_has_its_line(tmp_path: Path) -> None:
    """Two of them on the terminal, the second one where nobody takes it for a line of ours."""
    (tmp_path / "target.toml").write_text('base-url = "http://127.0.0.1:9/v1"\nlimits = 1\nx = 1\n')
    for command in ("run", "doctor"):
        ended = conformance(tmp_path, command)
        lines = ended.stderr.splitlines()
        assert [line for line in lines if line.startswith("    target.toml:3: x ")] != [], lines


def test_http2_is_spoken_where_the_profile_says_so(
    behind: Mapping[str, Any], gateway: nginx.Gateway
) -> None:
    """Also beyond the hundred requests of one connection that this gateway allows."""
    target = parse(stated(behind, gateway), environ={})
    network = Network(target.gateway)
    versions = set()
    for _ in range(220):
        headers = {"x-gateway-token": TOKEN}
        request = httpx.Request("GET", f"{target.base_url}/account", headers=headers)
        response = network.handle_request(request)
        response.read()
        response.close()
        versions.add((response.extensions["http_version"], response.status_code))
    network.close()
    assert versions == {(b"HTTP/2", 401)}


def test_a_unix_socket_replaces_host_and_port(
    behind: Mapping[str, Any], gateway: nginx.Gateway
) -> None:
    """The base URL keeps the path."""
    profile = {
        **behind,
        "base-url": "http://127.0.0.1:9/v1",
        "tools": {},
        "description": {},
        "connection": {"socket": str(gateway.folder / "plain.sock")},
    }
    target = parse(profile, environ={})
    network = Network(target.gateway)
    try:
        assert diagnose(target, network).complaints == ()
    finally:
        network.close()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"ca": None},
            "its certificate has an unknown issuer: name its authority in connection.ca",
        ),
        ({"host": "other.internal"}, "it does not know the host: name the one that it serves"),
        ({"host": None}, "it does not know the host: name the one that it serves"),
        (
            {"client_certificate": None, "client_key": None},
            "returned 400 (400 No required SSL certificate was sent) in place of the API: see"
            " connection.client-certificate",
        ),
        (
            {"client_certificate": "stranger.pem", "client_key": "stranger.key"},
            "returned 400 (400 The SSL certificate error) in place of the API: see"
            " connection.client-certificate (is it one that the gateway accepts?)",
        ),
        ({"headers": None}, "returned 421 (421 Misdirected Request) in place of the API"),
    ],
    ids=["ca", "another-host", "no-host", "no-certificate", "another-certificate", "no-header"],
)
def test_doctor_says_what_the_gateway_asks_for(
    changes: dict[str, Any],
    expected: str,
    behind: Mapping[str, Any],
    gateway: nginx.Gateway,
) -> None:
    """A plain sentence names the key of the profile to fill."""
    if changes.get("client_certificate"):
        changes = {key: str(gateway.folder / name) for key, name in changes.items()}
    assert expected in obstacle(stated(behind, gateway, **changes))


def test_the_error_pages_of_a_gateway_are_those_of_the_target(
    behind: Mapping[str, Any], gateway: nginx.Gateway, tmp_path: Path
) -> None:
    """Its body limit returns 413 as the contract says, with a page that is no JSON.

    Clients meet the gateway, so the two requirements on error responses fail, and no other one.
    """
    profile = {**stated(behind, gateway), "consent": {"oversized-bodies": True}}
    path = written(profile, tmp_path / "target.toml")
    verdicts = finished(path, tmp_path / "out", "--only", "limits/body")
    assert verdicts == {
        "limits/body": "pass",
        "response/content-type": "fail",
        "response/json": "fail",
    }


def test_replicas_that_share_a_database_behind_a_gateway_conform(tmp_path: Path) -> None:
    """Two servers with their records in PostgreSQL, which nginx asks in turn."""
    with postgres_cluster.running() as cluster, ExitStack() as serving:
        database = cluster.database()
        stores = [PostgresStore(database, 1) for _ in range(2)]
        first, second = (
            serving.enter_context(live_server.instance(Reference(1, store))) for store in stores
        )
        ports = [port(first), port(second)]
        gateway = serving.enter_context(nginx.running(tmp_path, ports, TOKEN))
        profile = stated(first, gateway)
        consent = {**profile["consent"], "oversized-bodies": False}  # nginx rejects them itself
        path = written({**profile, "consent": consent}, tmp_path / "target.toml")
        verdicts = finished(path, tmp_path / "out", "--depth", "quick")
    assert "fail" not in verdicts.values()
    assert verdicts["approval/state"] == verdicts["tools/approval"] == "pass"
