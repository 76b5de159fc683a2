"""The report as lines for a terminal: how many failures are shown, and what is not checked."""

import io
import shlex
from typing import Any

import pytest
from sample_reports import ID, a_finding, a_report, an_entry, an_exchange

from conformance.contract.requirements import CLASSES
from conformance.report import cases
from conformance.report.causes.location import Marks
from conformance.report.console import exchange, terminal
from conformance.report.console.failures import MOST_CAUSES
from conformance.report.console.screen import Screen
from conformance.report.console.unchecked import FEW_BLOCKERS
from conformance.report.formats import html


def lines_of(*entries: Any, show_all: bool = False) -> list[str]:
    """The lines of the report of a run of all classes, with these requirements."""
    report = a_report(*entries)
    report["suite"]["classes"] = list(CLASSES)
    return list(terminal.lines(report, Screen(show_all=show_all)))


def undecided(
    id: str, *, message: str = "no record", needs: tuple[str, ...] = (), **properties: Any
) -> Any:
    """A requirement that was not checked, for a reason that an exchange shows."""
    return an_entry(
        id,
        "inconclusive",
        findings=[a_finding("inconclusive", message=message, needs=list(needs), **properties)],
    )


def test_only_the_first_failures_are_shown_in_full() -> None:
    """The other failures get one line each."""
    lines = lines_of(*(an_entry(f"x/{number}", "fail") for number in range(MOST_CAUSES + 2)))
    failed = [line for line in lines if line.startswith("FAILED")]

    assert failed[0] == "FAILED  x/0  on project_get"
    assert failed[MOST_CAUSES : MOST_CAUSES + 2] == [
        f"FAILED  x/{number}  The statement of x/{number}."
        for number in (MOST_CAUSES, MOST_CAUSES + 1)
    ]


def test_each_failure_is_shown_in_full_where_all_is() -> None:
    """However many there are."""
    entries = [an_entry(f"x/{number}", "fail") for number in range(MOST_CAUSES + 2)]
    lines = lines_of(*entries, show_all=True)

    assert f"FAILED  x/{MOST_CAUSES + 1}  on project_get" in lines


def test_the_failed_requirements_stand_once_more_at_the_end() -> None:
    """One line each, in the width of the screen, with the place and the reason."""
    entries = [an_entry("x/1", "fail"), an_entry("x/longer", "fail")]

    assert lines_of(*entries)[-5:] == [
        "",
        "FAILED   x/1          project_get: the record has the property budget",
        "FAILED   x/longer     project_get: the record has the property budget",
        "WARNING  read/names   project_get: the record has the property budget",
        "ERROR    read/parent  project_get: the record has the property budget",
    ]


def test_a_finding_says_how_many_responses_violate_it_and_which_ids_are_from_the_profile() -> None:
    """Of the exchanges of a rule only the first is shown."""
    condition = {"caller": "primary", "scheme": "api-key", "face": "http", "ids": {ID: "fixtures"}}
    exchanges = [{**an_exchange(number), "curl": f"curl step-{number}"} for number in (1, 2)]
    found = a_finding(
        responses={"wrong": 9, "checked": 2412}, condition=condition, exchanges=exchanges
    )
    lines = lines_of(an_entry("x/1", "fail", findings=[found]))

    assert "  seen         in 9 of 2,412 responses" in lines
    assert f"  from profile {ID} is fixtures" in lines
    assert [line.strip() for line in lines if "curl step" in line] == ["curl step-1"]


def test_a_failure_says_when_it_was_complete_and_the_report_when_the_last_one_was() -> None:
    """In the terminal and on the page."""
    found = a_finding(complete={"request": 1312, "second": 2.06})
    report = a_report(an_entry("x/1", "fail", findings=[found]))
    report["needed-budget"] = {"failures": 1, "request": 1312, "second": 2.06}
    lines, page = list(terminal.lines(report)), html.render(report, [])
    needed = "1 failure complete after 1,312 of "

    assert "  complete     request 1,312, 2.1 s" in lines
    assert [line for line in lines if line.startswith(f"  {needed}")]
    assert "<dt>Complete</dt><dd>request 1,312, 2.1 s</dd>" in page
    assert needed in page


def test_a_report_says_when_its_first_failure_was_complete_as_well() -> None:
    """The last one alone would tell nobody how little a short run needs."""
    found = [a_finding(complete={"request": each, "second": each}) for each in (1312, 99, 500)]
    levels = ("must", "must", "should")
    entries = [
        an_entry(f"x/{each}", "fail", level=level, findings=[one])
        for each, (one, level) in enumerate(zip(found, levels, strict=True))
    ]
    report = a_report(*entries)
    report["needed-budget"] = {"failures": 3, "request": 1312, "second": 1312}
    text = " ".join(line.strip() for line in terminal.lines(report))

    assert "2 failures and 1 warning complete after 1,312 of " in text
    assert "; the first after 99" in text


