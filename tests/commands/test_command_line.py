"""The command line: real processes, their output, their exit codes, and the reports that they leave."""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from samples import a_finding, a_report, an_entry, an_exchange

from conformance.__main__ import COMMANDS, main
from conformance.assurance.selftest import catalogue, population
from conformance.commands.init import skeleton
from conformance.commands.outcome import VERDICTS
from conformance.contract import api, requirements
from conformance.report import artefacts
from conformance.report.console import line, terminal
from conformance.target import profile

COMMAND = (sys.executable, "-m", "conformance")
SEQUENCE = "\x1b["
HINT = " (`{} --help` lists what there is)\n"
DEAD = "http://127.0.0.1:9/v1"
REMEDY = "write http:// or https://, the host and the path up to the version segment"


def conformance(
    directory: Path, *arguments: object, **environment: str
) -> subprocess.CompletedProcess[str]:
    """One run of the command in a directory of its own, without a terminal."""
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=directory,
        env=surroundings(**environment),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def surroundings(**environment: str) -> dict[str, str]:
    """The environment of a command, without what would colour its output."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"NO_COLOR", "FORCE_COLOR", "TERM"}
    }
    return {**kept, "PYTHONUTF8": "1", "TERM": "xterm", **environment}


def report(directory: Path, reports: str = "reports/latest") -> dict[str, Any]:
    """The report of a run in a directory."""
    document: dict[str, Any] = json.loads(
        (directory / reports / "report.json").read_text(encoding="utf-8")
    )
    return document


def verdicts(document: dict[str, Any]) -> dict[str, tuple[str, dict[str, str]]]:
    """The verdict of each requirement, and on each of its operations."""
    return {
        entry["id"]: (entry["verdict"], entry["operations"]) for entry in document["requirements"]
    }


@pytest.fixture(scope="module")
def judged(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A quick run on the bundled reference: its directory, and how it ended."""
    directory = tmp_path_factory.mktemp("judged")
    return directory, conformance(directory, "run", "--depth", "quick")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The profile of a reference that is served over loopback."""
    target = tmp_path_factory.mktemp("served") / "target.toml"
    with subprocess.Popen(
        [*COMMAND, "serve", "--target-out", str(target)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            assert tomllib.loads(target.read_text())["base-url"] == address
            yield target
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(10) == 0


# --- help and usage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [(), *((name,) for name in COMMANDS)], ids=lambda command: "".join(command) or "all"
)
def test_help_tells_the_exit_codes(tmp_path: Path, command: tuple[str, ...]) -> None:
    """Help ends with 0 and lists all codes; 1 only where a command judges something, and what it judges."""
    ended = conformance(tmp_path, *command, "--help")
    ends = COMMANDS[command[0]].ends if command else VERDICTS
    codes = re.findall(r"^  ([0-9])  (.*)$", ended.stdout, re.MULTILINE)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [told for _, told in codes[: len(ends)]] == list(ends)
    assert [code for code, _ in codes] == [*"01"[: len(ends)], "2", "3", "4"]


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    """Asking for help imports neither pytest nor httpx nor schemathesis."""
    code = (
        "import sys; from conformance.__main__ import parser; parser().format_help();"
        "print({'pytest', 'httpx', 'schemathesis', 'hypothesis', 'rich', 'starlette', 'yaml'} & set(sys.modules))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert told == "set()\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            "conformance: error: the following arguments are required: COMMAND"
            + HINT.format("conformance"),
        ),
        (
            ["run", "--deep"],
            "conformance: error: unrecognized arguments: --deep" + HINT.format("conformance"),
        ),
        (
            ["run", "--target"],
            "conformance run: error: argument --target: expected one argument"
            + HINT.format("conformance run"),
        ),
        (
            ["run", "--class", "reading"],
            "conformance run: error: argument --class: there is no class 'reading', only "
            + ", ".join(requirements.CLASSES)
            + HINT.format("conformance run"),
        ),
        (
            ["run", "-n", "0"],
            "conformance run: error: argument -n: '0' is no count: write 1 or more"
            + HINT.format("conformance run"),
        ),
        (
            ["serve", "--port", "65536"],
            "conformance serve: error: argument --port: '65536' is no port; ports are numbers up to 65535"
            + HINT.format("conformance serve"),
        ),
        (
            ["run", "--report", "junit,pdf"],
            "conformance run: error: argument --report: there is no format 'pdf', only "
            + ", ".join(artefacts.FORMATS)
            + HINT.format("conformance run"),
        ),
        (["compare", "file", "file"], "conformance compare: error: file: is no JSON object\n"),
        (
            ["compare", "list.json", "file"],
            "conformance compare: error: list.json: is no report of this suite\n",
        ),
        (
            ["certify", "--key", "file"],
            "conformance certify: error: reports/latest/report.json: No such file or directory; "
            "`conformance run --report-dir reports/latest` writes it\n",
        ),
        (
            ["run", "--report-dir", "file/in/a/file"],
            "conformance run: error: --report-dir {cwd}/file/in/a/file: Not a directory\n",
        ),
        (
            ["serve", "--database", "no/folder/x.db"],
            "conformance serve: error: --database no/folder/x.db: unable to open database file\n",
        ),
        (
            ["init", "file"],
            "conformance init: error: file exists and is left as it is; name another file\n",
        ),
        (
            ["init", "no/such/folder/x"],
            "conformance init: error: no/such/folder/x cannot be written: No such file or directory\n",
        ),
        (
            ["init", "--base-url", "ftp://x"],
            f"conformance init: error: --base-url is no http or https URL; {REMEDY}\n",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_in_the_options_is_told_in_one_line(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    """Exit code 4, nothing on standard output, no traceback."""
    (tmp_path / "file").touch()
    (tmp_path / "list.json").write_text("[]")
    ended = conformance(tmp_path, *arguments)
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        4,
        "",
        message.replace("{cwd}", str(tmp_path)),
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "with workers"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--target", "target.toml"),
            "target.toml:1: credentials.primry is no known key: did you mean primary?",
        ),
        (
            ("--target", "absent.toml"),
            "absent.toml: cannot be read: No such file or directory: give the path of a profile",
        ),
        (("--base-url", "ftp://x"), f"--base-url is no http or https URL: {REMEDY}"),
        (
            ("--known-failures", "absent.toml"),
            "absent.toml: is no readable TOML: [Errno 2] No such file or directory: 'absent.toml'",
        ),
        (
            ("--base-url", DEAD),
            f"nothing answers at {DEAD}: ConnectError: [Errno 111] Connection refused",
        ),
    ],
    ids=["mistyped key", "no file", "no URL", "no known failures", "dead port"],
)
def test_a_target_that_cannot_be_judged_is_a_usage_error(
    tmp_path: Path, options: tuple[str, ...], message: str, workers: tuple[str, ...]
) -> None:
    """Exit code 4, the reason on standard error alone, and no report."""
    (tmp_path / "target.toml").write_text("[credentials.primry]\n")
    ended = conformance(tmp_path, "run", *options, *workers)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "reports/latest/report.json").exists()


def test_a_port_that_is_taken_is_a_usage_error(tmp_path: Path) -> None:
    """The address is named."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        ended = conformance(tmp_path, "serve", "--port", port)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert (
        ended.stderr
        == f"conformance serve: error: cannot serve on 127.0.0.1 port {port}: Address already in use\n"
    )


