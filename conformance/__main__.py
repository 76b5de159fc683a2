"""The command line: its commands, their options and exit codes."""

import argparse
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from conformance import __version__
from conformance.commands.outcome import VERDICTS, UsageError, explained
from conformance.contract.exit_codes import CHECKER_ERROR, CONFORMANT, INTERRUPTED, USAGE_ERROR

FLEET_EXTRA = "needs the extra `fleet`: pip install 'localization-api-conformance[fleet]'"


class Parser(argparse.ArgumentParser):
    """Reports a usage error in one line; its exit code is not 2, which means interrupted."""

    def error(self, message: str) -> NoReturn:
        """End the process with a usage error."""
        raise SystemExit(usage_error(self.prog, f"{message} (see `{self.prog} --help`)"))


@dataclass(frozen=True)
class Command:
    """One command; `ends` are the meanings of its exit codes, from 0 on."""

    help: str
    options: Callable[[argparse.ArgumentParser], None]
    ends: tuple[str, ...] = ("done",)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal with a small character set must not make a command fail.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    chosen = _chosen(sys.argv[1:] if arguments is None else arguments)
    try:
        # The module of a command has `run(arguments) -> exit code`; it is imported on demand.
        module = chosen.command.replace("-", "_")
        code: int = importlib.import_module(f"conformance.commands.{module}").run(chosen)
        sys.stdout.flush()
    except UsageError as problem:
        return usage_error(f"conformance {chosen.command}", str(problem))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has closed it; otherwise the interpreter's last flush fails.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CONFORMANT
    except Exception:  # noqa: BLE001 - Python's own exit code, 1, would blame the target
        traceback.print_exc()
        return CHECKER_ERROR
    return code


def _chosen(arguments: Sequence[str]) -> argparse.Namespace:
    """The command and its options; a misspelt one ends the process, with the nearest."""
    whole = parser()
    first = arguments[0] if arguments else ""
    if first and not first.startswith("-") and first not in COMMANDS:
        whole.error(f"unknown command {first!r}{_nearest(first, COMMANDS)}")
    chosen, rest = whole.parse_known_args(arguments)
    if rest:
        _reject(chosen.command, rest)
    return chosen


def _reject(command: str, rest: Sequence[str]) -> NoReturn:
    """End the process because of the arguments that a command does not have."""
    part = Parser(prog=f"conformance {command}")
    recorder = importlib.import_module("conformance.commands.completion").Recorder()
    COMMANDS[command].options(recorder)
    options = [name for action in recorder.recorded for name in action.option_strings]
    wrong = next((each for each in rest if each.startswith("-")), rest[0])
    kind = "option" if wrong.startswith("-") else "argument"
    part.error(f"unknown {kind} {wrong!r}{_nearest(wrong.partition('=')[0], options)}")


