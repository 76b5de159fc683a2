"""Completion scripts, run by the shell where it is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.commands import completion
from conformance.commands.options.table import COMMANDS


def completed(directory: Path, *words: str) -> list[str]:
    """What bash completes the last of these words to."""
    script = "\n".join(completion.bash(completion.command_lines()))
    listed = " ".join(f"'{word}'" for word in words)
    source = (
        f"{script}\nCOMP_WORDS=(conformance {listed}); COMP_CWORD={len(words)}\n"
        "_conformance 2> /dev/null; printf '%s\\n' \"${COMPREPLY[@]}\""
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
        (("registry", "build", ""), set()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bash_completes_commands_options_and_values(
    tmp_path: Path, words: tuple[str, ...], expected: set[str]
) -> None:
    """An option with a free value completes to nothing."""
    assert set(completed(tmp_path, *words)) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_names_every_command_and_option(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the shell is installed, it accepts the script."""
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name in COMMANDS:
        assert name in script
    for line in completion.command_lines().values():
        for option in line.options:
            assert all(spelling.lstrip("-") in script for spelling in option.names)
    if path := shutil.which(shell):
        subprocess.run([path, "-n"], input=script, text=True, check=True)
