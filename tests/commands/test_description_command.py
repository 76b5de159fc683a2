"""`conformance diff`: real processes on files and on a served document."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_server import files

from conformance.contract.files import text

CONTRACT = text("openapi.yaml")


def diff(*arguments: object) -> subprocess.CompletedProcess[str]:
    """One process of the command."""
    command = [sys.executable, "-m", "conformance", "diff", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False
    )


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The URL of a directory served over loopback."""
    with files(tmp_path) as url:
        yield url


def line_of(text: str, part: str) -> int:
    """The first line, counted from 1, that contains a text."""
    return text[: text.index(part)].count("\n") + 1


def test_the_contract_agrees_with_itself(tmp_path: Path) -> None:
    """Exit code 0, and one sentence."""
    path = tmp_path / "openapi.yaml"
    path.write_text(CONTRACT, encoding="utf-8")
    done = diff(path)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "The description agrees with the contract.\n",
        "",
    )


def test_a_breaking_difference_fails_with_its_line(tmp_path: Path) -> None:
    """Exit code 1, with the line of the document, the specified and the described value."""
    text = CONTRACT.replace(
        "accountType: {type: string, enum: [internal, external]}", "accountType: {type: string}"
    )
    path = tmp_path / "openapi.yaml"
    path.write_text(text, encoding="utf-8")
    done = diff(path)
    line = line_of(text, "accountType: {")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "BREAKS CLIENTS: responses may differ from what a client may expect",
        f"  {path}:{line}  Account.accountType: also allows some strings, UUIDs",
        "      specified  string, one of ['internal', 'external']",
        "      described  string",
        "      on         account_get",
        "",
        "1 breaks-clients: the description violates the contract",
    ]


def test_a_difference_of_the_whole_document_is_on_no_operation(tmp_path: Path) -> None:
    """Only its place and the two values are printed."""
    path = tmp_path / "openapi.yaml"
    path.write_text(CONTRACT.replace("openapi: 3.1.1", "openapi: 3.2.0"), encoding="utf-8")
    done = diff(path)
    line = line_of(CONTRACT, "openapi: 3.1.1")
    assert done.stdout.splitlines()[1:5] == [
        f"  {path}:{line}  openapi: is a different version of OpenAPI",
        "      specified  3.1.1",
        "      described  3.2.0",
        "",
    ]


def test_a_harmless_difference_does_not_fail(tmp_path: Path) -> None:
    """Exit code 0, with the differences."""
    path = tmp_path / "openapi.yaml"
    path.write_text(
        CONTRACT.replace(
            "schema: {type: integer, minimum: 1, maximum: 100}", "schema: {type: integer}"
        ),
        encoding="utf-8",
    )
    done = diff(path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 harmless: nothing breaks")


def test_as_json_it_has_every_line(tmp_path: Path) -> None:
    """As a JSON object."""
    text = CONTRACT.replace(
        '$ref: "#/components/responses/Conflict"', '$ref: "#/components/responses/BadRequest"'
    )
    text = text.replace('        "409": {$ref: "#/components/responses/BadRequest"}\n', "")
    path = tmp_path / "openapi.yaml"
    path.write_text(text, encoding="utf-8")
    done = diff(path, "--json")
    result = json.loads(done.stdout)
    (difference,) = result["differences"]
    assert (done.returncode, result["document"], result["breaking"]) == (0, str(path), False)
    assert result["counts"] == {"breaks-clients": 0, "breaks-callers": 0, "open": 0, "harmless": 1}
    assert len(difference.pop("operations")) == len(difference["lines"]) == 10
    assert difference.pop("lines")[0] == line_of(text, "responses:")
    assert difference == {
        "effect": "harmless",
        "aspect": "complete",
        "requirement": "description/complete",
        "where": "409",
        "message": "is not described",
        "specified": None,
        "described": None,
    }


def test_many_lines_are_cut_short(tmp_path: Path) -> None:
    """The rest is a number."""
    path = tmp_path / "openapi.yaml"
    path.write_text(
        CONTRACT.replace('        "409": {$ref: "#/components/responses/Conflict"}\n', ""),
        encoding="utf-8",
    )
    assert " and 2 more" in diff(path).stdout


def test_a_url_is_fetched(tmp_path: Path, served: str) -> None:
    """JSON or YAML, whatever its media type."""
    (tmp_path / "openapi.yaml").write_text(CONTRACT, encoding="utf-8")
    assert diff(f"{served}/openapi.yaml").returncode == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"openapi: [3\n", "openapi.yaml:2: is not valid YAML"),
        (b"swagger: '2.0'\n", "openapi.yaml: is not an OpenAPI 3 document"),
        (
            b"openapi: 3.1.1\npaths:\n  /a: {$ref: a.yaml}\n",
            "openapi.yaml:3: refers to another document ('a.yaml')",
        ),
        (b"\xff\xfe", "not UTF-8 text"),
        (None, "cannot be read: No such file or directory"),
    ],
    ids=["no YAML", "Swagger", "a part", "no text", "no file"],
)
def test_an_invalid_description_is_a_usage_error(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    """Exit code 4, one line, and nothing on standard output."""
    path = tmp_path / "openapi.yaml"
    if content is not None:
        path.write_bytes(content)
    done = diff(path)
    assert (done.returncode, done.stdout, done.stderr.count("\n"), message in done.stderr) == (
        4,
        "",
        1,
        True,
    )


@pytest.mark.parametrize(
    ("path", "message"), [("/nothing.yaml", "returned 404"), ("/binary", "not UTF-8 text")]
)
def test_another_status_is_a_usage_error(
    tmp_path: Path, served: str, path: str, message: str
) -> None:
    """Exit code 4, with the status."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    done = diff(served + path)
    assert (done.returncode, message in done.stderr) == (4, True)


def test_a_dead_url_is_a_usage_error() -> None:
    """Exit code 4, with the error of the connection."""
    done = diff("http://127.0.0.1:9/openapi.json")
    assert (done.returncode, "ConnectError" in done.stderr) == (4, True)


def test_characters_that_act_on_a_terminal_are_escaped(tmp_path: Path) -> None:
    """Control characters of a hostile document."""
    document = tmp_path / "openapi.yaml"
    document.write_text(
        CONTRACT.replace("operationId: account_get", 'operationId: "\\e[2J\\u202E"'),
        encoding="utf-8",
    )
    done = diff(document)
    assert (done.returncode, "\x1b" in done.stdout, "\u202e" in done.stdout) == (1, False, False)
