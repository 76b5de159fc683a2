"""The options of the served reference."""

import argparse
import importlib
from collections.abc import Callable
from pathlib import Path

from conformance.commands.options import usual
from conformance.runner import option_types

IN_MEMORY = ":memory:"
"""The database that is no file."""


def serve(part: argparse.ArgumentParser) -> None:
    """The options of the served reference."""
    _address(part)
    _data(part)
    _behaviour(part)
    part.add_argument(
        "--log",
        action=argparse.BooleanOptionalAction,
        help="write a line for each request to standard error, with the requirement that a"
        " rejected request is about (default: on a terminal)",
    )


def _address(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--port",
        type=option_types.port,
        default=0,
        help="port to listen on (default: any free port)",
    )
    part.add_argument(
        "--host",
        type=option_types.host,
        default="127.0.0.1",
        help="address to listen on (default: %(default)s)",
    )
    part.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which clients call the tool interface, which rejects others"
        " (default: those of this machine, or every name with a --host beyond it)",
    )
    part.add_argument(
        "--target-out",
        type=Path,
        metavar="FILE",
        help="write the target profile of this instance, including its secrets",
    )


def _data(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--db",
        "--database",
        dest="database",
        default=IN_MEMORY,
        metavar="FILE",
        help="keep the data and the approvals in a SQLite file instead of in memory",
    )
    usual.seed(part)
    part.add_argument(
        "--data",
        type=option_types.count,
        metavar="N",
        help="number of projects in a new database, and as many more videos and reviews"
        " (default and minimum: 154)",
    )


def _behaviour(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--latency",
        type=_parsed_by("latency"),
        metavar="TIME",
        help="delay every response: 150ms, 0.2s, or 150ms±50 for 100 to 200 ms",
    )
    part.add_argument(
        "--fail",
        type=_parsed_by("faults"),
        metavar="SHARE:STATUS",
        help="let some requests fail, always the same ones: 1/40:503",
    )
    part.add_argument(
        "--rate",
        type=_parsed_by("rate"),
        metavar="RATE",
        help="limit the requests of each credential: 20/s or 100/min",
    )
    part.add_argument(
        "--cors",
        action="store_true",
        help="allow scripts of every origin, and respond to OPTIONS",
    )


def _parsed_by(module: str) -> Callable[[str], object]:
    """The type of an option that a module of the sandbox parses, which is loaded only for this."""

    def parsed(text: str) -> object:
        try:
            value: object = importlib.import_module(f"conformance.commands.sandbox.{module}").parse(
                text
            )
        except ValueError as problem:
            raise argparse.ArgumentTypeError(str(problem)) from None
        return value

    return parsed
