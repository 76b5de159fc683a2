"""The options of a measurement of response times."""

import argparse
import importlib.util
from pathlib import Path

from conformance.commands.options import profiles, usual
from conformance.runner import option_types

REPORT_DIR = Path("reports/load")
EXTRA = "needs the extra `load`: pip install '.[load]' in a checkout"


def load(part: argparse.ArgumentParser) -> None:
    """The target, the rate, and how long."""
    profiles.target(part)
    profiles.trust(part)
    part.add_argument(
        "--rate",
        type=_rate,
        default="20",  # as text, so that its type is checked, and with it the extra
        metavar="N",
        help="requests per second, sent when they are due, whatever became of those before"
        " (default: 20)",
    )
    part.add_argument(
        "--duration",
        type=option_types.seconds,
        default=60.0,
        metavar="SECONDS",
        help="how long requests are sent (default: 60)",
    )
    part.add_argument(
        "--report-dir",
        type=Path,
        default=REPORT_DIR,
        metavar="DIR",
        help="folder for load.json and load.html (default: %(default)s)",
    )
    usual.json(part, "the measurement as a JSON object, and nothing else")


def _rate(text: str) -> float:
    """A number of requests per second; ArgumentTypeError without the extra that measures them."""
    if importlib.util.find_spec("hdrh") is None:
        raise argparse.ArgumentTypeError(EXTRA)
    try:
        return option_types.seconds(text)
    except argparse.ArgumentTypeError:
        problem = f"{text!r} must be a number of requests per second > 0"
        raise argparse.ArgumentTypeError(problem) from None