def _nearest(text: str, known: Iterable[str]) -> str:
    near = get_close_matches(text, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""


def parser() -> Parser:
    """The parser of the whole command line."""
    whole = Parser(
        prog="conformance",
        description="Check whether a deployment conforms to the video-localization client API.",
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


def usage_error(command: str, message: str) -> int:
    """Report a usage error; returns its exit code."""
    sys.stderr.write(f"{command}: error: {message}\n")
    return USAGE_ERROR


def target_options(part: argparse.ArgumentParser) -> None:
    """The options that name a target."""
    part.add_argument(
        "--base-url",
        metavar="URL",
        help="base URL of the target; wins over that of the profile",
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
        help="the bundled reference (default without --base-url, --target and target.toml)",
    )


def run_options(part: argparse.ArgumentParser) -> None:
    """The options of a run; without a target it checks the bundled reference."""
    target_options(part)
    part.add_argument(
        "--report-dir",
        type=Path,
        default=Path("reports/latest"),
        metavar="DIR",
        help="folder for the report (default: %(default)s)",
    )
    part.add_argument(
        "--depth",
        choices=("quick", "standard", "deep"),
        default="standard",
        help="how thorough the run is (default: %(default)s)",
    )
    part.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="the same seed sends the same requests (default: %(default)s)",
    )
    part.add_argument(
        "-n",
        dest="workers",
        type=_count,
        metavar="N",
        help="run the checks in N processes; 4 check a slow target in a third of the time",
    )
    part.add_argument(
        "--class",
        dest="classes",
        action="append",
        type=_conformance_class,
        default=[],
        metavar="CLASS",
        help="check only this conformance class; may be repeated",
    )
    part.add_argument(
        "--report",
        type=_formats,
        metavar="FORMAT,…",
        help="formats in addition to report.json (default: junit,html and that of the CI)",
    )
    part.add_argument(
        "--known-failures",
        type=Path,
        metavar="FILE",
        help="known failures and gaps (TOML); they do not fail the run",
    )
    part.add_argument(
        "--baseline",
        type=Path,
        metavar="REPORT",
        help="an earlier report; exit with 5 if what passed there is not checked now",
    )
    part.add_argument(
        "--no-trace-headers",
        action="store_true",
        help="send no traceparent and no x-conformance-exchange, which name the exchange in logs",
    )
    part.add_argument(
        "--require-complete",
        action="store_true",
        help="exit with 1 if a requirement could not be checked",
    )
    part.add_argument(
        "--max-time",
        type=_seconds,
        metavar="SECONDS",
        help="end the run after this time; what is left is inconclusive"
        " (default: 600, with --depth deep 3600, longer at a request rate of the profile)",
    )
    part.add_argument(
        "--max-requests",
        type=_count,
        metavar="N",
        help="end the run after so many requests; what is left is inconclusive",
    )
    part.add_argument(
        "--max-log",
        type=_count,
        metavar="MB",
        help="largest size of exchanges.jsonl (default: 1000)",
    )
    part.add_argument(
        "--json", action="store_true", help="print the outcome as a JSON object, and nothing else"
    )
    part.add_argument(
        "--db",
        type=_database,
        metavar="URL",
        help="add the run to the memory of a fleet: sqlite:///FILE or postgresql://USER@HOST/NAME",
    )
    part.add_argument(
        "--name",
        metavar="NAME",
        help="what that memory calls the target (default: its base URL or its profile)",
    )
    part.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="CLASS|REQUIREMENT,…",
        help="what has to be checked; exit with 5 if it could not be"
        " (default: read and authentication, as far as the profile allows)",
    )
    _show_all(part)


def _show_all(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "-v",
        "--show-all",
        action="store_true",
        help="list all requirements that were not checked, and all observations",
    )


def serve_options(part: argparse.ArgumentParser) -> None:
    """The options of the served reference."""
    part.add_argument(
        "--port", type=_port, default=0, help="port to listen on (default: any free port)"
    )
    part.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: %(default)s)"
    )
    part.add_argument(
        "--db",
        "--database",
        dest="database",
        default=":memory:",
        metavar="FILE",
        help="keep the data and the approvals in a SQLite file instead of in memory",
    )
    part.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="the same seed creates the same data (default: %(default)s)",
    )
    part.add_argument(
        "--target-out",
        type=Path,
        metavar="FILE",
        help="write the target profile of this instance, including its secrets",
    )
    part.add_argument(
        "--latency",
        type=_sandbox("latency"),
        metavar="TIME",
        help="delay every response: 150ms, 0.2s, or 150ms±50 for 100 to 200 ms",
    )
    part.add_argument(
        "--fail",
        type=_sandbox("faults"),
        metavar="SHARE:STATUS",
        help="let some requests fail, always the same ones: 1/40:503",
    )
    part.add_argument(
        "--rate",
        type=_sandbox("rate"),
        metavar="RATE",
        help="limit the requests of each credential: 20/s or 100/min",
    )
    part.add_argument(
        "--data",
        type=_count,
        metavar="N",
        help="number of projects in a new database, and as many more videos and reviews"
        " (default: 154, which is also the least)",
    )
    part.add_argument(
        "--cors",
        action="store_true",
        help="allow scripts of every origin, and respond to OPTIONS",
    )
    part.add_argument(
        "--log",
        action=argparse.BooleanOptionalAction,
        help="write a line for each request to standard error, with the requirement that a"
        " rejected request is about (default: on a terminal)",
    )


