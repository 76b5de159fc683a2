"""The environment of a run: a lock file beside it, and a throw-away one in which it is verified."""

import os
from pathlib import Path

import pytest
from certified import Certified, quick_runs

from conformance.__main__ import main
from conformance.assurance.certificate import bundle, lock_file
from conformance.commands.certification import environment_of_then

HASH = "0" * 64
HEAD = 'lock-version = "1.0"\ncreated-by = "test"\n'


def locked(name: str, version: str, address: str = "https://pypi.example/x.whl") -> str:
    """A package of a lock file."""
    return (
        f'[[packages]]\nname = "{name}"\nversion = "{version}"\n[[packages.wheels]]\n'
        f'name = "{name}-{version}-py3-none-any.whl"\nurl = "{address}"\n'
        f'hashes = {{ sha256 = "{HASH}" }}\n'
    )


PACKAGES = {"httpx": "0.28.1", "localization-api-conformance": "0.1.0"}


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (HEAD + locked("httpx", "0.28.1"), []),
        (HEAD + locked("httpx", "0.28.1") + locked("pytest", "9.1"), []),
        ("=", ["pylock.toml is not a lock file: Invalid statement (at line 1, column 1)"]),
        (HEAD + "[[packages]]\n", ["pylock.toml is not a lock file: Missing required value"]),
        (HEAD + locked("pytest", "9.1"), ["pylock.toml lacks httpx"]),
        (
            HEAD + locked("httpx", "0.27"),
            ["pylock.toml has httpx 0.27, and the run had 0.28.1"],
        ),
        (
            HEAD + locked("httpx", "0.28.1", "https://me:secret@pypi.example/x.whl"),
            ["pylock.toml has a credential in an address of httpx"],
        ),
    ],
)
def test_a_lock_file_has_to_be_that_of_the_run(text: str, problems: list[str]) -> None:
    """It may have more packages; no address of it may hold a secret."""
    found = list(lock_file.problems(text.encode(), PACKAGES))
    assert [each.partition(" in 'packages")[0] for each in found] == problems


def test_a_lock_file_of_other_packages_is_not_certified(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is in the evidence, and every verification looks at it."""
    (tmp_path / "lock.toml").write_text(HEAD + locked("httpx", "0.1"))
    words = ["certify", "--report-dir", certified.report, "--key", certified.key, "--lock"]
    with quick_runs():
        assert main([*map(str, words), str(tmp_path / "lock.toml"), str(tmp_path / "c.zip")]) == 1
    assert "pylock.toml has httpx 0.1, and the run had" in capsys.readouterr().out


def tool(folder: Path, text: str) -> None:
    """A program `uv` that makes the environment of then as this script says."""
    (folder / "uv").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "uv").chmod(0o755)


@pytest.fixture
def other_suite(certified: Certified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate of another build, and a folder for programs at the front of the path."""
    monkeypatch.setattr("conformance.report.source.digest", lambda: "another build")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return certified.write(tmp_path / "c.zip")


def test_the_suite_of_then_verifies_the_certificate(
    other_suite: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """This package is installed by name, the others are constraints; its exit code counts."""
    tool(
        tmp_path,
        f"""echo "$@" >> {tmp_path}/log
case $1 in
venv) mkdir -p $4/bin; printf '#!/bin/sh\\necho "then: $@"; exit 3\\n' > $4/bin/python
  chmod +x $4/bin/python;;
pip) grep -c == environment.txt >> {tmp_path}/log;;
esac""",
    )
    public = tmp_path / "signer.pub"
    public.write_bytes(b"")
    certified_by = ["verify", "--then", "--json", "--find-links", str(tmp_path)]
    assert main([*certified_by, str(other_suite)]) == 3
    assert f"then: -m conformance verify --json {other_suite}" in capfd.readouterr().out
    venv, install, count = (tmp_path / "log").read_text().splitlines()
    assert venv.startswith("venv --python 3.")
    assert "localization-api-conformance==" in install
    assert " --only-binary :all: " in install
    assert install.endswith(f" -c environment.txt --find-links {tmp_path}")
    assert int(count) > 20


def test_uv_seeks_no_settings_above_the_folder(
    other_suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Anybody may write an index of packages into the folder for temporary files."""
    tool(tmp_path, "[ -f uv.toml ] && echo found: $(cat uv.toml) >&2; exit 1")
    assert main(["verify", "--then", str(other_suite)]) == 4
    assert "failed: found:; where no index has" in capsys.readouterr().err


def test_an_environment_that_cannot_be_made_is_a_usage_error(
    other_suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line of the tool says why."""
    tool(tmp_path, "echo no such version >&2; exit 1")
    assert main(["verify", "--then", str(other_suite)]) == 4
    assert "no such version; where no index has" in capsys.readouterr().err


def test_pip_makes_the_environment_where_there_is_no_uv(
    other_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the interpreter at hand."""
    monkeypatch.setenv("PATH", str(tmp_path))
    made, install = environment_of_then.commands(bundle.read(other_suite), tmp_path / "then")
    assert made[1:3] == ["-m", "venv"]
    assert install[:4] == [str(tmp_path / "then" / "bin" / "python"), "-m", "pip", "install"]
    assert install[install.index("--only-binary") + 1] == ":all:"