def test_a_mistake_of_the_checker_blames_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3 and a traceback where, for one, a part of the package is not there."""
    monkeypatch.setitem(sys.modules, "conformance.commands.scenarios", None)
    assert main(["scenarios"]) == 3
    assert (
        "ModuleNotFoundError: import of conformance.commands.scenarios halted"
        in capsys.readouterr().err
    )


def test_any_command_can_be_interrupted(tmp_path: Path) -> None:
    """Exit code 2 and no traceback, in the middle of reading a file that does not end."""
    endless = tmp_path / "endless.har"
    os.mkfifo(endless)
    command = [*COMMAND, "judge", str(endless), "--base-url", "http://x/v1"]
    with (
        subprocess.Popen(
            command, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as running,
        endless.open("wb"),  # as soon as somebody reads
    ):
        running.send_signal(signal.SIGINT)
        told = running.communicate(timeout=60)
    assert (running.returncode, *told) == (2, "", "")


# --- runs ----------------------------------------------------------------------------------------------------------------


def test_the_reference_keeps_the_contract(
    judged: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """Exit code 0, a line for each class and the verdict in plain text, and the place of the report."""
    directory, ended = judged
    assert (ended.returncode, ended.stderr) == (0, "")
    told = ended.stdout.splitlines()
    judged_classes = {
        entry["class"] for entry in report(directory)["requirements"] if entry["verdict"] == "pass"
    }
    assert [each.split()[0] for each in told if " checks: " in each] == [
        name for name in requirements.CLASSES if name in judged_classes
    ]
    assert not any(each.startswith(("BROKEN", "WARNING", "CHECKER ERROR")) for each in told)
    assert (
        told[-1]
        == "  report  reports/latest (exchanges.jsonl, junit.xml, report.html, report.json, target.json)"
    )
    assert SEQUENCE not in ended.stdout


def test_a_run_leaves_its_report(judged: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """report.json, junit.xml and exchanges.jsonl agree with each other."""
    directory, _ = judged
    document = report(directory)
    exchanges = (directory / "reports/latest/exchanges.jsonl").read_bytes().splitlines()
    cases = ET.parse(directory / "reports/latest/junit.xml").getroot().iter("testcase")
    assert document["counts"]["must"]["fail"] == document["counts"]["must"]["error"] == 0
    assert (document["suite"]["depth"], document["suite"]["seed"], document["interrupted"]) == (
        "quick",
        1,
        False,
    )
    assert list(verdicts(document)) == list(requirements.load())
    assert len(exchanges) >= document["exchanges"]["count"] > 1000
    assert not [
        case.get("name")
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]


def test_over_loopback_the_verdicts_are_the_same(
    judged: tuple[Path, subprocess.CompletedProcess[str]], served: Path, tmp_path: Path
) -> None:
    """The same reference behind a socket gets the same verdict on every requirement and operation."""
    ended = conformance(tmp_path, "run", "--target", served, "--depth", "quick")
    there, here = report(tmp_path), report(judged[0])
    assert ended.returncode == 0
    assert verdicts(there) == verdicts(here)


def test_one_class_alone_can_be_judged(tmp_path: Path) -> None:
    """The report speaks of that class only; the seed and the directory are those that were asked for."""
    ended = conformance(
        tmp_path,
        "run",
        "--class",
        "limits",
        "--depth",
        "quick",
        "--seed",
        "7",
        "--report-dir",
        "here",
    )
    document = report(tmp_path, "here")
    assert ended.returncode == 0
    assert {entry["class"] for entry in document["requirements"]} == {"limits"}
    assert (document["suite"]["seed"], document["suite"]["classes"], document["verdict"]) == (
        7,
        ["limits"],
        "conformant",
    )


def test_what_is_missing_is_named_by_its_key(served: Path, tmp_path: Path) -> None:
    """With nothing but a base URL the keys are listed once each; with --require-complete such a run fails."""
    address = tomllib.loads(served.read_text())["base-url"]
    ended = conformance(
        tmp_path, "run", "--base-url", address, "--class", "limits", "--require-complete"
    )
    missing = [
        each.split()[0]
        for each in ended.stdout.splitlines()
        if re.match(r"  [a-z]+\.[a-z-]+ +[0-9]", each)
    ]
    assert ended.returncode == 1
    assert "INCONCLUSIVE" in ended.stdout
    assert len(missing) == len(set(missing)) > 0
    assert set(missing) <= {
        "credentials.primary",
        "credentials.throttled",
        "consent.exhaust-rate-limit",
        "consent.oversized-bodies",
    }


def test_without_consent_a_run_only_reads(served: Path, tmp_path: Path) -> None:
    """With a base URL and one API key the evidence shows no method but GET, and the verdict is still worth something."""
    stated = tomllib.loads(served.read_text())
    target = tmp_path / "target.toml"
    target.write_text(
        f'base-url = "{stated["base-url"]}"\n[credentials.primary]\napi-key = "${{KEY}}"\n'
    )
    key = stated["credentials"]["primary"]["api-key"]
    ended = conformance(tmp_path, "run", "--target", target, "--depth", "quick", KEY=key)
    document = report(tmp_path)
    assert (ended.returncode, document["verdict"]) == (0, "inconclusive")
    assert list(document["exchanges"]["methods"]) == ["GET"]
    exchanges = (tmp_path / "reports/latest/exchanges.jsonl").read_text(encoding="utf-8")
    assert {json.loads(exchange)["request"]["method"] for exchange in exchanges.splitlines()} == {
        "GET"
    }
    assert document["counts"]["must"]["pass"] > 30
    assert key not in ended.stdout + ended.stderr + exchanges


def test_foreign_configuration_has_no_say(tmp_path: Path) -> None:
    """Neither pytest.ini and conftest.py of the current directory nor pytest's environment variables change a run."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (tmp_path / "conftest.py").write_text("raise SystemExit('read')\n")
    ended = conformance(
        tmp_path,
        "run",
        "--class",
        "limits",
        "--depth",
        "quick",
        PYTEST_ADDOPTS="--no-such-option",
        PYTEST_PLUGINS="no_such_plugin",
    )
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM], ids=["interrupted", "terminated"]
)
def test_an_interrupted_run_leaves_what_it_knows(tmp_path: Path, number: signal.Signals) -> None:
    """Exit code 2, a verdict that says so, and a report of what was judged until then."""
    command = [*COMMAND, "run", "--depth", "deep", "--class", "limits", "--class", "read"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        while (
            not (tmp_path / "reports/latest/exchanges-main.jsonl").exists()
            and running.poll() is None
        ):
            signal.sigtimedwait([], 0.02)
        signal.sigtimedwait([], 0.5)
        running.send_signal(number)
        told, problems = running.communicate(timeout=600)
    document = report(tmp_path)
    assert (running.returncode, problems) == (2, "")
    assert "\nINTERRUPTED: nothing was broken until then\n" in told
    assert (document["interrupted"], document["counts"]["must"]["fail"]) == (True, 0)
    assert {
        entry["verdict"] for entry in document["requirements"] if entry["class"] == "limits"
    } >= {"inconclusive"}


def signalled(directory: Path, function: str, call: int) -> subprocess.CompletedProcess[str]:
    """A run that sends itself a SIGTERM where a function is called for the so manyeth time."""
    return subprocess.run(
        [sys.executable, Path(__file__).parents[1] / "support" / "signalled.py", function, str(call), "run", "--depth", "quick", "--class", "limits"],
        cwd=directory, env=surroundings(), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


def test_a_stop_while_a_request_is_made_goes_without_a_warning(tmp_path: Path) -> None:
    """Although what was to answer it never began."""
    ended = signalled(tmp_path, "asyncio.tasks:ensure_future", 50)
    assert (ended.returncode, ended.stderr) == (2, "")
    assert "\nINTERRUPTED: nothing was broken until then\n" in ended.stdout


@pytest.mark.parametrize(
    "function",
    ["runner.session:Session.close", "report.run:Run.finish", "report.artefacts:publish"],
)
def test_a_stop_while_the_report_is_written_comes_too_late(tmp_path: Path, function: str) -> None:
    """Everything was judged, and is told."""
    ended = signalled(tmp_path, f"conformance.{function}", 1)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (report(tmp_path)["interrupted"], "\nCONFORMANT: " in ended.stdout) == (False, True)


def test_a_run_that_is_not_to_be_interrupted_is_not(tmp_path: Path) -> None:
    """What whoever started it has told it to ignore, as shells do in the background, it ignores."""
    command = [
        "sh",
        "-c",
        'trap "" INT; exec "$0" "$@"',
        *COMMAND,
        "run",
        "--depth",
        "quick",
        "--class",
        "description",
    ]
    with subprocess.Popen(
        command, cwd=tmp_path, env=surroundings(), stdout=subprocess.PIPE, text=True
    ) as running:
        while (
            not (tmp_path / "reports/latest/exchanges-main.jsonl").exists()
            and running.poll() is None
        ):
            signal.sigtimedwait([], 0.02)
        running.send_signal(signal.SIGINT)
        told, _ = running.communicate(timeout=600)
    assert (running.returncode, "\nCONFORMANT" in told) == (0, True)


def test_what_is_known_to_be_broken_and_is_not_fails_a_run(tmp_path: Path) -> None:
    """Exit code 1, and the entry that is out of date is named."""
    (tmp_path / "known.toml").write_text(
        '[[known]]\nrequirement = "description/version"\nreason = "ticket 7"\n'
    )
    ended = conformance(
        tmp_path,
        "run",
        "--depth",
        "quick",
        "--class",
        "description",
        "--known-failures",
        "known.toml",
    )
    assert ended.returncode == 1
    assert "\n  out of date  description/version: " in ended.stdout


# --- the face ------------------------------------------------------------------------------------------------------------


def on_a_terminal(directory: Path, *arguments: str, **environment: str) -> str:
    """What a command writes where standard output is a terminal."""
    leader, follower = pty.openpty()
    around = surroundings(COLUMNS="100", **environment)
    with subprocess.Popen(
        [*COMMAND, *arguments], cwd=directory, env=around, stdout=follower
    ) as running:
        os.close(follower)
        written = b""
        while chunk := _read(leader):
            written += chunk
    os.close(leader)
    assert running.returncode == 0
    return written.decode()


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:  # Linux says so when the last writer has left
        return b""


@pytest.mark.parametrize(
    ("environment", "colour"), [({}, True), ({"NO_COLOR": "1"}, False)], ids=["colours", "NO_COLOR"]
)
def test_on_a_terminal_a_bar_shows_how_far_a_run_is(
    tmp_path: Path, environment: dict[str, str], *, colour: bool
) -> None:
    """The bar has the class and the requests a second, and is gone at the end; the verdict is green, unless colours are unwanted."""
    told = on_a_terminal(tmp_path, "run", "--class", "limits", "--depth", "quick", **environment)
    verdict = next(each for each in told.splitlines() if "CONFORMANT" in each)
    assert re.search(r"limits .*/\d+.* \d+ requests/s", told)
    assert " checks: " not in told
    assert (f"{SEQUENCE}1;32m" in verdict) is colour


def test_what_leads_to_a_finding_is_shown_step_by_step() -> None:
    """The last three exchanges at most, in their order: what was sent, and what came."""
    steps = [
        {**an_exchange(number, status=200 + number), "curl": f"curl -sS step-{number}"}
        for number in range(1, 5)
    ]
    told = list(
        terminal.lines(
            a_report(
                an_entry("approval/stale-revision", "fail", findings=[a_finding(exchanges=steps)])
            )
        )
    )
    shown = [line for line in told if line.startswith(("  sent", "  came"))][:6]

    assert [line[13:] for line in shown[::2]] == [
        "curl -sS step-2",
        "curl -sS step-3",
        "curl -sS step-4",
    ]
    assert [line[13:16] for line in shown[1::2]] == ["202", "203", "204"]


def test_nothing_invisible_reaches_the_terminal() -> None:
    """Control characters, marks that turn the direction of writing, and lone surrogates are spelled out; the rest stays."""
    hostile = "a\x1b[2J\r\n\u202eb\u200b\ud800\x9b é [red]日"
    assert line.visible([(hostile, "bad")]) == [
        ("a\\u001b[2J\\r\\n\\u202eb\\u200b\\ud800\\u009b é [red]日", "bad")
    ]


def test_a_finding_is_told_whole(judged: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """What is broken comes first: the promise, what was found and expected, the command, the answer, the other operations."""
    document = report(judged[0])
    broken = next(entry for entry in document["requirements"] if entry["id"] == "error/code")
    exchange = {
        "curl": "curl 'http://x/v1/account'",
        "response": {"status": 404, "body": {"text": '{\n  "code": "\x1b[31m"\n}'}},
    }
    found = {
        "verdict": "fail", "operation": "account_get", "message": "code is 7", "expected": "a string", "needs": [],
        "items": ["x"], "occurrences": 2, "exchanges": [exchange],
    }  # fmt: skip
    broken.update(verdict="fail", findings=[found, {**found, "operation": "video_get"}])
    document["verdict"] = "non-conformant"
    told = list(terminal.lines(document))
    assert told[:8] == [
        "BROKEN  error/code  on account_get",
        "  promised   A refusal has a code that is a string.  (Errors)",
        "  found      code is 7  (2 times)",
        "  expected   a string",
        "  sent       curl 'http://x/v1/account'",
        '  came       404 { "code": "\\u001b[31m" }',
        "  also       on video_get (report.json tells each)",
        "",
    ]
    assert "NON-CONFORMANT: the target breaks the contract" in told


def test_known_failures_are_told_in_one_line(
    judged: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """What is known comes without its evidence; an entry that is out of date is named beside the verdict."""
    document = report(judged[0])
    broken = next(entry for entry in document["requirements"] if entry["id"] == "error/code")
    found = {
        "verdict": "fail",
        "operation": "account_get",
        "known": "ticket 7",
        "message": "",
        "needs": [],
        "exchanges": [],
    }
    broken.update(verdict="fail", findings=[found])
    stale = {"requirement": "error/title", "operation": None, "problem": "is kept"}
    document.update(
        {"verdict": "non-conformant", "known-failures": {"unknown": [], "stale": [stale]}}
    )
    told = list(terminal.lines(document))
    assert told[:2] == ["KNOWN  error/code  on account_get: ticket 7", ""]
    assert [each for each in told if each.startswith(("  not let", "  out of date"))] == [
        "  not let pass by the known failures",
        "  out of date  error/title: is kept",
    ]
    document["known-failures"]["stale"] = []
    assert "  nothing is broken that is not known" in list(terminal.lines(document))


# --- the other commands --------------------------------------------------------------------------------------------------


def test_the_requirements_can_be_listed(tmp_path: Path) -> None:
    """For people with their statements; as JSON with everything; a class alone where it is asked for."""
    everything = json.loads(conformance(tmp_path, "requirements", "--json").stdout)
    told = conformance(tmp_path, "requirements", "--class", "limits").stdout
    limits = [
        entry.id for entry in requirements.load().values() if entry.conformance_class == "limits"
    ]
    assert [entry["id"] for entry in everything] == list(requirements.load())
    assert everything[0]["class"] == requirements.load()[everything[0]["id"]].conformance_class
    assert re.findall(r"^  (\S+)  \(", told, re.MULTILINE) == limits


def test_requirements_are_told_with_what_they_need_and_why_one_is_not_judged(
    tmp_path: Path,
) -> None:
    """Whichever of the two there is to say."""
    _, *shown = conformance(tmp_path, "requirements", "--class", "authorization").stdout.split(
        "\n\n"
    )
    entries = [
        entry
        for entry in requirements.load().values()
        if entry.conformance_class == "authorization"
    ]

    assert [
        ("\n    needs " in each, "\n    not judged: " in each) for each in shown if each.strip()
    ] == [(bool(entry.needs), entry.untested is not None) for entry in entries]


def test_what_stands_behind_the_requirements_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """As in spec/COVERAGE.md, but for the mutants that are not shipped."""
    assert main(["selftest", "--coverage"]) == 0
    assert capsys.readouterr().out == catalogue.text(population.shipped())


def test_a_reader_may_leave_early(tmp_path: Path) -> None:
    """A closed pipe is no error."""
    with subprocess.Popen(
        [*COMMAND, "requirements"],
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 0


def test_a_profile_to_fill_in_is_written(tmp_path: Path) -> None:
    """It names the base URL that was given, and needs nothing but the key of one credential."""
    ended = conformance(tmp_path, "init", "--base-url", "https://api.test/v1")
    target = profile.load(tmp_path / "target.toml", environ={"LOCALIZATION_API_KEY": "secret"})
    assert (ended.returncode, ended.stdout) == (
        0,
        "target.toml is written. Fill it in, then: conformance run --target target.toml\n",
    )
    assert (target.base_url, list(target.credentials)) == ("https://api.test/v1", ["primary"])
    assert target.consent == profile.Consent()


def test_the_profile_to_fill_in_has_every_key() -> None:
    """With every line switched on it is a valid profile in which no key is missing."""
    text = re.sub(r"^#(?=\S)", "", skeleton(), flags=re.MULTILINE)
    variables = dict.fromkeys(re.findall(r"\$\{(\w+)\}", text), "secret")
    tables = tomllib.loads(text)
    profile.parse(tables, text=text, environ=variables)
    assert _keys(tables) >= _keys(profile._PROFILE) - {f"credentials.{each}" for each in _schemes()}


def _keys(table: Any, place: str = "") -> set[str]:
    if not isinstance(table, dict):
        return {place.removeprefix(".")}
    return {key for name, value in table.items() for key in _keys(value, f"{place}.{name}")}


def _schemes() -> Iterator[str]:
    """A credential needs one of its two schemes only."""
    lacking = [f"lacking.{permission}" for permission in api.load().permissions]
    for name in (
        "primary",
        "expired",
        "revoked",
        "outsider",
        "no-review-role",
        "throttled",
        *lacking,
    ):
        yield from (f"{name}.api-key", f"{name}.bearer")
