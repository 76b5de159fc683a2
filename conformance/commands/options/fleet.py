"""The options of the fleet's actions."""

import argparse
from pathlib import Path

from conformance.commands.options import fleet_answers, profiles, usual
from conformance.commands.options.run import database
from conformance.runner import option_types

UNSHARDED = (1, 1)


def fleet(part: argparse.ArgumentParser) -> None:
    """What is done with a fleet."""
    actions = part.add_subparsers(dest="action", metavar="ACTION", required=True)
    _run(
        actions.add_parser(
            "run",
            help="check every target, or resume a campaign that was not finished",
            allow_abbrev=False,
        )
    )
    fleet_answers.add(actions)


def _run(part: argparse.ArgumentParser) -> None:
    part.add_argument("file", type=Path, metavar="FILE", help="the targets, such as fleet.toml")
    memory(part)
    part.add_argument(
        "--engine",
        type=_engine,
        metavar="dask://HOST:PORT",
        help="the scheduler of Dask whose workers perform the runs (default: this machine)",
    )
    usual.processes(part, "runs at once on this machine")
    selection(part)
    part.add_argument(
        "--campaign",
        metavar="NAME",
        help="begin or join the campaign of this name (default: the unfinished one, or a new one)",
    )
    part.add_argument(
        "--new",
        action="store_true",
        help="give up the campaign that was not finished, and begin another",
    )
    part.add_argument(
        "--again",
        action="store_true",
        help="repeat what has no verdict in the last campaign; it may approve further reviews",
    )
    profiles.trust(part)
    usual.json(part, "a JSON object, and nothing else")


def memory(part: argparse.ArgumentParser) -> None:
    """The option that names the memory."""
    part.add_argument(
        "--db",
        type=database,
        default="sqlite:///fleet.db",
        metavar="URL",
        help="the memory: sqlite:///FILE or postgresql://USER@HOST/NAME (default: %(default)s)",
    )


def selection(part: argparse.ArgumentParser) -> None:
    """The options that select targets."""
    part.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="LABEL",
        help="only targets with this label or name; may be repeated",
    )
    part.add_argument(
        "--shard",
        type=_shard,
        default=UNSHARDED,
        metavar="K/N",
        help="only part K of N, the same on every machine; index=0/N where counting begins at 0",
    )


def _shard(text: str) -> tuple[int, int]:
    shard = option_types.shard(text)
    return shard.number, shard.count


def _engine(text: str) -> str:
    scheme, _, place = text.partition("://")
    host, _, port = place.rpartition(":")
    if scheme not in ("dask", "dask+tls") or not host or not port.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text!r} must be dask://HOST:PORT or dask+tls://HOST:PORT"
        )
    return text