def test_a_failure_says_whether_it_was_seen_again_and_how_to_see_it() -> None:
    """In the terminal, on the page and in the texts of test cases; the command is not broken."""
    again = "curl -sS -i -g https://api.example.com/v1/account --next -sS -i -g https://x"
    reproduction = {
        "outcome": "kept-connection",
        "seen": 2,
        "attempts": 3,
        "reason": "",
        "exchanges": [],
        "again": again,
    }
    entry = an_entry("x/1", "fail", findings=[a_finding(reproduction=reproduction)])
    lines = lines_of(entry)
    start = next(number for number, line in enumerate(lines) if line.startswith("  again"))
    texts = "".join(case.text for case in cases.cases(a_report(entry)))

    assert lines[start] == "  again        needs a kept connection: not seen on a fresh one"
    assert lines[start + 1].strip().startswith("curl -sS -i -g")
    assert "again: needs a kept connection" in texts
    assert again in texts
    assert "needs a kept connection" in html.render(a_report(entry), [])


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_screen_and_no_word_is_broken(width: int) -> None:
    """Commands and bodies are laid out by themselves: their arguments and values stay whole."""
    words = [f"word{number}" for number in range(60)]
    found = a_finding(message=" ".join(words), expected=" ".join(words))
    report = a_report(an_entry("x/1", "fail", findings=[found]))
    lines = list(terminal.lines(report, Screen(width)))

    whole = [line for line in lines if "curl" not in line and '"' not in line]
    assert max(map(len, whole)) <= width
    assert {word for line in whole for word in line.split() if word.startswith("word")} <= {
        *words,
        *(f"{word}…" for word in words),
        "word3…",
    }


def test_a_command_is_broken_between_its_arguments() -> None:
    """A shell reads the lines as one command."""
    text = "curl -sS 'http://x/v1/a b' -H 'content-type: application/json' --data-raw '{\"a\": 1}'"
    lines = exchange.command(text, 40)

    assert lines == [
        "curl -sS 'http://x/v1/a b' \\",
        "  -H 'content-type: application/json' \\",
        "  --data-raw '{\"a\": 1}'",
    ]
    assert shlex.split("\n".join(lines).replace("\\\n", "")) == shlex.split(text)


@pytest.mark.parametrize("width", range(36, 60))
def test_what_marks_a_line_is_not_broken(width: int) -> None:
    """It stands on a line of its own where it has no room."""
    headers = [["x-long-name", "v" * 30]]
    response = {"status": 200, "headers": headers, "body": None}
    sent = an_exchange() | {"curl": "curl", "response": response}
    lines = exchange.spans(sent, Marks(header="x-long-name"), width)
    shown = ["".join(text for text, _ in spans) for spans in lines]

    assert [line for line in shown if line.endswith("← here")]
    assert "".join(line.strip() for line in shown).count("v" * 30) == 1
    assert all("←" not in line or line.endswith("← here") for line in shown)


def test_a_posix_locale_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    """The symbols of the report have a substitute; texts of the target stay as they are."""
    monkeypatch.setenv("LC_ALL", "POSIX")
    screen = Screen.of(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    shown = list(terminal.lines(a_report(), screen))

    assert screen == Screen(is_ascii=True)
    assert "".join(shown).isascii()
    assert any("<- not allowed" in line for line in shown)


@pytest.mark.parametrize(("encoding", "is_ascii"), [("utf-8", False), ("latin-1", True)])
def test_an_encoding_other_than_utf_8_gets_ascii(
    monkeypatch: pytest.MonkeyPatch, encoding: str, is_ascii: bool
) -> None:
    """Whatever the locale."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert Screen.of(io.TextIOWrapper(io.BytesIO(), encoding=encoding)).is_ascii is is_ascii


def test_a_request_without_a_response_shows_the_failure() -> None:
    """A finding without an expectation has no such line."""
    exchange = {
        **an_exchange(),
        "curl": "curl http://x",
        "response": None,
        "failure": "ReadTimeout: timed out",
    }
    lines = lines_of(
        an_entry("x/y", "fail", findings=[a_finding(expected="", exchanges=[exchange])])
    )

    assert lines[:8] == [
        "FAILED  x/y  on project_get",
        "  requirement  The statement of x/y.  (Project)",
        f"  actual       {a_finding()['message']}",
        "  seen         by 3 checks",
        "  request      a read, as primary by api-key · read::test_it[project_get]#1",
        "               curl http://x",
        "  response     no response: ReadTimeout: timed out",
        "  check again  conformance run --only x/y,project_get --base-url \\",
    ]


def test_rules_need_the_credential_of_the_requests() -> None:
    """Without a primary caller, rules have no response to check."""
    lines = lines_of(
        undecided("x/1", needs=("credentials.primary",), exchanges=[]),
        undecided("response/json", exchanges=[]),
        show_all=True,
    )

    start = lines.index("  credentials.primary  2 requirements")
    assert lines[start + 1 : start + 4] == [
        "      [credentials.primary]",
        '      api-key = "${LOCALIZATION_API_KEY}"',
        "      on project_get: x/1, response/json",
    ]


def test_only_the_first_blockers_are_listed() -> None:
    """Blockers are ordered by their number of requirements; the others are counted."""
    entries = [
        undecided(f"x/{number}", message=f"reason {number}", needs=("data",))
        for number in range(FEW_BLOCKERS + 2)
    ]
    last = f"  reason {FEW_BLOCKERS + 1}  1 requirement"

    assert "  … and 3 other reasons in report.json" in lines_of(*entries)
    assert last not in lines_of(*entries)
    assert last in lines_of(*entries, show_all=True)
