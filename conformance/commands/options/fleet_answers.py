"""The options of the commands that read the memory of a fleet."""

import argparse
from pathlib import Path
from typing import Any

from conformance.commands.options import usual
from conformance.commands.options.run import database
from conformance.runner import option_types

MEMORY = "sqlite:///fleet.db"


def add(actions: Any) -> None:
    """Add the actions to those of `conformance fleet`."""
    _report(actions)
    _history(actions)
    _diff(actions)
    _rejudge(actions)
    _may(actions)
    _prune(actions)
    matrix(actions)


def _report(actions: Any) -> None:
    report = _action(actions, "report", "write the site: campaigns, targets and requirements")
    report.add_argument(
        "--out",
        type=Path,
        default=usual.SITE,
        metavar="DIR",
        help="folder for the site (default: %(default)s)",
    )


def _history(actions: Any) -> None:
    history = _action(actions, "history", "show the runs of a target, and what changed")
    history.add_argument("target", metavar="TARGET", help="name of the target")
    history.add_argument(
        "--last",
        type=option_types.count,
        default=30,
        metavar="N",
        help="only the last N runs (default: %(default)s)",
    )
    usual.json(history)


def _diff(actions: Any) -> None:
    diff = _action(actions, "diff", "show what changed between two campaigns")
    for name in ("before", "after"):
        diff.add_argument(
            name, metavar=name.upper(), help="name of a campaign, or latest, latest~1 …"
        )
    usual.json(diff)


def _rejudge(actions: Any) -> None:
    rejudge = _action(actions, "rejudge", "check a campaign with the installed suite; send nothing")
    rejudge.add_argument(
        "--campaign", default="latest", metavar="NAME", help="name of it (default: %(default)s)"
    )
    usual.processes(rejudge)
    usual.json(rejudge)


def _may(actions: Any) -> None:
    may = _action(actions, "may", "say whether a version may be deployed to an environment")
    may.add_argument(
        "product",
        type=_product,
        metavar="NAME@VERSION",
        help="name and version as [product] of its profile states them",
    )
    may.add_argument(
        "--to", required=True, metavar="ENVIRONMENT", help="a table of [environments] in the fleet"
    )
    may.add_argument(
        "--fleet",
        type=Path,
        default=Path("fleet.toml"),
        metavar="FILE",
        help="the fleet, which says what an environment takes (default: %(default)s)",
    )
    usual.json(may)


def _product(text: str) -> tuple[str, str]:
    name, _, version = text.rpartition("@")
    if not name or not version:
        raise argparse.ArgumentTypeError(f"{text!r} must be NAME@VERSION")
    return name, version


def _prune(actions: Any) -> None:
    prune = _action(actions, "prune", "delete the files of old runs; their verdicts are kept")
    prune.add_argument(
        "--keep",
        type=option_types.days,
        required=True,
        metavar="DAYSd",
        help="keep the files of runs of the last days, such as 90d",
    )


def matrix(actions: Any) -> None:
    """Add the action that prints the jobs of a CI system."""
    part = usual.action(actions, "matrix", "print the jobs of a CI system for a fleet")
    part.add_argument("file", type=Path, metavar="FILE", help="the fleet")
    part.add_argument("--format", choices=("github", "gitlab"), required=True, help="the CI system")
    part.add_argument(
        "--shards",
        type=option_types.count,
        metavar="N",
        help="divide the run of each target into N jobs (default: one job for each target)",
    )
    part.add_argument(
        "--trust", action="store_true", help="let the jobs run the commands of the profiles"
    )


def _action(actions: Any, name: str, help: str) -> argparse.ArgumentParser:
    action = usual.action(actions, name, help)
    action.add_argument(
        "--db",
        type=database,
        default=MEMORY,
        metavar="URL",
        help="the memory: sqlite:///FILE or postgresql://USER@HOST/NAME (default: %(default)s)",
    )
    return action
