"""`conformance completion`: a script that completes commands and options in bash, zsh or fish."""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.commands.options.table import COMMANDS, Command
from conformance.contract.exit_codes import CONFORMANT
from conformance.report.console import output

FILE_NAMES = {"FILE", "DIR", "FILE.har", "FILE|URL", "BEFORE", "AFTER", "REPORT"}


@dataclass(frozen=True)
class Option:
    """An option: its spellings, the help, and the values; `takes_file` completes paths."""

    names: tuple[str, ...]
    help: str
    values: tuple[str, ...] = ()
    takes_value: bool = False
    takes_file: bool = False


@dataclass(frozen=True)
class CommandLine:
    """A command: the help, the options, and the words that stand for a positional argument."""

    help: str
    options: tuple[Option, ...]
    words: tuple[str, ...] = ()
    takes_file: bool = False


class Recorder(argparse.ArgumentParser):
    """A parser that records the arguments that are added to it."""

    def __init__(self, **properties: Any) -> None:
        self.recorded: list[argparse.Action] = []
        super().__init__(**properties, add_help=False)

    def add_argument(self, *names: Any, **properties: Any) -> argparse.Action:
        """Add an argument."""
        action = super().add_argument(*names, **properties)
        self.recorded.append(action)
        return action

    def add_subparsers(self, **properties: Any) -> Any:
        """Add the choice of an action; the parser of each action is a recorder too."""
        actions = super().add_subparsers(**properties)
        self.recorded.append(actions)
        return actions

    def everything(self) -> Iterator[argparse.Action]:
        """The arguments, and those of each action."""
        for action in self.recorded:
            yield action
            parsers = action.choices.values() if isinstance(action.choices, Mapping) else ()
            for parser in parsers:
                yield from parser.everything()


def run(arguments: argparse.Namespace) -> int:
    """Print the script; how to install it is in its first line."""
    scripts = {"bash": bash, "zsh": zsh, "fish": fish}
    lines = scripts[arguments.shell](command_lines())
    output.lines(lines)
    return CONFORMANT


def command_lines() -> dict[str, CommandLine]:
    """The commands with their options, as the parser has them."""
    return {name: _command_line(command) for name, command in COMMANDS.items()}


def _command_line(command: Command) -> CommandLine:
    recorder = Recorder()
    command.options(recorder)
    actions = [action for action in recorder.everything() if action.help != argparse.SUPPRESS]
    positional = [action for action in actions if not action.option_strings]
    return CommandLine(
        command.help,
        tuple(_option(action) for action in actions if action.option_strings),
        tuple(word for action in positional for word in action.choices or ()),
        any(_is_file(action) for action in positional),
    )


def _option(action: argparse.Action) -> Option:
    help = re.sub(r"%\([^)]*\)s", str(action.default), action.help or "")
    return Option(
        tuple(action.option_strings),
        help.replace("%%", "%"),
        tuple(map(str, action.choices or ())),
        action.nargs != 0,
        _is_file(action),
    )


def _is_file(action: argparse.Action) -> bool:
    return action.type is Path or action.metavar in FILE_NAMES


def bash(commands: Mapping[str, CommandLine]) -> Iterator[str]:
    """The script for bash."""
    yield "# conformance completion bash > ~/.local/share/bash-completion/completions/conformance"
    yield "_conformance() {"
    yield '  local current="${COMP_WORDS[COMP_CWORD]}" words=""'
    yield '  local before="${COMP_WORDS[COMP_CWORD-1]}"'
    yield "  COMPREPLY=()"
    yield '  case "$COMP_CWORD:${COMP_WORDS[1]}" in'
    yield f'    1:*) words="{" ".join(commands)} --help --version";;'
    for name, line in commands.items():
        yield f"    *:{name})"
        yield '      case "$before" in'
        yield from (f"        {each}" for each in _bash_values(line.options))
        yield "      esac"
        names = [spelling for option in line.options for spelling in option.names]
        yield f'      words="{" ".join([*names, *line.words, "--help"])}"'
        if line.takes_file:
            # The word comes first, then the files.
            word = ' || "$COMP_CWORD" == 2' if line.words else ""
            yield f'      [[ "$current" == -*{word} ]] || {{ compopt -o default; return; }}'
        yield "      ;;"
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "complete -F _conformance conformance"


def _bash_values(options: Sequence[Option]) -> Iterator[str]:
    for option in options:
        names = "|".join(option.names)
        if option.values:
            values = " ".join(option.values)
            yield f'{names}) COMPREPLY=($(compgen -W "{values}" -- "$current")); return;;'
        elif option.takes_file:
            yield f"{names}) compopt -o default; return;;"
        elif option.takes_value:
            yield f"{names}) return;;"


def zsh(commands: Mapping[str, CommandLine]) -> Iterator[str]:
    """The script for zsh."""
    yield "#compdef conformance"
    yield "# conformance completion zsh > ~/.zfunc/_conformance, and ~/.zfunc in $fpath"
    yield "_conformance() {"
    yield "  local -a commands"
    yield "  commands=("
    yield from (f"    {_quoted(f'{name}:{line.help}')}" for name, line in commands.items())
    yield "  )"
    yield "  if (( CURRENT == 2 )); then _describe command commands; return; fi"
    yield "  local name=$words[2]"
    yield "  shift words; (( CURRENT-- ))"
    yield "  case $name in"
    for name, line in commands.items():
        specifications = [_zsh_option(option) for option in line.options]
        if line.words:
            specifications.append(_quoted(f"1:value:({' '.join(line.words)})"))
        if line.takes_file:
            specifications.append("'*:file:_files'")
        yield f"    {name}) _arguments {' '.join(specifications)};;"
    yield "  esac"
    yield "}"
    yield '_conformance "$@"'


def _zsh_option(option: Option) -> str:
    text = re.sub(r"([\[\]:])", r"\\\1", option.help)
    value = ""
    if option.values:
        value = f":value:({' '.join(option.values)})"
    elif option.takes_file:
        value = ":file:_files"
    elif option.takes_value:
        value = ":value:"
    return " ".join(_quoted(f"{name}[{text}]{value}") for name in option.names)


def fish(commands: Mapping[str, CommandLine]) -> Iterator[str]:
    """The script for fish."""
    yield "# conformance completion fish > ~/.config/fish/completions/conformance.fish"
    yield "complete -c conformance -f"
    for name, line in commands.items():
        start = "complete -c conformance -n __fish_use_subcommand"
        yield f"{start} -a {name} -d {_quoted(line.help)}"
    for name, line in commands.items():
        start = f"complete -c conformance -n '__fish_seen_subcommand_from {name}'"
        for option in line.options:
            yield f"{start} {_fish_option(option)}"
        if line.words:
            yield f"{start} -a {_quoted(' '.join(line.words))}"
        if line.takes_file:
            yield f"{start} -F"


def _fish_option(option: Option) -> str:
    words = [_fish_name(name) for name in option.names]
    if option.values:
        words.append(f"-x -a {_quoted(' '.join(option.values))}")
    elif option.takes_file:
        words.append("-r -F")
    elif option.takes_value:
        words.append("-x")
    return " ".join([*words, f"-d {_quoted(option.help)}"])


def _fish_name(name: str) -> str:
    return f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"


def _quoted(text: str) -> str:
    """A text in single quotes, as all three shells read it."""
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"
