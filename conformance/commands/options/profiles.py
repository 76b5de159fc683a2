"""The options of the commands around profiles."""

import argparse
from pathlib import Path

from conformance.commands.options import usual
from conformance.runner.run_options import OPTIONS

REFERENCE = "the bundled reference"


def target(part: argparse.ArgumentParser, reference: str = REFERENCE) -> None:
    """The options that name a target; `reference` is the help of --reference."""
    part.add_argument(
        "--base-url",
        metavar="URL",
        help="base URL of the target; wins over that of the profile. Without a profile, the"
        " secrets of primary are those in LOCALIZATION_API_KEY and LOCALIZATION_TOKEN",
    )
    part.add_argument(
        "--target",
        type=Path,
        metavar="FILE",
        help="target profile (default without --base-url: target.toml of this folder;"
        " `conformance init` writes one)",
    )
    part.add_argument(
        "--reference",
        action="store_true",
        help=reference,
    )


def trust(part: argparse.ArgumentParser) -> None:
    """The option that stands for the question about a profile, as a run has it."""
    (option,) = (each for each in OPTIONS if each.name == "trust")
    part.add_argument(f"--{option.name}", **option.keywords)


def init(part: argparse.ArgumentParser) -> None:
    """The options of a new profile."""
    part.add_argument(
        "--base-url",
        metavar="URL",
        help="base URL of the deployment; it is read with the secrets in LOCALIZATION_API_KEY and"
        " LOCALIZATION_TOKEN",
    )
    part.add_argument(
        "--connection",
        type=Path,
        metavar="FILE",
        help="a file with the table [connection], for a deployment behind a gateway; the profile"
        " gets it as well",
    )
    trust(part)
    part.add_argument(
        "--template", action="store_true", help="send no request: write a profile to fill in"
    )
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("target.toml"),
        metavar="FILE",
        help="default: %(default)s",
    )


def doctor(part: argparse.ArgumentParser) -> None:
    """The target to diagnose."""
    target(part)
    trust(part)
    usual.json(part)


def check_files(part: argparse.ArgumentParser) -> None:
    """The files to check."""
    part.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="a profile, or known failures (TOML)"
    )
    part.add_argument(
        "--allow-secrets", action="store_true", help="accept secrets in a profile, as of a sandbox"
    )


def schema(part: argparse.ArgumentParser) -> None:
    """The file whose schema is printed."""
    part.add_argument(
        "name",
        choices=(
            "target",
            "known-failures",
            "load",
            "report",
            "journal",
            "events",
            "run",
            "snapshot",
            "fleet",
        ),
        help="the kind of file",
    )
