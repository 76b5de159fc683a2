"""Completion scripts, run by the shell where it is installed."""

import argparse
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.commands import completion
from conformance.commands.command_line import parser
from conformance.commands.options.table import COMMANDS


def completed(directory: Path, *words: str) -> list[str]:
    """What bash completes the last of these words to."""
    script = completion.script("bash")
    listed = " ".join(f"'{word}'" for word in words)
    source = (
        f"{script}\nCOMP_WORDS=(conformance {listed}); COMP_CWORD={len(words)}\n"
        "_shtab_conformance 2> /dev/null; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    shell = shutil.which("bash")
    assert shell is not None
    ended = subprocess.run(
        [shell, "-c", source], cwd=directory, capture_output=True, text=True, check=True
    )
    return ended.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("re",), {"requirements", "report", "registry", "replay"}),
        (("run", "--dep"), {"--depth"}),
        (("run", "--depth", ""), {"smoke", "quick", "standard", "deep"}),
        (("run", "--depth", "st"), {"standard"}),
        (("serve", "--lat"), {"--latency"}),
        (("completion", "b"), {"bash"}),
        (("run", "--seed", ""), set()),
        (("registry", "ch"), {"check"}),
        (("registry", "build", "--o"), {"--out", "--on"}),
        (("registry", "check", "--js"), {"--json"}),
        (("registry", "build", ""), {"target.toml"}),
        (("run", "--target", "ta"), {"target.toml"}),
        (("known", "prune", "ta"), {"target.toml"}),
        (("known", "p"), {"prune"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bash_completes_commands_options_and_values(
    tmp_path: Path, words: tuple[str, ...], expected: set[str]
) -> None:
    """A path completes to the files of the folder, and another free value to nothing."""
    (tmp_path / "target.toml").touch()
    assert set(completed(tmp_path, *words)) == expected


def test_fish_completes_as_bash_does(tmp_path: Path) -> None:
    """Where it is installed."""
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("fish is not installed")
    (tmp_path / "target.toml").touch()
    script = completion.script("fish")
    lines = ("run --dep", "run --depth st", "run --target ta", "known p", "known prune ta")
    asked = "; ".join(f"complete -C 'conformance {line}'" for line in lines)
    ended = subprocess.run(
        [fish, "--no-config", "-c", f"source -; {asked}"],
        cwd=tmp_path,
        input=script,
        capture_output=True,
        text=True,
        check=True,
    )
    found = [line.partition("\t")[0] for line in ended.stdout.splitlines()]
    assert found == ["--depth", "standard", "target.toml", "prune", "target.toml"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_names_every_command_and_option(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the shell is installed, it accepts the script."""
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name in COMMANDS:
        assert name in script
    shown = [each for each in parser().arguments() if each.help != argparse.SUPPRESS]
    for name in (name for argument in shown for name in argument.option_strings):
        assert name.lstrip("-") in script
    if path := shutil.which(shell):
        subprocess.run([path, "-n"], input=script, text=True, check=True)
