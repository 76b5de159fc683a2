"""`[connection]` of a profile: what it accepts, and what is known of it elsewhere."""

import os
from pathlib import Path
from typing import Any

import nginx
import pytest

from conformance.commands.reproduction import client_text
from conformance.target import demands, profile, snapshot
from conformance.target.connection import Connection, FurtherHeader
from conformance.target.demands import Origin
from conformance.target.profile import parse
from conformance.target.profile_file import ProfileError

URL = "https://gateway.test/v1"
PYTHON = "import sys; print('printed-' + 'secret')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates and keys, and an empty file."""
    made = tmp_path_factory.mktemp("certificates")
    nginx.certificates(made)
    (made / "empty.pem").touch()
    os.mkfifo(made / "pipe")
    return made


def parsed(folder: Path, **connection: object) -> Any:
    """The target of a profile in a folder."""
    data = {"base-url": URL, "tools": {"url": "https://tools.test/mcp"}, "connection": connection}
    return parse(data, source=str(folder / "target.toml"), environ={"TOKEN": "of-a-variable"})


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        ({"ca": "none.pem"}, "connection.ca names a file that cannot be read: No such file"),
        ({"ca": "empty.pem"}, "connection.ca names a file without a certificate"),
        ({"ca": "pipe"}, "connection.ca names a file that cannot be read: not a regular file"),
        (
            {"client-certificate": "pipe"},
            "connection.client-certificate names a file that cannot be read: not a regular file",
        ),
        ({"ca": "a\0b"}, "connection.ca has a control character"),
        ({"client-key": "client.key"}, "connection.client-key has no certificate"),
        (
            {"client-certificate": "client.pem", "client-key": "stranger.key"},
            "connection.client-key does not name a key that fits the certificate",
        ),
        (
            {"client-certificate": "client.pem"},
            "connection.client-certificate does not name a key that fits the certificate",
        ),
        (
            {"client-certificate": "empty.pem", "client-key": "client.key"},
            "connection.client-certificate names a file without a certificate",
        ),
        ({"socket": "client.pem"}, "connection.socket names no Unix socket"),
        ({"socket": "s" * 500}, "connection.socket names no Unix socket"),
        ({"http3": True}, "connection.http3 is an unknown key: did you mean http2?"),
        ({"host": "https://api.internal"}, "connection.host is not a host name"),
        ({"response-timeout": 0}, "connection.response-timeout is not above zero"),
        ({"headers": {"X-Api-Key": "k"}}, "is a header that the checks send themselves"),
        ({"headers": {"a b": "k"}}, "is not the name of a header"),
        ({"headers": {"x-a": "k", "X-A": "l"}}, "connection.headers.X-A names a header twice"),
        ({"headers": {"x-a": {"lifetime": 3}}}, "connection.headers.x-a has no command"),
        ({"headers": {"x-a": {"command": ["false"]}}}, "connection.headers.x-a.command failed"),
        ({"headers": {"x-a": "${UNSET}"}}, "names the environment variable 'UNSET'"),
        ({"headers": "x"}, "connection.headers must be a table, not a string"),
    ],
)
def test_what_cannot_be_used_is_one_line_with_file_and_key(
    stated: dict[str, Any], problem: str, folder: Path
) -> None:
    """It is found before the first request."""
    with pytest.raises(ProfileError) as raised:
        parsed(folder, **stated)
    (line,) = str(raised.value).splitlines()
    assert line.startswith(str(folder / "target.toml"))
    assert problem in line


def test_headers_are_values_variables_or_commands(folder: Path) -> None:
    """Each is a secret of the target, and goes to its API and tools alone."""
    command = {"command": ["python3", "-c", PYTHON], "lifetime": 60}
    stated = {"X-Plain": "a-plain-value", "x-variable": "${TOKEN}", "x-printed": command}
    target = parsed(folder, headers=stated, host="api.internal:8443")

    assert target.secrets == {"a-plain-value", "of-a-variable", "printed-secret"}
    assert target.variables == {
        "a-plain-value": "$CONNECTION_X_PLAIN",
        "of-a-variable": "$TOKEN",
        "printed-secret": "$CONNECTION_X_PRINTED",
    }
    names = [each.name for each in target.gateway.headers(f"{URL}/account")]
    assert names == ["x-plain", "x-variable", "x-printed"]
    assert target.gateway.headers("https://tools.test/mcp")
    assert not target.gateway.headers("https://docs.test/openapi.json")
    assert not target.gateway.redirects("https://tools.test/mcp")
    assert target.connection.sni == "api.internal"
    assert "a-plain-value" not in repr(target)


