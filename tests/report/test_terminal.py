"""The report as lines for a terminal: how much of what is broken is told, and what is said of what could not be judged."""

from typing import Any

import pytest
from sample_reports import a_finding, a_report, an_entry, an_exchange

from conformance.contract.requirements import CLASSES
from conformance.report.console import terminal
from conformance.report.console.terminal import MOST_TOLD
from conformance.report.console.unchecked import MOST_REASONS


def told(*entries: dict[str, Any]) -> list[str]:
    """The lines of the report of a run of all classes, with these requirements."""
    report = a_report(*entries)
    report["suite"]["classes"] = list(CLASSES)
    return list(terminal.lines(report))


def undecided(
    id: str, *, message: str = "no record", needs: tuple[str, ...] = (), **members: Any
) -> dict[str, Any]:
    """A requirement that could not be judged, for a reason that an exchange shows."""
    return an_entry(
        id,
        "inconclusive",
        findings=[a_finding("inconclusive", message=message, needs=list(needs), **members)],
    )


def test_of_much_that_is_broken_the_rest_is_told_in_a_line_each() -> None:
    """The first ones with all that is known of them."""
    lines = told(*(an_entry(f"x/{number}", "fail") for number in range(MOST_TOLD + 2)))
    broken = [line for line in lines if line.startswith("BROKEN")]

    assert broken[0] == "BROKEN  x/0  on project_get"
    assert broken[MOST_TOLD:] == [
        f"BROKEN  x/{number}  The statement of x/{number}." for number in (MOST_TOLD, MOST_TOLD + 1)
    ]


def test_where_nothing_came_the_failure_is_told() -> None:
    """And nothing is said of what was expected where nothing in particular was."""
    exchange = {
        **an_exchange(),
        "curl": "curl http://x",
        "response": None,
        "failure": "ReadTimeout: timed out",
    }
    lines = told(an_entry("x/y", "fail", findings=[a_finding(expected="", exchanges=[exchange])]))

    assert lines[:6] == [
        "BROKEN  x/y  on project_get",
        "  promised   The statement of x/y.  (Project)",
        f"  found      {a_finding()['message']}  (3 times)",
        "  sent       curl http://x",
        "  came       no response: ReadTimeout: timed out",
        "",
    ]


def test_what_nothing_was_asked_for_waits_for_the_credential_that_asks() -> None:
    """Where there is no primary caller, what every answer has to keep was not shown for want of answers."""
    lines = told(
        undecided("x/1", needs=("credentials.primary",), exchanges=[]),
        undecided("response/json", exchanges=[]),
    )

    assert [line.split() for line in lines if line.startswith("  credentials.primary")] == [
        ["credentials.primary", "2", "on", "project_get:", "x/1;", "response/json"],
    ]


def test_of_many_reasons_the_rest_is_counted() -> None:
    """Those that were in the way of the most come first."""
    lines = told(
        *(
            undecided(f"x/{number}", message=f"reason {number}", needs=("data",))
            for number in range(MOST_REASONS + 2)
        )
    )

    assert "  … and 3 other reasons in report.json" in lines


@pytest.mark.parametrize(
    ("duration", "median", "workers", "is_told"),
    [
        (100.0, 0.05, 1, True),
        (100.0, 0.05, 4, False),
        (60.0, 0.05, 1, False),
        (100.0, 0.02, 1, False),
    ],
    ids=["slow answers", "four processes", "not long", "a slow pace"],
)
def test_a_long_run_that_waits_for_answers_is_told_what_would_make_it_shorter(
    duration: float, median: float, workers: int, is_told: bool
) -> None:
    """Where one process did it all, and no pace or limit was what it waited for."""
    report = a_report(
        duration=duration,
        latencies={"project_get": {"count": 1001, "median": median, "p95": median, "max": median}},
    )
    report["suite"]["workers"] = workers
    advice = "  most of that time went by waiting for answers: -n 4 shares the checks out to four processes"

    assert (advice in terminal.lines(report)) is is_told
