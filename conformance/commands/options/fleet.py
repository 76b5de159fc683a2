"""The options of `conformance fleet`."""

import argparse

from conformance.commands.options import fleet_answers


def fleet(part: argparse.ArgumentParser) -> None:
    """What is done with a fleet."""
    actions = part.add_subparsers(dest="action", metavar="ACTION", required=True)
    fleet_answers.add(actions)