def test_a_snapshot_keeps_what_commands_need_and_no_secret_or_path(folder: Path) -> None:
    """A target that is restored from it has the same commands and the same snapshot."""
    target = parsed(
        folder,
        **{"client-certificate": "client.pem", "client-key": "client.key", "ca": "ca.pem"},
        headers={"x-gateway": "a-plain-value"},
        host="api.internal",
        http2=True,
    )
    taken = snapshot.of(target, [])

    assert "a-plain-value" not in str(taken)
    assert str(folder) not in str(taken)
    assert snapshot.is_exact(taken)
    assert snapshot.target(taken).gateway.curl == target.gateway.curl
    assert target.gateway.curl == (
        '--cert "$CLIENT_CERTIFICATE"',
        '--key "$CLIENT_KEY"',
        '--cacert "$CA_BUNDLE"',
        "--http2",
        "-H 'host: api.internal'",
        '-H "x-gateway: $CONNECTION_X_GATEWAY"',
    )


@pytest.mark.parametrize(
    "forged",
    [
        {"ca": "x"},
        {"host": "a; rm -r ."},
        {"headers": {"x": "A; rm"}},
        {"headers": {'x" "': "A"}},
        {"other": 1},
    ],
    ids=str,
)
def test_a_snapshot_of_anybody_writes_no_command(forged: dict[str, Any], folder: Path) -> None:
    """What a profile could not state is rejected."""
    with pytest.raises((ValueError, TypeError)):
        snapshot.target({**snapshot.of(parsed(folder), []), "connection": forged})


def test_a_profile_has_to_be_trusted_with_files_of_the_machine(folder: Path) -> None:
    """It says which one, and where it is used; commands of headers count as those of tokens."""
    stated = {
        "base-url": URL,
        "connection": {
            "client-certificate": "both.pem",
            "host": "api.internal",
            "socket": "/run/api.sock",
            "headers": {"x-a": {"command": ["./token"]}},
        },
    }
    found = demands.of(stated, Origin(folder / "target.toml", ""))

    assert not found.is_empty
    lines = list(found.described())
    assert lines[0].startswith("runs   ./token  (connection.headers.x-a.command")
    assert lines[1:] == [
        "uses   a private key both.pem  (connection.client-certificate)",
        "uses   a Unix socket /run/api.sock  (connection.socket)",
        f"to     {URL}, socket /run/api.sock, host api.internal",
    ]
    assert [each.key for each in found.problems()] == [
        "connection.headers.x-a.command",
        "connection.client-certificate",
        "connection.socket",
    ]
    without = demands.of({"base-url": URL, "connection": {"ca": "ca.pem"}}, Origin(folder, ""))
    assert without.is_empty


def test_a_header_that_stands_in_the_file_is_found(folder: Path) -> None:
    """`check-files` and the pre-commit hook reject it, as they do a key."""
    path = folder / "secret.toml"
    path.write_text(f'base-url = "{URL}"\n[connection]\nheaders = {{ x-a = "a-plain-value" }}\n')
    (problem,) = profile.check(path)
    assert str(problem).startswith(f"{path}:3: connection.headers.x-a holds the secret itself")
    assert profile.check(path, allow_secrets=True) == []


def test_an_outline_needs_no_file_and_no_variable(folder: Path) -> None:
    """It sends nothing."""
    path = folder / "outline.toml"
    stated = 'headers = { x-a = "${UNSET}" }\nca = "none.pem"\nresponse-timeout = 40'
    path.write_text(f'base-url = "{URL}"\n[connection]\n{stated}\n')
    assert profile.outline(path, environ={}).connection.response_timeout == 40


def test_a_written_test_reads_files_and_secrets_from_variables() -> None:
    """Its client is that of the profile; without a connection it is a plain one."""
    full = Connection(
        "client.pem",
        "client.key",
        "ca.pem",
        (FurtherHeader("x-a", "a-plain-value"),),
        "api.internal",
        socket="plain.sock",
    )
    text = client_text.client(full)
    for variable in ("CLIENT_CERTIFICATE", "CLIENT_KEY", "CA_BUNDLE", "UNIX_SOCKET", "X_A"):
        assert f'{variable}")' in text.replace("'", '"')
    assert "a-plain-value" not in text
    assert ".pem" not in text
    opened: dict[str, Any] = {"httpx": Recorder()}
    exec(client_text.client(Connection()), opened)
    assert opened["client"]([("a", "b")]) == {"timeout": 30, "headers": [("a", "b")]}


class Recorder:
    """Stands for httpx in a written file: its client is its options."""

    def Client(self, **options: object) -> object:  # noqa: N802 - the name in httpx
        """The options of a client."""
        return options
