"""The options of the commands that read the memory of a fleet."""

import argparse
import os
from pathlib import Path
from typing import Any

from conformance.commands.options.run import database
from conformance.runner import option_types

MEMORY = "sqlite:///fleet.db"


def add(actions: Any) -> None:
    """Add the actions to those of `conformance fleet`."""
    report = _action(actions, "report", "write the site: campaigns, targets and requirements")
    report.add_argument(
        "--out",
        type=Path,
        default=Path("site"),
        metavar="DIR",
        help="folder for the site (default: %(default)s)",
    )
    history = _action(actions, "history", "show the runs of a target, and what changed")
    history.add_argument("target", metavar="TARGET", help="name of the target")
    history.add_argument(
        "--last",
        type=option_types.count,
        default=30,
        metavar="N",
        help="only the last N runs (default: %(default)s)",
    )
    _json(history)
    diff = _action(actions, "diff", "show what changed between two campaigns")
    for name in ("before", "after"):
        diff.add_argument(
            name, metavar=name.upper(), help="name of a campaign, or latest, latest~1 …"
        )
    _json(diff)
    rejudge = _action(actions, "rejudge", "judge a campaign with the installed suite; send nothing")
    rejudge.add_argument(
        "--campaign", default="latest", metavar="NAME", help="which one (default: %(default)s)"
    )
    rejudge.add_argument(
        "-j",
        dest="processes",
        type=option_types.count,
        default=os.cpu_count() or 1,
        metavar="N",
        help="number of processes (default: one per core)",
    )
    _json(rejudge)
    matrix(actions)


def matrix(actions: Any) -> None:
    """Add the action that prints the jobs of a CI system."""
    part = actions.add_parser(
        "matrix", help="print the jobs of a CI system for a fleet", allow_abbrev=False
    )
    part.add_argument("file", type=Path, metavar="FILE", help="the fleet")
    part.add_argument("--format", choices=("github", "gitlab"), required=True, help="the CI system")
    part.add_argument(
        "--shards",
        type=option_types.count,
        metavar="N",
        help="divide the run of each target into N jobs (default: one job for each target)",
    )


def _action(actions: Any, name: str, help: str) -> argparse.ArgumentParser:
    action: argparse.ArgumentParser = actions.add_parser(name, help=help, allow_abbrev=False)
    action.add_argument(
        "--db",
        type=database,
        default=MEMORY,
        metavar="URL",
        help="the memory: sqlite:///FILE or postgresql://USER@HOST/NAME (default: %(default)s)",
    )
    return action


def _json(part: argparse.ArgumentParser) -> None:
    part.add_argument("--json", action="store_true", help="print a JSON object")
