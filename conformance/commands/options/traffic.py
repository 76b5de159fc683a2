"""The options of the commands that judge clients."""

import argparse
import importlib

from conformance.commands.options import profiles, usual
from conformance.commands.options.reports import show_all
from conformance.runner import option_types
from conformance.runner.run_options import OPTIONS, REPORT_DIR

SECONDS = 60.0
"""How long a client may take in one scenario."""


def client(part: argparse.ArgumentParser) -> None:
    """The client, and what it meets."""
    part.add_argument(
        "--scenario",
        action="extend",
        type=_scenarios,
        metavar="NAME,…",
        help="only these scenarios; may be repeated (default: all, one after the other)",
    )
    part.add_argument(
        "--timeout",
        type=option_types.seconds,
        default=SECONDS,
        metavar="SECONDS",
        help="stop a client that takes longer in a scenario (default: %(default)g)",
    )
    usual.seed(part)
    _report(part)
    part.add_argument(
        "command_line",
        nargs="+",
        metavar="COMMAND",
        help="the client, after `--`; LOCALIZATION_BASE_URL, LOCALIZATION_API_KEY and further"
        " variables tell it what to use (docs/clients.md)",
    )


def watch(part: argparse.ArgumentParser) -> None:
    """The target, and the address of the proxy in front of it."""
    part.add_argument(
        "--listen",
        type=_address,
        default=("", 0),
        metavar="[HOST]:PORT",
        help="where to accept requests (default: any free port of 127.0.0.1)",
    )
    profiles.target(part)
    profiles.trust(part)
    _report(part)


def _address(text: str) -> tuple[str, int]:
    """A host, "" for this machine alone, and a port."""
    host, colon, port = text.rpartition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r} must be an address such as :8080")
    return host.strip("[]"), option_types.port(port)


def _report(part: argparse.ArgumentParser) -> None:
    """The report, as that of a run."""
    for option in OPTIONS:
        if option.name == "report-dir":
            part.add_argument("--report-dir", **option.keywords | {"default": REPORT_DIR})
        elif option.name == "report":
            part.add_argument("--report", **option.keywords)
    usual.json(part, "the outcome as a JSON object, and nothing else")
    show_all(part)


def _scenarios(text: str) -> tuple[str, ...]:
    """The names of scenarios, separated by commas."""
    # The reference is loaded only for this.
    module = importlib.import_module("conformance.commands.traffic.scenarios")
    known: dict[str, object] = module.SCENARIOS
    chosen = tuple(text.split(","))
    if unknown := [name for name in chosen if name not in known]:
        raise argparse.ArgumentTypeError(
            f"unknown scenario {unknown[0]!r}; the scenarios are {', '.join(known)}"
        )
    return chosen
