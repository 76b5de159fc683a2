"""A target that repeats the credentials of a run, in every encoding; all artefacts are searched."""

import base64
import html
from functools import cache
from pathlib import Path

import orjson
import pytest
from echoing_target import COMPRESSED, ENCODINGS, spellings, subject

from conformance import reference
from conformance.contract.exit_codes import NON_CONFORMANT
from conformance.report import artefacts
from conformance.runner import examination, pytest_run

PASSWORD = "proxy-pass-8f2e61"
BASIC = base64.b64encode(f"jane:{PASSWORD}".encode()).decode()
MATRIX = {**ENCODINGS, **COMPRESSED}
FILES = ("report.json", "exchanges.jsonl", *(each.file for each in artefacts.FORMATS.values()))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path]:
    """The exit code and the report directory of a run on the echoing target, behind a proxy."""
    directory = tmp_path_factory.mktemp("echoing")
    options = [
        *pytest_run.options(directory, "standard", 1, ["read"]),
        f"--report={','.join(artefacts.FORMATS)}",
        "--max-requests=200",  # one header and one message has each spelling
    ]
    others = (PASSWORD, f"proxy-authorization: Basic {BASIC}")
    echoing = examination.Substitute(lambda: subject(others))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("http_proxy", f"http://jane:{PASSWORD}@proxy.test:3128")
        code = pytest_run.execute(options, [echoing])
    return code, directory


@cache
def secrets() -> list[str]:
    """The secrets of the caller with most of the requests."""
    primary = examination.in_process(reference).target.credentials["primary"]
    return sorted(primary.secrets)


@cache
def views(directory: Path, name: str) -> list[str]:
    """An artefact as text, and as decoded from JSON, HTML or XML."""
    path = directory / name
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    text = "\n".join(file.read_text() for file in files)
    return [text, text.replace("\\\\", "\\"), html.unescape(text)]


def test_a_target_cannot_suppress_the_report_of_its_violations(
    written: tuple[int, Path],
) -> None:
    """The exit code is that of a violation, and every file exists and names the masked variable."""
    code, directory = written
    report = orjson.loads((directory / "report.json").read_bytes())
    assert (code, report["verdict"]) == (NON_CONFORMANT, "non-conformant")
    assert [name for name in FILES if not (directory / name).exists()] == []
    assert "masked" not in report
    for name in ("report.json", "exchanges.jsonl", "report.html", "exchanges.har"):
        assert "$PRIMARY_API_KEY" in views(directory, name)[0]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("encoding", MATRIX)
def test_no_encoding_of_a_secret_is_in_an_artefact(
    written: tuple[int, Path], encoding: str, file: str
) -> None:
    """Neither the whole secret nor either half of it occurs."""
    _, directory = written
    encode = MATRIX[encoding]
    contents = views(directory, file)
    for secret in secrets():
        middle = len(secret) // 2
        for part in (secret, secret[:middle], secret[middle:]):
            sought = encode(part).rstrip("=")
            assert not any(sought in content for content in contents), part


@pytest.mark.parametrize("file", FILES)
def test_no_masked_key_and_no_password_of_a_proxy_is_in_an_artefact(
    written: tuple[int, Path], file: str
) -> None:
    """The visible parts of a masked key, and the password plain and in base64."""
    _, directory = written
    visible = {part for secret in secrets() for part in (secret[:8], secret[-8:])}
    text = views(directory, file)[0]
    assert [part for part in (*visible, PASSWORD, BASIC) if part in text] == []


def test_the_target_repeats_secrets_in_every_encoding() -> None:
    """The other tests of this module depend on it."""
    assert len(set(spellings("lk_0addf1b2454eb765f07ec27d737c"))) > 2 * len(MATRIX)
