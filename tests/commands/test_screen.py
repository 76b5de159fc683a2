"""The screen of a run: the bar, the findings and the verdict."""

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from process import COMMAND, report, surroundings
from sample_reports import a_finding, a_report, an_entry, an_exchange

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.commands.progress import RunDisplay
from conformance.report.console import line, terminal
from conformance.runner import examination, pytest_run

SERVERS = 'document["servers"] = [{"url": base_url}]'
OLDER = Edit("description", SERVERS, f'{SERVERS}; document["openapi"] = "3.2.0"')
SEQUENCE = "\x1b["


def on_a_terminal(directory: Path, *arguments: str, **environment: str) -> str:
    """The output of a command on a terminal."""
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
    except OSError:  # Linux raises it once the last writer has left
        return b""


@pytest.mark.parametrize(
    ("environment", "colour"), [({}, True), ({"NO_COLOR": "1"}, False)], ids=["colours", "NO_COLOR"]
)
def test_a_bar_shows_the_progress_on_a_terminal(
    tmp_path: Path, environment: dict[str, str], *, colour: bool
) -> None:
    """With the class and the request rate; the verdict is green unless NO_COLOR is set."""
    output = on_a_terminal(tmp_path, "run", "--class", "limits", **environment)
    verdict = next(each for each in output.splitlines() if "CONFORMANT" in each)
    assert re.search(r"limits .*/\d+.* \d+ requests?, \d+/s", output)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output).replace("\r", "\n")
    assert re.search(r" left (\d+:\d+:\d+|-:--:--)", text)
    assert re.search(r"^limits +\d+ checks: ", text, re.MULTILINE)
    assert (f"{SEQUENCE}1;32m" in verdict) is colour


@pytest.mark.parametrize(("edits", "code"), [((), 0), ((OLDER,), 1)], ids=["passes", "fails"])
def test_a_reader_that_leaves_does_not_change_the_exit_code(
    tmp_path: Path, edits: tuple[Edit, ...], code: int
) -> None:
    """As in `conformance run | head`: the verdict is in the report and in the exit code."""
    reader, writer = os.pipe()
    os.close(reader)
    options = pytest_run.options(tmp_path, "standard", 1, ["description"])
    package = altered.load(edits)
    with os.fdopen(writer, "w", encoding="utf-8") as stream:
        display = RunDisplay(stream, tmp_path)
        made = examination.Substitute(lambda: examination.in_process(package))
        assert display.close(pytest_run.execute(options, [display, made])) == code
    assert report(tmp_path, ".")["verdict"] == ("non-conformant" if code else "conformant")


def test_the_steps_of_a_finding_are_shown_in_order() -> None:
    """At most three exchanges, request and response: the decisive one, and those before it."""
    steps = [
        {**an_exchange(number, status=200 + number), "curl": f"curl -sS step-{number}"}
        for number in range(1, 5)
    ]
    output = list(
        terminal.lines(
            a_report(
                an_entry("approval/stale-revision", "fail", findings=[a_finding(exchanges=steps)])
            )
        )
    )
    commands = [line.strip() for line in output if "curl -sS step-" in line]
    statuses = [line[15:18] for line in output if line.startswith("  response ")]

    assert commands == ["curl -sS step-4", "curl -sS step-3", "curl -sS step-2"]
    assert statuses[:3] == ["204", "203", "202"]


def test_invisible_characters_are_escaped_on_the_terminal() -> None:
    """Control characters, direction marks and lone surrogates; other characters stay."""
    hostile = "a\x1b[2J\r\n\u202eb\u200b\ud800\x9b é [red]日"
    assert line.visible([(hostile, "bad")]) == [
        ("a\\u001b[2J\\r\\n\\u202eb\\u200b\\ud800\\u009b é [red]日", "bad")
    ]


def test_a_finding_is_printed_whole(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """Requirement, finding, expectation, request, response, other defects and operations."""
    document = report(finished[0])
    failed = next(entry for entry in document["requirements"] if entry["id"] == "error/code")
    exchange = {
        **an_exchange(),
        "curl": "curl 'http://x/v1/account'",
        "response": {
            "status": 404,
            "headers": [],
            "body": {"text": '{\n  "code": "\x1b[31m"\n}'},
        },
    }
    found = {
        "verdict": "fail",
        "operation": "account_get",
        "message": "code is 7",
        "expected": "a string",
        "needs": [],
        "items": ["x"],
        "occurrences": 2,
        "exchanges": [exchange],
    }
    others = [
        {**found, "operation": "video_get"},
        *({**found, "message": f"{number} is null"} for number in range(7)),
    ]
    failed.update(verdict="fail", findings=[found, *others])
    document["verdict"] = "non-conformant"
    output = list(terminal.lines(document))
    assert output[:14] == [
        "FAILED  error/code  on account_get",
        f"  requirement  {failed['statement']}  (Errors)",
        "  actual       code is 7",
        "  expected     a string",
        "  seen         by 2 checks",
        "  request      a read, as primary by api-key · read::test_it[project_get]#1",
        "               curl 'http://x/v1/account'",
        "  response     404 Not Found",
        "               {",
        '                 "code": "\\u001b[31m"',
        "               }",
        "  also         0 is null; 1 is null; 2 is null; 3 is null; 4 is null; 2 more; on",
        "               video_get (details in report.json)",
        "  check again  conformance run --only error/code,account_get",
    ]
    assert "NON-CONFORMANT: the target violates the contract" in output


def test_a_known_failure_is_one_line(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """Without evidence; a stale entry is named beside the verdict."""
    document = report(finished[0])
    failed = next(entry for entry in document["requirements"] if entry["id"] == "error/code")
    found = {
        "verdict": "fail",
        "operation": "account_get",
        "known": "ticket 7",
        "message": "",
        "needs": [],
        "exchanges": [],
    }
    failed.update(verdict="fail", findings=[found])
    stale = {"requirement": "error/title", "operation": None, "problem": "no longer fails"}
    document.update(
        {"verdict": "non-conformant", "known-failures": {"unknown": [], "stale": [stale]}}
    )
    output = list(terminal.lines(document))
    assert output[:2] == ["KNOWN  error/code  on account_get: ticket 7", ""]
    assert [each for each in output if each.startswith(("  the failures", "  outdated"))] == [
        "  the failures differ from the known failures",
        "  outdated entry  error/title: no longer fails",
    ]
    failed["findings"] = [found | {"flaky": "3 of 10"}]
    flaky = "FLAKY  error/code  on account_get, fails in 3 of 10: ticket 7"
    assert next(iter(terminal.lines(document))) == flaky
    document["known-failures"]["stale"] = []
    assert next(each for each in terminal.lines(document) if each.startswith("NON")) == (
        "NON-CONFORMANT, as is known: each failure is a known failure, and none fails"
    )
