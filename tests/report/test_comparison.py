"""Two reports compared: what got worse, what is known, and what is slower beyond doubt."""

import json
from pathlib import Path
from typing import Any

import pytest
from sample_reports import a_finding, a_report, an_entry

from conformance.__main__ import main
from conformance.report import comparison

THEN = {"count": 240, "median": 0.02, "p25": 0.018, "p75": 0.025, "p95": 0.03, "max": 0.04}
NOW = {"count": 232, "median": 0.041, "p25": 0.035, "p75": 0.05, "p95": 0.06, "max": 0.07}


def report(verdict: str = "pass", **properties: Any) -> Any:
    """A report with this verdict on x/y[project_get]."""
    finding = a_finding(verdict, **properties)
    findings = [] if verdict == "pass" else [finding]
    return a_report(an_entry("x/y", verdict, findings=findings))


def with_latency(**changes: Any) -> Any:
    """A report with response times."""
    return a_report(latencies={"project_list": {**NOW, **changes}})


def test_what_passed_and_is_not_checked_now_is_lost() -> None:
    """The reverse is not a fix: nothing failed."""
    forth = comparison.compare(report(), report("inconclusive"))
    back = comparison.compare(report("inconclusive"), report())

    assert forth.lost == ("x/y[project_get]",)
    assert (back.lost, back.mended) == ((), ())
    assert back.otherwise == ("x/y[project_get]: inconclusive, now pass",)


def test_what_passed_and_is_in_no_later_report_is_lost() -> None:
    """The later run may be one of other classes."""
    other = a_report(an_entry("y/z"))
    forth, back = comparison.compare(report(), other), comparison.compare(other, report())

    assert "x/y[project_get]" in forth.lost
    assert "x/y[project_get]: not in the report, now pass" in back.otherwise


def test_known_failures_and_gaps_do_not_count() -> None:
    """They are listed by themselves, as the later report marks them."""
    failed = report("fail", known="ticket 7")
    gap = report("inconclusive")
    gap["known-failures"] = {"unknown": [], "stale": [], "accepted": [["x/y", "project_get"]]}

    for later, verdict in ((failed, "fail"), (gap, "inconclusive")):
        found = comparison.compare(report(), later)
        assert (found.broke, found.lost) == ((), ())
        assert found.known == (f"x/y[project_get]: pass, now {verdict}",)


def test_other_observations_are_shown() -> None:
    """Their earlier and later values."""
    other = a_report()
    other["observations"][0]["values"] = ["something else"]

    assert comparison.compare(a_report(), other).observed == (
        "project_list: values of status: draft, 3, None, now something else",
    )


def test_slower_responses_are_shown_with_their_sample() -> None:
    """Three of four took longer than three of four did before."""
    before = a_report(latencies={"project_list": THEN})

    assert comparison.compare(before, with_latency()).slower == (
        "project_list: median 20.0 ms, half of 240 from 18.0 to 25.0 ms, "
        "now median 41.0 ms, half of 232 from 35.0 to 50.0 ms",
    )


@pytest.mark.parametrize(
    "changes",
    [{"count": 19}, {"p25": 0.024}, {"median": 0.029}],
    ids=["few responses", "overlapping halves", "little"],
)
def test_a_sample_that_shows_nothing_is_not_called_slower(changes: Any) -> None:
    """A few responses, or a difference within the usual spread, prove nothing."""
    before = a_report(latencies={"project_list": THEN})

    assert comparison.compare(before, with_latency(**changes)).slower == ()


def test_a_report_without_quartiles_shows_nothing() -> None:
    """Reports of older versions have none."""
    before = a_report(
        latencies={"project_list": {"count": 240, "median": 0.02, "p95": 0, "max": 0}}
    )

    assert comparison.compare(before, with_latency()).slower == ()


def test_a_file_of_known_gaps_excuses_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without it the exit code is 1."""
    names = []
    for name, document in (("before", report()), ("after", report("inconclusive"))):
        (tmp_path / name).write_text(json.dumps(document).replace("x/y", "read/success"))
        names.append(str(tmp_path / name))
    known = tmp_path / "known.toml"
    known.write_text('[[gap]]\nrequirement = "read/success"\nreason = "no data yet"\n')

    assert main(["compare", *names]) == 1
    assert "PASSED BEFORE, NOT CHECKED NOW\n  read/success[project_get]" in capsys.readouterr().out
    assert main(["compare", *names, "--known-failures", str(known)]) == 0
    assert "KNOWN FAILURES AND GAPS\n  read/success[project_get]" in capsys.readouterr().out
    assert main(["compare", *names, "--known-failures", str(tmp_path / "absent")]) == 4
