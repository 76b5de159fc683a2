"""The options of the commands that read reports and traffic."""

import argparse
from pathlib import Path

from conformance.commands.options import profiles, usual
from conformance.runner import option_types
from conformance.runner.run_options import OPTIONS, REPORT_DIR


def requirements(part: argparse.ArgumentParser) -> None:
    """The options of the list of requirements."""
    part.add_argument(
        "--class",
        dest="classes",
        action="extend",
        type=option_types.listed_classes,
        default=[],
        metavar="CLASS,…",
        help="list only these conformance classes; may be repeated",
    )
    usual.json(part, "a JSON array with all details")


def explain(part: argparse.ArgumentParser) -> None:
    """The requirement to explain."""
    part.add_argument("requirement", metavar="ID", help="such as approval/stale-revision")


def replay(part: argparse.ArgumentParser) -> None:
    """The report, the failures, and the target."""
    part.add_argument("report", type=Path, metavar="REPORT", help="a report.json, or its folder")
    part.add_argument("ids", nargs="*", metavar="ID", help="only these requirements (default: all)")
    profiles.target(part)
    profiles.trust(part)
    part.add_argument(
        "--write-test",
        type=Path,
        metavar="FILE",
        help="send nothing; write a pytest file that needs httpx and pytest alone",
    )


def report(part: argparse.ArgumentParser) -> None:
    """The options of rendering a report again."""
    part.add_argument(
        "directory",
        nargs="?",
        type=Path,
        default=Path("reports/latest"),
        metavar="DIR",
        help="folder of the run (default: %(default)s)",
    )
    part.add_argument(
        "--report",
        type=option_types.formats,
        metavar="FORMAT,…",
        help="formats in addition to report.json (default: junit,html and that of the CI)",
    )
    show_all(part)


def merge(part: argparse.ArgumentParser) -> None:
    """The shards to merge, and the report."""
    part.add_argument(
        "folders", nargs="+", type=Path, metavar="DIR", help="folder of a run with --shard"
    )
    for option in OPTIONS:
        if option.name == "report-dir":
            part.add_argument("--report-dir", **option.keywords | {"default": REPORT_DIR})
        elif option.name in ("report", "baseline", "require-complete"):
            part.add_argument(f"--{option.name}", **option.keywords)
    part.add_argument(
        "--partial",
        action="store_true",
        help="accept missing and interrupted shards; the report counts as interrupted",
    )
    usual.json(part, "the outcome as a JSON object, and nothing else")
    show_all(part)


def compare(part: argparse.ArgumentParser) -> None:
    """The two reports to compare."""
    part.add_argument("before", type=Path, metavar="BEFORE", help="a report.json, or its folder")
    part.add_argument(
        "after", type=Path, metavar="AFTER", help="another report.json, or its folder"
    )
    part.add_argument(
        "--known-failures",
        type=Path,
        metavar="FILE",
        help="known failures and gaps (TOML) of AFTER (default: those of its run)",
    )
    usual.json(part)


def judge(part: argparse.ArgumentParser) -> None:
    """The recorded traffic to check."""
    part.add_argument(
        "file",
        type=Path,
        metavar="FILE.har",
        help="HTTP archive of a browser, a proxy or a client",
    )
    part.add_argument(
        "--base-url",
        metavar="URL",
        required=True,
        help="base URL of the API in this traffic",
    )
    usual.json(part)


def show_all(part: argparse.ArgumentParser) -> None:
    """The option that shortens nothing."""
    part.add_argument(
        "-v",
        "--show-all",
        action="store_true",
        help="list all failures, all requirements that were not checked, and all observations",
    )
