"""The command line: the table of commands, and the exit codes of all of them."""

import argparse
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from conformance import __version__
from conformance.commands.outcome import (
    CHECKER_ERROR,
    CONFORMANT,
    INTERRUPTED,
    USAGE_ERROR,
    VERDICTS,
    UsageError,
    explained,
)


class Parser(argparse.ArgumentParser):
    """Says in one line on standard error what is wrong with the arguments, and leaves 2 to interruptions."""

    def error(self, message: str) -> NoReturn:
        """End the process as for any other usage error."""
        raise SystemExit(refuse(self.prog, f"{message} (`{self.prog} --help` lists what there is)"))


@dataclass(frozen=True)
class Command:
    """One command; `ends` says what its exit codes mean, from 0 on."""

    help: str
    options: Callable[[argparse.ArgumentParser], None]
    ends: tuple[str, ...] = ("done",)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a terminal of few characters is no error
    chosen = parser().parse_args(arguments)
    try:
        # The module of a command has `run(arguments) -> exit code`, and is imported only where the command is called.
        code: int = importlib.import_module(f"conformance.commands.{chosen.command}").run(chosen)
        sys.stdout.flush()
    except UsageError as problem:
        return refuse(f"conformance {chosen.command}", str(problem))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has read enough; without this the interpreter's own flush at the end complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CONFORMANT
    except Exception:  # noqa: BLE001 - Python's own exit code for it, 1, would blame the target
        traceback.print_exc()
        return CHECKER_ERROR
    return code


def parser() -> Parser:
    """The parser of the whole command line."""
    whole = Parser(
        prog="conformance",
        description="Does a deployment keep the contract of the video-localization client API?",
        epilog=explained(VERDICTS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="version", version=f"conformance {__version__}")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        part = commands.add_parser(
            name,
            help=command.help,
            description=command.help,
            epilog=explained(command.ends),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.options(part)
    return whole


def refuse(command: str, message: str) -> int:
    """Say why a command does nothing; the exit code of that."""
    sys.stderr.write(f"{command}: error: {message}\n")
    return USAGE_ERROR


def run_options(part: argparse.ArgumentParser) -> None:
    """The options of a run; without a target it judges the bundled reference, in this process."""
    part.add_argument(
        "--base-url",
        metavar="URL",
        help="the deployment to judge; without it and --target: the bundled reference",
    )
    part.add_argument(
        "--target",
        type=Path,
        metavar="FILE",
        help="its target profile (TOML; `conformance init` writes one to fill in)",
    )
    part.add_argument(
        "--report-dir",
        type=Path,
        default=Path("reports/latest"),
        metavar="DIR",
        help="where to write (%(default)s)",
    )
    part.add_argument(
        "--depth",
        choices=("quick", "standard", "deep"),
        default="standard",
        help="how much to spend (default: %(default)s)",
    )
    part.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="the same seed sends the same requests (default: %(default)s)",
    )
    part.add_argument(
        "-n", dest="workers", type=_count, metavar="N",
        help="share the checks out to N processes; 4 judge a target whose answers take long in a third of the time",
    )  # fmt: skip
    part.add_argument(
        "--class", dest="classes", action="append", type=_conformance_class, default=[], metavar="CLASS",
        help="judge only this conformance class; may be repeated",
    )  # fmt: skip
    part.add_argument(
        "--report",
        type=_formats,
        metavar="FORMAT,…",
        help="formats beside report.json (default: junit,html and the CI's)",
    )
    part.add_argument(
        "--known-failures",
        type=Path,
        metavar="FILE",
        help="known failures (TOML), which do not fail the run",
    )
    part.add_argument(
        "--require-complete",
        action="store_true",
        help="exit with 1 also where something could not be judged",
    )


def serve_options(part: argparse.ArgumentParser) -> None:
    """Where the reference is served."""
    part.add_argument("--port", type=_port, default=0, help="0, the default, takes any free one")
    part.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: %(default)s)"
    )
    part.add_argument(
        "--database",
        default=":memory:",
        metavar="FILE",
        help="keep approvals in a file instead of in memory",
    )
    part.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="the same seed makes the same data (default: %(default)s)",
    )
    part.add_argument(
        "--target-out",
        type=Path,
        metavar="FILE",
        help="write the target profile of this instance, secrets included",
    )


def requirements_options(part: argparse.ArgumentParser) -> None:
    """Which requirements to list, and how."""
    part.add_argument(
        "--class", dest="classes", action="append", type=_conformance_class, default=[], metavar="CLASS",
        help="list only this conformance class; may be repeated",
    )  # fmt: skip
    part.add_argument(
        "--json",
        action="store_true",
        help="as one JSON array, with everything that is known of each",
    )


def no_options(_part: argparse.ArgumentParser) -> None:
    """A command that takes nothing."""


def init_options(part: argparse.ArgumentParser) -> None:
    """What stands in the profile from the start, and where it goes."""
    part.add_argument("--base-url", metavar="URL", help="the deployment that the profile is for")
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("target.toml"),
        metavar="FILE",
        help="default: %(default)s",
    )


def report_options(part: argparse.ArgumentParser) -> None:
    """Which run is told again, and in which formats."""
    part.add_argument(
        "directory",
        nargs="?",
        type=Path,
        default=Path("reports/latest"),
        metavar="DIR",
        help="of the run (%(default)s)",
    )
    part.add_argument(
        "--report",
        type=_formats,
        metavar="FORMAT,…",
        help="formats beside report.json (default: junit,html and the CI's)",
    )


