"""The options of a run on the command line."""

import argparse
import importlib.util
from pathlib import Path

from conformance.commands.options import profiles, usual
from conformance.commands.options.reports import show_all
from conformance.runner import option_types
from conformance.runner.run_options import OPTIONS, REPORT_DIR

FLEET_EXTRA = "needs the extra `fleet`: pip install '.[fleet]' in a checkout"


def run(part: argparse.ArgumentParser) -> None:
    """The options of a run; without a target it checks the bundled reference."""
    default = "(default without --base-url, --target and target.toml)"
    profiles.target(part, f"{profiles.REFERENCE} {default}")
    for option in OPTIONS:
        if option.name == "class":
            part.add_argument("--class", dest="classes", **option.keywords)
        elif option.name == "report-dir":
            part.add_argument("--report-dir", **option.keywords | {"default": REPORT_DIR})
        elif option.name != "target":
            part.add_argument(f"--{option.name}", **option.keywords)
    part.add_argument(
        "-n",
        dest="workers",
        type=option_types.processes,
        metavar="N",
        help="perform the checks in N processes; one has up to 32 requests under way already",
    )
    usual.json(part, "the outcome as a JSON object, and nothing else")
    _memory(part)
    _again(part)
    show_all(part)


def _memory(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--db",
        type=database,
        metavar="URL",
        help="add the run to the memory of a fleet: sqlite:///FILE or postgresql://USER@HOST/NAME",
    )
    part.add_argument(
        "--name",
        metavar="NAME",
        help="what that memory calls the target (default: its base URL or its profile)",
    )


def _again(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--repeat",
        type=option_types.count,
        metavar="N",
        help="perform N whole runs, with a report each in reports/repeated, and name the failures"
        " that only some of them show as flaky: k of N",
    )
    part.add_argument(
        "--write-known-failures",
        type=Path,
        metavar="FILE",
        help="add what fails to a file for --known-failures, with a reason to fill in; with --db"
        " or --repeat, what fails only sometimes is flaky",
    )


def database(text: str) -> str:
    """The URL of a database; ArgumentTypeError where the extra of the fleet is not installed."""
    if importlib.util.find_spec("sqlalchemy") is None:
        raise argparse.ArgumentTypeError(FLEET_EXTRA)
    return text
