"""Faults around a run: malformed proxy URLs, and schemas that refer to themselves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from process import conformance

from conformance.contract.exit_codes import USAGE_ERROR
from conformance.http import proxy, surroundings
from conformance.http.surroundings import UnusableEnvironment
from conformance.suite.tools.schema import rejection
from conformance.target.connection import Connection

MALFORMED = [
    "http://[::1",
    "http://jane:secret-word@proxy:port",
    "http://proxy:99999",
    "ftp://proxy",
    "http://",
]


@pytest.mark.parametrize("address", MALFORMED)
def test_a_malformed_proxy_url_is_reported(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable, but not the URL, which may contain a password."""
    monkeypatch.setenv("https_proxy", address)
    assert proxy.flaw() == "HTTPS_PROXY of the environment is not the URL of an HTTP proxy"


def test_a_valid_proxy_url_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have a scheme and credentials."""
    monkeypatch.setenv("https_proxy", "proxy.test:3128")
    monkeypatch.setenv("http_proxy", "http://jane:word@proxy.test")
    assert proxy.flaw() is None


def test_the_credentials_of_proxies_are_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """User and password together are always a secret; the password alone only if it is long."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "jane:a%40long-word@proxy.test")
    monkeypatch.setenv("https_proxy", "http://joe:word@proxy.test")
    monkeypatch.setenv("all_proxy", "http://[broken")
    assert proxy.secrets() == {
        "jane:a%40long-word": "$PROXY_CREDENTIALS",
        "a%40long-word": "$PROXY_PASSWORD",
        "jane:a@long-word": "$PROXY_CREDENTIALS",
        "a@long-word": "$PROXY_PASSWORD",
        "joe:word": "$PROXY_CREDENTIALS",
    }


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("SSL_CERT_FILE", None, "No such file or directory"),
        ("SSL_CERT_FILE", "no certificate", "no certificate is there; name a PEM file"),
        ("SSL_CERT_DIR", None, "No such file or directory"),
        ("SSL_CERT_DIR", "no directory", "Not a directory"),
        ("SSLKEYLOGFILE", None, "No such file or directory"),
    ],
)
@pytest.mark.parametrize("command", [["run"], ["doctor"], ["init"]], ids=" ".join)
def test_an_unusable_path_for_tls_is_a_usage_error(
    name: str, content: str | None, reason: str, command: list[str], tmp_path: Path
) -> None:
    """One line names the variable, the path and the reason, whatever the scheme of the target."""
    path = tmp_path / "missing" / "file"
    if content is not None:
        path = tmp_path / "file"
        path.write_text(content)
    stated = {name: str(path)}
    done = conformance(tmp_path, *command, "--base-url", "http://127.0.0.1:9/v1", **stated)
    assert (done.returncode, done.stdout) == (USAGE_ERROR, "")
    assert f"{name}={path}: {reason}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_directory_without_certificates_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenSSL finds a certificate there by the digest of its name."""
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    with pytest.raises(UnusableEnvironment, match="no certificate is there; name a directory"):
        surroundings.ssl_context(Connection(), identified=True)
    (tmp_path / "5ed36f99.0").touch()
    surroundings.ssl_context(Connection(), identified=True)


def test_a_run_through_a_malformed_proxy_is_a_usage_error(tmp_path: Path) -> None:
    """The output has no traceback."""
    command = [sys.executable, "-m", "conformance", "run", "--base-url", "http://api.test/v1"]
    done = subprocess.run(
        [*command, "--report-dir", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "http_proxy": "http://jane:secret-word@proxy:port"},
    )
    assert done.returncode == USAGE_ERROR
    assert "HTTP_PROXY of the environment is not the URL of an HTTP proxy" in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert "secret-word" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#", "required": ["project"]},
        {"allOf": [{"$ref": "#"}], "required": ["project"]},
        {"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#/$defs/a", "not": {}}}},
    ],
)
def test_a_schema_that_refers_to_itself_rejects_nothing(schema: dict[str, object]) -> None:
    """One of the two validators does not support it, so the target is not blamed."""
    assert rejection({"limit": 1}, schema) is None