def compare_options(part: argparse.ArgumentParser) -> None:
    """Which two reports are compared."""
    part.add_argument(
        "before", type=Path, metavar="BEFORE", help="a report.json, or the directory that has one"
    )
    part.add_argument("after", type=Path, metavar="AFTER", help="another one")
    part.add_argument("--json", action="store_true", help="as one JSON object")


def judge_options(part: argparse.ArgumentParser) -> None:
    """Which recorded traffic is judged."""
    part.add_argument(
        "file",
        type=Path,
        metavar="FILE.har",
        help="an HTTP archive of a browser, a proxy or a client",
    )
    part.add_argument(
        "--base-url",
        metavar="URL",
        required=True,
        help="the address below which its requests are calls of the API",
    )
    part.add_argument("--json", action="store_true", help="as one JSON object")


def keygen_options(part: argparse.ArgumentParser) -> None:
    """Where the key goes."""
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("conformance.key"),
        metavar="FILE",
        help="default: %(default)s",
    )


def certify_options(part: argparse.ArgumentParser) -> None:
    """Which run is certified, by which key, into which file."""
    part.add_argument(
        "--report-dir",
        type=Path,
        default=Path("reports/latest"),
        metavar="DIR",
        help="of the run (default: %(default)s)",
    )
    part.add_argument(
        "--key",
        type=Path,
        required=True,
        metavar="FILE",
        help="the private key (`conformance keygen` makes one)",
    )
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("certificate.zip"),
        metavar="FILE",
        help="default: %(default)s",
    )


def verify_options(part: argparse.ArgumentParser) -> None:
    """Which certificate is verified, and against what."""
    part.add_argument(
        "--public-key", type=Path, metavar="FILE", help="the key that it has to be signed with"
    )
    part.add_argument(
        "--with-current-suite",
        action="store_true",
        help="list what the installed suite judges otherwise",
    )
    part.add_argument("file", type=Path, metavar="FILE", help="the certificate")


def diff_options(part: argparse.ArgumentParser) -> None:
    """The description to compare with the contract."""
    part.add_argument(
        "document",
        metavar="FILE|URL",
        help="an OpenAPI document, YAML or JSON; nothing is sent where it is a file",
    )
    part.add_argument(
        "--json", action="store_true", help="as one JSON object, with the lines of every difference"
    )


def selftest_options(part: argparse.ArgumentParser) -> None:
    """Which mutants and variants to try, and how many at once."""
    part.add_argument(
        "--also", nargs="+", action="extend", default=[], type=Path, metavar="FILE",
        help="also the mutants and variants of these files (TOML; CONTRIBUTING.md shows how they are written)",
    )  # fmt: skip
    part.add_argument(
        "--only",
        nargs="+",
        action="extend",
        default=[],
        metavar="ID",
        help="only these mutants and variants",
    )
    part.add_argument(
        "--seeds",
        type=_count,
        metavar="N",
        help="N runs of the reference and the variants alone, each with another seed",
    )
    part.add_argument(
        "-j",
        dest="processes",
        type=_count,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes (default: one a core)",
    )
    part.add_argument(
        "--list", action="store_true", help="list the mutants and variants, and try none"
    )
    part.add_argument(
        "--coverage",
        action="store_true",
        help="print what stands behind each requirement (spec/COVERAGE.md), and try none",
    )


COMMANDS = {
    "run": Command(
        "Judge a deployment, or the bundled reference, and write a report.", run_options, VERDICTS
    ),
    "serve": Command("Serve the bundled reference implementation, as a sandbox.", serve_options),
    "requirements": Command("List what is judged.", requirements_options),
    "judge": Command(
        "Judge recorded traffic by the rules on every exchange.",
        judge_options,
        ("no rule is broken", "a rule is broken"),
    ),
    "report": Command(
        "Tell a run again, in any format; also one that was killed.", report_options, VERDICTS
    ),
    "compare": Command(
        "Tell what changed from one report to another.",
        compare_options,
        ("nothing broke", "something broke"),
    ),
    "keygen": Command("Make a key pair to sign certificates with.", keygen_options),
    "certify": Command(
        "Sign the evidence of a conformant run.", certify_options, ("signed", "refused")
    ),
    "verify": Command(
        "Check a certificate, without its target.",
        verify_options,
        ("the evidence bears it out", "refused"),
    ),
    "scenarios": Command(
        "Print the scenarios as an Arazzo document (spec/arazzo.yaml).", no_options
    ),
    "init": Command(
        "Write a target profile to fill in; never over an existing file.", init_options
    ),
    "selftest": Command(
        "Try the suite on broken and on unusual references.",
        selftest_options,
        ("all as it has to be", "not all"),
    ),
    "diff": Command(
        "Compare a published OpenAPI document with the contract.",
        diff_options,
        ("nothing breaks", "a difference breaks"),
    ),
}


def _conformance_class(text: str) -> str:
    # A class is checked against the catalogue, which is not worth loading for anything but that.
    classes: tuple[str, ...] = importlib.import_module("conformance.contract.requirements").CLASSES
    if text not in classes:
        raise argparse.ArgumentTypeError(f"there is no class {text!r}, only {', '.join(classes)}")
    return text


def _formats(text: str) -> str:
    # As above: the formats are only loaded where somebody asks for one.
    known: dict[str, object] = importlib.import_module("conformance.report.artefacts").FORMATS
    for name in text.split(","):
        if name not in known:
            raise argparse.ArgumentTypeError(
                f"there is no format {name!r}, only {', '.join(known)}"
            )
    return text


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no count: write 1 or more")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; ports are numbers up to 65535")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
