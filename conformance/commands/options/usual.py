"""Options that several commands have, in one form."""

import argparse
import os
from pathlib import Path
from typing import Any

from conformance.runner import option_types

SITE = Path("site")
"""The folder of a site where --out names none."""


def json(part: argparse.ArgumentParser, what: str = "a JSON object") -> None:
    """Print for programs instead of for people."""
    part.add_argument("--json", action="store_true", help=f"print {what}")


def processes(part: argparse.ArgumentParser, what: str = "number of processes") -> None:
    """How many processes work side by side."""
    part.add_argument(
        "-j",
        dest="processes",
        type=option_types.processes,
        default=os.cpu_count() or 1,
        metavar="N",
        help=f"{what} (default: one per core)",
    )


def seed(part: argparse.ArgumentParser) -> None:
    """The seed of the data of a reference."""
    part.add_argument(
        "--seed",
        type=option_types.seed,
        default=1,
        metavar="N",
        help="the same seed creates the same data (default: %(default)s)",
    )


def action(actions: Any, name: str, help: str) -> argparse.ArgumentParser:
    """A new action of a command that has several."""
    added: argparse.ArgumentParser = actions.add_parser(name, help=help, allow_abbrev=False)
    return added
