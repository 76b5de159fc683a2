"""`conformance check-files`: mistakes in files are found before they reach a run."""

from pathlib import Path
from typing import Any

import pytest

from conformance.__main__ import main
from conformance.commands.init import template

PROFILE = 'base-url = "http://x/v1"\n[credentials.primary]\napi-key = "${KEY}"\n'
KNOWN = '[[known]]\nrequirement = "read/success"\nreason = "ticket 7"\n'
COMMAND = 'base-url = "${URL}"\n[credentials.primary]\nbearer = { command = ["false"] }\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("target.toml", PROFILE),
        ("target.toml", template()),
        ("target.toml", COMMAND),
        ("target.toml", f'{PROFILE}[fixtures]\napprovable-reviews = ["${{A}}", "${{B}}"]\n'),
        ("known-failures.toml", KNOWN),
        ("known-failures.toml", ""),
        ("staging.toml", KNOWN.replace("known", "gap")),
    ],
)
def test_a_sound_file_needs_no_variable_and_runs_no_command(
    name: str, text: str, folder: Path, capsys: Any
) -> None:
    """Nothing is printed."""
    (folder / name).write_text(text)

    assert main(["check-files", name]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("target.toml", PROFILE.replace("primary", "primry"),
         "target.toml:2: credentials.primry is an unknown key: did you mean primary?"),
        ("target.toml", "[tools]\n", "target.toml: base-url is missing"),
        ("target.toml", PROFILE.replace("${KEY}", "secret-0123"),
         "target.toml:3: credentials.primary.api-key holds the secret itself: write"),
        ("target.toml", "x", "target.toml:1: invalid TOML"),
        ("target.toml", PROFILE + '[limits]\nmax-body-bytes = "${BYTES}"\n',
         "target.toml:5: limits.max-body-bytes names the environment variable"),
        ("known.toml", KNOWN.replace("success", "sucess"),
         "known.toml:2: known[0].requirement names an unknown requirement: 'read/sucess'"),
        ("staging.toml", '[[gap]]\nrequirement = "read/success"\n',
         "staging.toml:1: gap[0] has no reason"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(
    name: str, text: str, message: str, folder: Path, capsys: Any
) -> None:
    """Exit code 1; a secret is never repeated."""
    (folder / name).write_text(text)

    assert main(["check-files", name]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "secret-0123" not in error


def test_each_mistake_has_a_line_of_its_own(folder: Path, capsys: Any) -> None:
    """As in a run."""
    (folder / "target.toml").write_text(f"{PROFILE}[limits]\nrat = 1\nmax = 2\n")

    assert main(["check-files", "target.toml"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["target.toml:5", "target.toml:6"]


def test_every_file_is_checked(folder: Path, capsys: Any) -> None:
    """The secrets of a sandbox may be allowed."""
    (folder / "target.toml").write_text(PROFILE.replace("${KEY}", "secret-0123"))
    (folder / "known.toml").write_text("[[known]]\n")

    assert main(["check-files", "target.toml", "known.toml"]) == 1
    output = capsys.readouterr().err
    assert ("target.toml:3" in output, "known.toml:1" in output) == (True, True)
    assert main(["check-files", "--allow-secrets", "target.toml"]) == 0
    assert main(["check-files", "absent.toml"]) == 1
