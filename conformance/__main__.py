"""The command line: its commands, their options and exit codes."""

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from difflib import get_close_matches
from typing import NoReturn, TextIO

from conformance.commands import descriptors
from conformance.commands.command_line import Parser, parser, usage_error
from conformance.commands.options.table import COMMANDS
from conformance.commands.outcome import UsageError
from conformance.commands.signals import deferred, disinherit
from conformance.contract import import_path
from conformance.contract.exit_codes import (
    CHECKER_ERROR,
    CONFORMANT,
    INCOMPLETE,
    INTERRUPTED,
    USAGE_ERROR,
)
from conformance.contract.verdict import Inconclusive
from conformance.http import dumps, secrecy
from conformance.report.console import output

SECRETS = ("LOCALIZATION_API_KEY", "LOCALIZATION_TOKEN")
"""The variables of primary where there is no profile."""

NO_PLACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a write for want of place: on the disk, in a quota, or in a limit of the process."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    for stream in map(_stream, ("stdout", "stderr")):
        # A terminal with a small character set must not make a command fail.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
    disinherit()
    import_path.protect()
    dumps.forbid()
    with secrecy.guarded():
        return _ended(sys.argv[1:] if arguments is None else arguments)


def _stream(name: str) -> TextIO:
    """A stream of this process; one that was closed before it began shows nothing."""
    if getattr(sys, name) is None:
        setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, PTH123 - until the process ends
    stream: TextIO = getattr(sys, name)
    return stream


def _ended(arguments: Sequence[str]) -> int:
    """How a command ended: its exit code, whatever happened."""
    try:
        # The modules of a run take a second; after that it leaves a report when it is stopped.
        with deferred() if "run" in arguments[:1] else nullcontext():
            return _performed(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as problem:
        if problem.errno in descriptors.TOO_FEW:
            return usage_error("conformance", f"{problem.strerror}: {descriptors.REMEDY}")
        if problem.errno not in NO_PLACE:
            output.failure(problem)
            return CHECKER_ERROR
        return _unwritten(problem)
    except Exception as problem:  # noqa: BLE001 - Python's own exit code, 1, would blame the target
        output.failure(problem)
        return CHECKER_ERROR


def _unwritten(problem: OSError) -> int:
    """The end of a command whose output has no place."""
    with suppress(OSError):
        output.lines([f"conformance: error: {problem.strerror}"], sys.stderr)
    # What is left in a buffer would make the interpreter's last flush fail.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return USAGE_ERROR


def _performed(arguments: Sequence[str]) -> int:
    chosen = _chosen(arguments)
    # Those that a command uses without a profile; a target may have seen them in another one.
    stated = {name: os.environ[name] for name in SECRETS if os.environ.get(name)}
    if stated:
        secrecy.protect({secret: f"${name}" for name, secret in stated.items()})
    try:
        descriptors.secure()
        # The module of a command has `run(arguments) -> exit code`; it is imported on demand.
        module = chosen.command.replace("-", "_")
        code: int = importlib.import_module(f"conformance.commands.{module}").run(chosen)
        sys.stdout.flush()
    except UsageError as problem:
        return usage_error(f"conformance {chosen.command}", str(problem))
    except Inconclusive as problem:
        output.lines([f"conformance {chosen.command}: not checked: {problem.message}"], sys.stderr)
        return INCOMPLETE
    except BrokenPipeError:
        # The reader of the output has closed it; otherwise the interpreter's last flush fails.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CONFORMANT
    return code


def _chosen(arguments: Sequence[str]) -> argparse.Namespace:
    """The command and its options; a misspelt one ends the process, with the nearest."""
    whole = parser()
    first = arguments[0] if arguments else ""
    if first and not first.startswith("-") and first not in COMMANDS:
        whole.error(f"unknown command {first!r}{_nearest(first, COMMANDS)}")
    chosen, rest = whole.parse_known_args(arguments)
    if rest:
        _reject(chosen.command, rest)
    return chosen


def _reject(command: str, rest: Sequence[str]) -> NoReturn:
    """End the process because of the arguments that a command does not have."""
    part = Parser(prog=f"conformance {command}", add_help=False)
    COMMANDS[command].options(part)
    options = [name for action in part.added for name in action.option_strings]
    wrong = next((each for each in rest if each.startswith("-")), rest[0])
    kind = "option" if wrong.startswith("-") else "argument"
    part.error(f"unknown {kind} {wrong!r}{_nearest(wrong.partition('=')[0], options)}")


def _nearest(text: str, known: Iterable[str]) -> str:
    near = get_close_matches(text, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""


if __name__ == "__main__":
    sys.exit(main())