def requirements_options(part: argparse.ArgumentParser) -> None:
    """The options of the list of requirements."""
    part.add_argument(
        "--class",
        dest="classes",
        action="append",
        type=_conformance_class,
        default=[],
        metavar="CLASS",
        help="list only this conformance class; may be repeated",
    )
    part.add_argument(
        "--json",
        action="store_true",
        help="print a JSON array with all details",
    )


def explain_options(part: argparse.ArgumentParser) -> None:
    """The requirement to explain."""
    part.add_argument("requirement", metavar="ID", help="such as approval/stale-revision")


def replay_options(part: argparse.ArgumentParser) -> None:
    """The report, the failures, and the target."""
    part.add_argument("report", type=Path, metavar="REPORT", help="a report.json, or its folder")
    part.add_argument("ids", nargs="*", metavar="ID", help="only these requirements (default: all)")
    part.add_argument(
        "--target", type=Path, metavar="FILE", help="target profile (default: that of the run)"
    )
    part.add_argument("--base-url", metavar="URL", help="base URL (default: that of the profile)")
    part.add_argument(
        "--write-test",
        type=Path,
        metavar="FILE",
        help="send nothing; write a pytest file that needs httpx and pytest alone",
    )


def completion_options(part: argparse.ArgumentParser) -> None:
    """The shell."""
    part.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="bash|zsh|fish")


def no_options(_part: argparse.ArgumentParser) -> None:
    """For a command without options."""


def init_options(part: argparse.ArgumentParser) -> None:
    """The options of a new profile."""
    part.add_argument(
        "--base-url",
        metavar="URL",
        help="base URL of the deployment; it is read with the secrets in LOCALIZATION_API_KEY and"
        " LOCALIZATION_TOKEN",
    )
    part.add_argument(
        "--template", action="store_true", help="send no request: write what there is to fill in"
    )
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("target.toml"),
        metavar="FILE",
        help="default: %(default)s",
    )


def report_options(part: argparse.ArgumentParser) -> None:
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
        type=_formats,
        metavar="FORMAT,…",
        help="formats in addition to report.json (default: junit,html and that of the CI)",
    )
    _show_all(part)


def compare_options(part: argparse.ArgumentParser) -> None:
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
    part.add_argument("--json", action="store_true", help="print a JSON object")


def judge_options(part: argparse.ArgumentParser) -> None:
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
    part.add_argument("--json", action="store_true", help="print a JSON object")


def keygen_options(part: argparse.ArgumentParser) -> None:
    """The file of the new key."""
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("conformance.key"),
        metavar="FILE",
        help="default: %(default)s",
    )


def certify_options(part: argparse.ArgumentParser) -> None:
    """The run to certify, the key and the file."""
    part.add_argument(
        "--report-dir",
        type=Path,
        default=Path("reports/latest"),
        metavar="DIR",
        help="folder of the run (default: %(default)s)",
    )
    part.add_argument(
        "--key",
        type=Path,
        required=True,
        metavar="FILE",
        help="private key (`conformance keygen` creates one)",
    )
    part.add_argument(
        "--revision",
        metavar="YYYY-MM",
        help="revision of the requirements that count (default: the newest)",
    )
    part.add_argument("--json", action="store_true", help="print a JSON object")
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("certificate.zip"),
        metavar="FILE",
        help="default: %(default)s",
    )


