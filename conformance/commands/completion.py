"""`conformance completion`: a script that completes commands and options in bash, zsh or fish."""

import argparse
from pathlib import Path

import shtab

from conformance.commands.command_line import parser
from conformance.contract.exit_codes import CONFORMANT
from conformance.report.console import output

FILE_NAMES = {"FILE", "DIR", "FILE.har", "FILE|URL", "BEFORE", "AFTER", "REPORT"}


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    output.own(script(arguments.shell))
    return CONFORMANT


def script(shell: str) -> str:
    """The script for a shell; what takes a path completes paths."""
    whole = parser()
    for argument in whole.arguments():
        if argument.type is Path or argument.metavar in FILE_NAMES:
            argument.complete = shtab.FILE  # type: ignore[attr-defined]
    text: str = shtab.complete(whole, shell)
    return f"{text}\n"
