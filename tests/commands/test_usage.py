"""Help, usage errors and interruptions of every command."""

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from process import COMMAND, conformance, conformance_here, surroundings

from conformance.__main__ import main
from conformance.commands.options.table import COMMANDS
from conformance.commands.outcome import (
    DIAGNOSED,
    DISCOVERED,
    FLEET_VERDICTS,
    MEASURED,
    RENDERED,
    VERDICTS,
)
from conformance.contract import requirements
from conformance.report import artefacts

HINT = " (see `{} --help`)\n"


DEAD = "http://127.0.0.1:9/v1"


REMEDY = "write http:// or https://, the host and the path up to the version segment"


@pytest.mark.parametrize(
    "command", [(), *((name,) for name in COMMANDS)], ids=lambda command: "".join(command) or "all"
)
def test_help_lists_the_exit_codes(tmp_path: Path, command: tuple[str, ...]) -> None:
    """1 only where the command comes to a verdict, and a report only where it writes one."""
    ended = conformance_here(tmp_path, *command, "--help")
    ends = COMMANDS[command[0]].ends if command else VERDICTS
    codes = re.findall(r"^  ([0-9])  (.*)$", ended.stdout, re.MULTILINE)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [output for _, output in codes[: len(ends)]] == list(ends)
    has_gate = ends in (VERDICTS, FLEET_VERDICTS, MEASURED, DIAGNOSED, DISCOVERED)
    gate = ["5"] if has_gate else []
    assert [code for code, _ in codes] == [*"01"[: len(ends)], "2", "3", "4", *gate]
    assert ("report" in dict(codes)["2"]) is (ends in (VERDICTS, RENDERED))


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    """Asking for help imports neither pytest nor httpx nor schemathesis."""
    code = (
        "import sys; from conformance.__main__ import parser; parser().format_help();"
        "heavy = {'pytest', 'httpx', 'schemathesis', 'hypothesis', 'rich', 'starlette', 'yaml'};"
        "print(heavy & set(sys.modules))"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert output == "set()\n"


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
            "conformance run: error: unknown option '--deep'; did you mean --depth?"
            + HINT.format("conformance run"),
        ),
        (
            ["rnu"],
            "conformance: error: unknown command 'rnu'; did you mean run?"
            + HINT.format("conformance"),
        ),
        (
            ["serve", "--databse=x"],
            "conformance serve: error: unknown option '--databse=x'; did you mean --database?"
            + HINT.format("conformance serve"),
        ),
        (
            ["serve", "here"],
            "conformance serve: error: unknown argument 'here'" + HINT.format("conformance serve"),
        ),
        (
            ["explain", "approval/stale-revison"],
            "conformance explain: error: unknown requirement 'approval/stale-revison'; "
            "did you mean approval/stale-revision?\n",
        ),
        (
            ["run", "--target"],
            "conformance run: error: argument --target: expected one argument"
            + HINT.format("conformance run"),
        ),
        (
            ["run", "--class", "read,reading"],
            "conformance run: error: argument --class: unknown class 'reading'; the classes are "
            + ", ".join(requirements.CLASSES)
            + HINT.format("conformance run"),
        ),
        (
            ["run", "-n", "0"],
            "conformance run: error: argument -n: '0' must be an integer ≥ 1"
            + HINT.format("conformance run"),
        ),
        (
            ["run", "--require", ""],
            "conformance run: error: argument --require: '' must be names with commas between them"
            + HINT.format("conformance run"),
        ),
        (
            ["run", "--seed", "abc"],
            "conformance run: error: argument --seed: 'abc' must be an integer"
            + HINT.format("conformance run"),
        ),
        (
            ["run", "--seed", "9" * 400],
            f"conformance run: error: argument --seed: must be an integer up to {2**63 - 1}"
            + HINT.format("conformance run"),
        ),
        (
            ["serve", "--port", "65536"],
            "conformance serve: error: argument --port: '65536' must be a port from 0 to 65535"
            + HINT.format("conformance serve"),
        ),
        (
            ["run", "--report", "junit,pdf"],
            "conformance run: error: argument --report: unknown format 'pdf'; the formats are "
            + ", ".join(artefacts.FORMATS)
            + HINT.format("conformance run"),
        ),
        (
            ["compare", "file", "file"],
            "conformance compare: error: file: not a report of this suite: empty\n",
        ),
        (
            ["compare", "list.json", "file"],
            "conformance compare: error: list.json: not a report of this suite: the whole: "
            'the value is not of type "object"\n',
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
            "conformance init: error: file exists and is not overwritten; name another file\n",
        ),
        (
            ["init", "no/such/folder/x"],
            "conformance init: error: no/such/folder/x cannot be written: "
            "No such file or directory\n",
        ),
        (
            ["init", "--base-url", "ftp://x"],
            f"conformance init: error: --base-url is not an http or https URL; {REMEDY}\n",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_in_the_options_is_one_line(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    """Exit code 4, nothing on standard output, and no traceback."""
    (tmp_path / "file").touch()
    (tmp_path / "list.json").write_text("[]")
    ended = conformance_here(tmp_path, *arguments)
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        4,
        "",
        message.replace("{cwd}", str(tmp_path)),
    )


ARCHIVE = '{"log": {"entries": []}}'
NOT_A_REPORT = '{"requirements": 5, "observations": []}'
NO_FORMAT = 'not a report of this suite: the whole: "format" is a required property'
NO_LOG = 'not an HTTP archive (HAR): the whole: "log" is a required property'
AT_X = ("--base-url", "http://x/v1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "odd.json", "file"], f"odd.json: {NO_FORMAT}"),
        (["replay", "odd.json"], f"odd.json: {NO_FORMAT}"),
        (["judge", "file", *AT_X], "file: not an HTTP archive (HAR): empty"),
        (["judge", "odd.json", *AT_X], f"odd.json: {NO_LOG}"),
        (
            ["judge", "empty.har", *AT_X],
            "empty.har: no request of the API at http://x/v1, and 0 other requests",
        ),
        (
            ["judge", "empty.har", "--base-url", "x/v1"],
            f"--base-url is not an http or https URL; {REMEDY}",
        ),
        (
            ["doctor", "--reference", "--target", "file"],
            "--reference and --target name two targets; leave one of them out",
        ),
        (
            ["run", "--reference", *AT_X],
            "--reference and --base-url name two targets; leave one of them out",
        ),
        (
            ["run", "--name", "eu"],
            "--name is the name of the target in a memory: add --db URL",
        ),
        (["run", "--base-url", ""], f"--base-url is empty; {REMEDY}"),
        (["doctor", "--base-url", ""], f"--base-url is empty; {REMEDY}"),
        (
            ["doctor"],
            "there is no target.toml here; use --target FILE, --base-url URL or --reference",
        ),
        (
            ["selftest", "--also", "none.toml"],
            "--also: none.toml cannot be read: No such file or directory: give a TOML file of"
            " mutants or variants",
        ),
        (["serve", "--data", "20"], "--data 20: must be an integer ≥ 154"),
        (
            ["serve", "--target-out", "no/folder/x.toml"],
            "--target-out no/folder/x.toml: No such file or directory",
        ),
        (["verify", "none.zip"], "none.zip: No such file or directory"),
        (["challenge", "--key", "none.key"], "none.key: No such file or directory"),
        (
            ["registry", "rejudge", "."],
            ".: no submission in it; each is a folder with PRODUCT.toml",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_in_the_files_is_one_line(
    tmp_path: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 4, also where nothing could be checked: that is never green."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "odd.json").write_text(NOT_A_REPORT)
    (tmp_path / "empty.har").write_text(ARCHIVE)

    assert main(arguments) == 4
    expected = f"conformance {arguments[0]}: error: {message}\n"
    assert capsys.readouterr() == ("", expected)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "with workers"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--target", "target.toml"),
            "target.toml:1: credentials.primry is an unknown key: did you mean primary?",
        ),
        (
            ("--target", "absent.toml"),
            "absent.toml: cannot be read: No such file or directory: give the path of a profile",
        ),
        (("--base-url", "ftp://x"), f"--base-url is not an http or https URL: {REMEDY}"),
        (
            ("--reference", "--known-failures", "absent.toml"),
            "absent.toml: cannot be read: No such file or directory",
        ),
        (
            ("--base-url", DEAD),
            f"nothing responds at {DEAD}: ConnectError: [Errno 111] Connection refused",
        ),
    ],
    ids=["mistyped key", "no file", "no URL", "no known failures", "dead port"],
)
def test_a_target_that_cannot_be_checked_is_a_usage_error(
    tmp_path: Path, options: tuple[str, ...], message: str, workers: tuple[str, ...]
) -> None:
    """Exit code 4, the reason on standard error alone, and no report."""
    (tmp_path / "target.toml").write_text("[credentials.primry]\n")
    perform = conformance if workers else conformance_here
    ended = perform(tmp_path, "run", *options, *workers)
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
        ended.stderr == "conformance serve: error: "
        f"cannot serve on 127.0.0.1 port {port}: Address already in use\n"
    )


def test_an_internal_error_is_not_blamed_on_the_target(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3 and a traceback, here where a module of the package is missing."""
    monkeypatch.setitem(sys.modules, "conformance.commands.scenarios", None)
    assert main(["scenarios"]) == 3
    assert (
        "ModuleNotFoundError: import of conformance.commands.scenarios halted"
        in capsys.readouterr().err
    )


def test_any_command_can_be_interrupted(tmp_path: Path) -> None:
    """Exit code 2 and no traceback, while it reads from a server that does not respond."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        command = [*COMMAND, "diff", f"http://127.0.0.1:{silent.getsockname()[1]}/openapi.json"]
        with subprocess.Popen(
            command,
            cwd=tmp_path,
            env=surroundings(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            connection, _ = silent.accept()  # as soon as somebody reads
            running.send_signal(signal.SIGINT)
            output = running.communicate(timeout=60)
            connection.close()
    assert (running.returncode, *output) == (2, "", "")


def test_a_reader_may_leave_early(tmp_path: Path) -> None:
    """A closed pipe is not an error."""
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