def verify_options(part: argparse.ArgumentParser) -> None:
    """The certificate to verify."""
    part.add_argument("--public-key", type=Path, metavar="FILE", help="public key of the signer")
    part.add_argument(
        "--with-current-suite",
        action="store_true",
        help="list the verdicts that the installed suite changes",
    )
    part.add_argument("--json", action="store_true", help="print a JSON object")
    part.add_argument(
        "--countersign",
        nargs=2,
        type=Path,
        metavar=("KEY", "SUMMARY"),
        help="sign a summary of this verification, as a registrar does",
    )
    part.add_argument(
        "--summary",
        nargs=2,
        type=Path,
        metavar=("SUMMARY", "KEY.pub"),
        help="check the summary of a registrar, too",
    )
    part.add_argument(
        "--revocations",
        nargs=2,
        type=Path,
        metavar=("LIST", "KEY.pub"),
        help="reject a certificate that this list of a registrar revokes",
    )
    part.add_argument("file", type=Path, metavar="FILE", help="the certificate")


def doctor_options(part: argparse.ArgumentParser) -> None:
    """The target to diagnose."""
    target_options(part)
    part.add_argument("--json", action="store_true", help="print a JSON object")


def check_files_options(part: argparse.ArgumentParser) -> None:
    """The files to check."""
    part.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="a profile, or known failures (TOML)"
    )
    part.add_argument(
        "--allow-secrets", action="store_true", help="let secrets stand in a profile: of a sandbox"
    )


def schema_options(part: argparse.ArgumentParser) -> None:
    """The file whose schema is printed."""
    part.add_argument(
        "name", choices=("target", "known-failures", "report"), help="the kind of file"
    )


def registry_options(part: argparse.ArgumentParser) -> None:
    """What is done with a registry or a submission."""
    actions = part.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="name every fault of a submission", allow_abbrev=False)
    check.add_argument("folder", type=Path, metavar="SUBMISSION", help="folder of a submission")
    check.add_argument("--json", action="store_true", help="print a JSON object")
    build = actions.add_parser("build", help="write the site of a registry", allow_abbrev=False)
    build.add_argument("folder", type=Path, metavar="DIR", help="folder with the submissions")
    build.add_argument(
        "--out",
        type=Path,
        default=Path("site"),
        metavar="DIR",
        help="folder for the site (default: %(default)s)",
    )
    revoke = actions.add_parser("revoke", help="revoke a certificate", allow_abbrev=False)
    revoke.add_argument("folder", type=Path, metavar="DIR", help="folder of the registry")
    revoke.add_argument("certificate", type=Path, metavar="CERTIFICATE", help="the certificate")
    revoke.add_argument("--reason", required=True, help="why it holds no longer")
    revoke.add_argument(
        "--key", type=Path, required=True, metavar="FILE", help="private key of the registrar"
    )


def diff_options(part: argparse.ArgumentParser) -> None:
    """The description to compare with the contract."""
    part.add_argument(
        "document",
        metavar="FILE|URL",
        help="an OpenAPI document, YAML or JSON",
    )
    part.add_argument(
        "--json",
        action="store_true",
        help="print a JSON object, with the lines of every difference",
    )


def selftest_options(part: argparse.ArgumentParser) -> None:
    """The mutants and variants to run, and the number of processes."""
    part.add_argument(
        "--also",
        nargs="+",
        action="extend",
        default=[],
        type=Path,
        metavar="FILE",
        help="add the mutants and variants of these files (TOML; see CONTRIBUTING.md)",
    )
    part.add_argument(
        "--only",
        nargs="+",
        action="extend",
        default=[],
        metavar="ID",
        help="run only these mutants and variants",
    )
    part.add_argument(
        "--seeds",
        type=_count,
        metavar="N",
        help="run only the reference and the variants, N times with different seeds",
    )
    part.add_argument(
        "-j",
        dest="processes",
        type=_count,
        default=os.cpu_count() or 1,
        metavar="N",
        help="number of processes (default: one per core)",
    )
    part.add_argument("--json", action="store_true", help="print the matrix as a JSON object")
    part.add_argument(
        "--list", action="store_true", help="list the mutants and variants, and run none"
    )
    part.add_argument(
        "--coverage",
        action="store_true",
        help="print the mutants of each requirement (spec/COVERAGE.md), and run none",
    )


