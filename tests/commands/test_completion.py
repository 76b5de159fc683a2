"""Completion scripts, run by the shell where it is installed."""

import argparse
import os
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


def installed(name: str) -> str:
    """The path of a shell; without it the test is skipped, or fails where CI has to have it."""
    found = shutil.which(name)
    if found is not None:
        return found
    if os.environ.get("CONFORMANCE_REQUIRE_SHELLS"):
        pytest.fail(f"{name} is not installed (apt-get install {name})")
    pytest.skip(f"{name} is not installed")


ZSH = r"""
zmodload zsh/zpty
zpty inner zsh -f -i
read_until() {
    local piece
    while zpty -r inner piece; do
        [[ $piece == *$1* ]] && return
    done
}
zpty -w inner 'PROMPT=; stty -echo; source ./inner.zsh; print -r -- read""y'
read_until ready
zpty -n -w inner "$1"$'\t'
while zpty -r inner piece; do
    print -rn -- "$piece"
    [[ $piece == *"<end>"* ]] && break
done
zpty -d inner
"""
"""Asks an interactive zsh on a terminal of its own what it completes a line to."""

INNER = r"""
autoload -Uz compinit && compinit -u -D
eval "$(<./_conformance)"
bindkey '^I' complete-word
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return
    fi
    local -a matches
    builtin compadd -A matches "$@"
    print -rl -- "" "${(@)matches/#/match:}"
}
finished() { print -r -- "<end>" }
comppostfuncs=(finished)
"""
"""Prints what is offered, in place of inserting it."""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("run --dep", {"--depth"}),
        ("run --depth st", {"standard"}),
        ("run --target ta", {"target.toml"}),
        ("fleet m", {"may", "matrix"}),
    ],
)
def test_zsh_completes_as_bash_does(tmp_path: Path, line: str, expected: set[str]) -> None:
    """Where it is installed."""
    zsh = installed("zsh")
    (tmp_path / "target.toml").touch()
    (tmp_path / "_conformance").write_text(completion.script("zsh"), encoding="utf-8")
    (tmp_path / "inner.zsh").write_text(INNER, encoding="utf-8")
    ended = subprocess.run(
        [zsh, "-f", "-c", ZSH, "zsh", f"conformance {line}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = {
        each.partition("match:")[2].strip()
        for each in ended.stdout.splitlines()
        if "match:" in each
    }
    assert found == expected, ended.stdout


def test_fish_completes_as_bash_does(tmp_path: Path) -> None:
    """Where it is installed."""
    fish = installed("fish")
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
