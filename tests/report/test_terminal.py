"""The report as lines for a terminal: how many failures are shown, and what is not checked."""

from typing import Any

import pytest
from sample_reports import a_finding, a_report, an_entry, an_exchange

from conformance.contract.requirements import CLASSES
from conformance.report.console import terminal
from conformance.report.console.failures import MOST_CAUSES
from conformance.report.console.unchecked import MOST_BLOCKERS


def lines_of(*entries: Any) -> list[str]:
    """The lines of the report of a run of all classes, with these requirements."""
    report = a_report(*entries)
    report["suite"]["classes"] = list(CLASSES)
    return list(terminal.lines(report))


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
    assert failed[MOST_CAUSES:] == [
        f"FAILED  x/{number}  The statement of x/{number}."
        for number in (MOST_CAUSES, MOST_CAUSES + 1)
    ]


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

    assert lines[:6] == [
        "FAILED  x/y  on project_get",
        "  requirement  The statement of x/y.  (Project)",
        f"  actual       {a_finding()['message']}  (3 times)",
        "  request      curl http://x",
        "  response     no response: ReadTimeout: timed out",
        "",
    ]


def test_rules_need_the_credential_of_the_requests() -> None:
    """Without a primary caller, rules have no response to check."""
    lines = lines_of(
        undecided("x/1", needs=("credentials.primary",), exchanges=[]),
        undecided("response/json", exchanges=[]),
    )

    start = lines.index("  credentials.primary  2 requirements")
    assert lines[start + 1] == "      on project_get: x/1, response/json"


def test_only_the_first_blockers_are_listed() -> None:
    """Blockers are ordered by their number of requirements; the others are counted."""
    lines = lines_of(
        *(
            undecided(f"x/{number}", message=f"reason {number}", needs=("data",))
            for number in range(MOST_BLOCKERS + 2)
        )
    )

    assert "  … and 3 other reasons in report.json" in lines


@pytest.mark.parametrize(
    ("duration", "median", "workers", "expected"),
    [
        (100.0, 0.05, 1, True),
        (100.0, 0.05, 4, False),
        (60.0, 0.05, 1, False),
        (100.0, 0.02, 1, False),
    ],
    ids=["slow responses", "four processes", "not long", "a low rate"],
)
def test_a_long_run_with_slow_responses_is_advised_to_use_processes(
    duration: float, median: float, workers: int, expected: bool
) -> None:
    """The advice is given for one process without a request rate."""
    report = a_report(
        duration=duration,
        latencies={"project_get": {"count": 1001, "median": median, "p95": median, "max": median}},
    )
    report["suite"]["workers"] = workers
    advice = "  most of the time passed in waiting for responses: -n 4 uses four processes"

    assert (advice in terminal.lines(report)) is expected