COMMANDS = {
    "run": Command(
        "Check a deployment, or the bundled reference, and write a report.", run_options, VERDICTS
    ),
    "serve": Command("Serve the bundled reference implementation, as a sandbox.", serve_options),
    "requirements": Command("List the requirements.", requirements_options),
    "explain": Command(
        "Explain a requirement: what is accepted, why, and what proves its check.",
        explain_options,
    ),
    "replay": Command(
        "Send the requests of failures again: fixed, still failing, or different.",
        replay_options,
        ("every failure is fixed", "a failure remains, differs or was not sent"),
    ),
    "judge": Command(
        "Check recorded traffic against the rules for every exchange.",
        judge_options,
        ("no violation", "a violation"),
    ),
    "report": Command(
        "Render a previous run again, even an interrupted one.", report_options, VERDICTS
    ),
    "compare": Command(
        "Show what changed between two reports.",
        compare_options,
        ("nothing got worse", "a new failure, or something that passed is not checked"),
    ),
    "keygen": Command("Create a key pair for signing certificates.", keygen_options),
    "certify": Command(
        "Sign the evidence of a conformant run.", certify_options, ("signed", "rejected")
    ),
    "verify": Command(
        "Verify a certificate without its target.",
        verify_options,
        ("verified", "rejected"),
    ),
    "registry": Command(
        "Check a submission, build the site of a registry, or revoke a certificate.",
        registry_options,
        ("done, and no fault", "a fault in the submission"),
    ),
    "scenarios": Command(
        "Print the scenarios as an Arazzo document (spec/arazzo.yaml).", no_options
    ),
    "init": Command(
        "Write a target profile with what a deployment shows; overwrites no file.", init_options
    ),
    "doctor": Command(
        "Say what a run would check, take and change, and what is wrong with the profile.",
        doctor_options,
        ("nothing is wrong", "something is wrong with the profile"),
    ),
    "check-files": Command(
        "Check profiles and files of known failures, without a request.",
        check_files_options,
        ("no problem", "a problem, or a secret in a profile"),
    ),
    "schema": Command("Print the JSON Schema of a file, for editors.", schema_options),
    "selftest": Command(
        "Run the suite on mutants and variants of the reference.",
        selftest_options,
        ("all results as expected", "some results not as expected"),
    ),
    "diff": Command(
        "Compare a published OpenAPI document with the contract.",
        diff_options,
        ("no breaking difference", "a breaking difference"),
    ),
    "completion": Command(
        "Print a script that completes commands and options.", completion_options
    ),
}


def _database(text: str) -> str:
    # Only the fleet needs a database.
    if importlib.util.find_spec("sqlalchemy") is None:
        raise argparse.ArgumentTypeError(FLEET_EXTRA)
    return text


def _conformance_class(text: str) -> str:
    # The catalogue is loaded only for this.
    classes: tuple[str, ...] = importlib.import_module("conformance.contract.requirements").CLASSES
    if text not in classes:
        raise argparse.ArgumentTypeError(
            f"unknown class {text!r}; the classes are {', '.join(classes)}"
        )
    return text


def _formats(text: str) -> str:
    # The formats are loaded only for this.
    known: dict[str, object] = importlib.import_module("conformance.report.artefacts").FORMATS
    for name in text.split(","):
        if name not in known:
            raise argparse.ArgumentTypeError(
                f"unknown format {name!r}; the formats are {', '.join(known)}"
            )
    return text


def _sandbox(module: str) -> Callable[[str], object]:
    """The type of an option that a module of the sandbox parses, which is loaded only for this."""

    def parsed(text: str) -> object:
        try:
            value: object = importlib.import_module(f"conformance.commands.sandbox.{module}").parse(
                text
            )
        except ValueError as problem:
            raise argparse.ArgumentTypeError(str(problem)) from None
        return value

    return parsed


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} must be an integer ≥ 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of seconds > 0")
    return seconds


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} must be a port from 0 to 65535")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
