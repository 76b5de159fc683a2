"""The options of the command that writes files of known failures."""

import argparse
from pathlib import Path
from typing import Any

from conformance.commands.options import usual
from conformance.commands.options.run import database
from conformance.runner.run_options import REPORT_DIR


def known(part: argparse.ArgumentParser) -> None:
    """What is done with a file of known failures."""
    actions = part.add_subparsers(dest="action", metavar="ACTION", required=True)
    update = _action(actions, "update", "add what fails in reports, with a reason to fill in")
    update.add_argument(
        "--db",
        type=database,
        metavar="URL",
        help="the memory of a fleet, which says what fails only sometimes",
    )
    update.add_argument("--name", metavar="NAME", help="what that memory calls the target")
    _action(actions, "prune", "delete the entries that no longer apply")


def _action(actions: Any, name: str, help: str) -> argparse.ArgumentParser:
    added = usual.action(actions, name, help)
    added.add_argument("file", type=Path, metavar="FILE", help="known failures and gaps (TOML)")
    added.add_argument(
        "reports",
        nargs="*",
        type=Path,
        default=[REPORT_DIR],
        metavar="REPORT",
        help="a report.json, or its folder (default: reports/latest); with several of one target,"
        " what fails in some of them only is flaky",
    )
    return added
