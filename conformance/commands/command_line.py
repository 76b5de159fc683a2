"""The parser of the command line."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from conformance import __version__
from conformance.commands.options.table import COMMANDS
from conformance.commands.outcome import VERDICTS, explained
from conformance.contract.exit_codes import USAGE_ERROR
from conformance.report.console import output


class Parser(argparse.ArgumentParser):
    """Knows its arguments, and reports a usage error in one line.

    The exit code of such an error is not argparse's, 2, which means interrupted.
    """

    def __init__(self, **properties: Any) -> None:
        self.added: list[argparse.Action] = []
        super().__init__(**properties)

    def add_argument(self, *names: Any, **properties: Any) -> argparse.Action:
        """Add an argument."""
        action = super().add_argument(*names, **properties)
        self.added.append(action)
        return action

    def add_subparsers(self, **properties: Any) -> Any:
        """Add the choice of an action, each of which has a parser of this kind."""
        actions = super().add_subparsers(**properties)
        self.added.append(actions)
        return actions

    def arguments(self) -> Iterator[argparse.Action]:
        """Its arguments, and those of each action."""
        for argument in self.added:
            yield argument
            parsers = argument.choices.values() if isinstance(argument.choices, Mapping) else ()
            for parser in parsers:
                yield from parser.arguments()

    def error(self, message: str) -> NoReturn:
        """End the process with a usage error."""
        raise SystemExit(usage_error(self.prog, f"{message} (see `{self.prog} --help`)"))


def parser() -> Parser:
    """The parser of the whole command line."""
    whole = Parser(
        prog="conformance",
        description="Check whether a deployment conforms to the video-localization client API.",
        epilog=explained(VERDICTS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="version", version=f"conformance {__version__}")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        part = commands.add_parser(
            name,
            help=command.help,
            description=command.help,
            epilog=explained(command.ends),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.options(part)
    return whole


def usage_error(command: str, message: str) -> int:
    """Report a usage error; returns its exit code."""
    output.lines(output.continued(f"{command}: error: {message}"), sys.stderr)
    return USAGE_ERROR
