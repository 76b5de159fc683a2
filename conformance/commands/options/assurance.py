"""The options of the commands that check the checker and published descriptions."""

import argparse
from pathlib import Path

from conformance.commands.options import usual
from conformance.runner import option_types


def diff(part: argparse.ArgumentParser) -> None:
    """The description to compare with the contract."""
    part.add_argument(
        "document",
        metavar="FILE|URL",
        help="an OpenAPI document, YAML or JSON",
    )
    usual.json(part, "a JSON object, with the lines of every difference")


def selftest(part: argparse.ArgumentParser) -> None:
    """The mutants and variants to run, and the number of processes."""
    _subjects(part)
    part.add_argument(
        "--seeds",
        type=option_types.count,
        metavar="N",
        help="run each with all its checks, and with the seeds from 1 to N in turn; slower",
    )
    part.add_argument(
        "--alone",
        action="store_true",
        help="run each variant by itself, not several in one reference; slower",
    )
    usual.processes(part)
    usual.json(part, "the matrix as a JSON object")
    part.add_argument(
        "--list", action="store_true", help="list the mutants and variants, and run none"
    )
    part.add_argument(
        "--coverage",
        action="store_true",
        help="print the mutants of each requirement (spec/COVERAGE.md), and run none",
    )


def _subjects(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--also",
        nargs="+",
        action="extend",
        default=[],
        type=Path,
        metavar="FILE",
        help="add the mutants and variants of these files (TOML; see CONTRIBUTING.md); their edits"
        " are shown before they run",
    )
    part.add_argument(
        "--trust",
        action="store_true",
        help="run the edits of these files without a question, and even where this system has no"
        " barrier between them and something",
    )
    part.add_argument(
        "--only",
        nargs="+",
        action="extend",
        default=[],
        metavar="ID",
        help="run only these mutants and variants",
    )
