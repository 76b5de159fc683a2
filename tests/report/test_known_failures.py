"""Known failures: listed failures are excused, new failures and stale entries are not."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sample_reports import a_finding, a_report, an_entry

from conformance.report.known_failures import Known, KnownError, difference, load, mark

CATALOGUE = {"approval/replay": ("review_approve",), "read/success": ("account_get", "project_get")}
TODAY = date(2026, 11, 20)
REPLAY = Known("approval/replay", "review_approve", "tracked")


def file(tmp_path: Path, text: str) -> Path:
    """A file of known failures."""
    path = tmp_path / "known.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_entries_are_read(tmp_path: Path) -> None:
    """The operation and the last day are optional."""
    path = file(
        tmp_path,
        """
        [[known]]
        requirement = "approval/replay"
        operation = "review_approve"
        reason = "tracked"
        [[known]]
        requirement = "read/success"
        reason = "soon"
        expires = 2027-01-31
        """,
    )
    assert load(path, CATALOGUE) == (REPLAY, Known("read/success", None, "soon", date(2027, 1, 31)))


def test_a_file_without_entries_has_no_known_failures(tmp_path: Path) -> None:
    """An empty file is not the same as a missing file."""
    assert load(file(tmp_path, ""), CATALOGUE) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[known]]\nrequirement = "approval/replay"', "has no reason"),
        ('[[known]]\nreason = "x"', "has no requirement"),
        (
            '[[known]]\nrequirement = "approval/repaly"\nreason = "x"',
            "names an unknown requirement",
        ),
        (
            '[[known]]\nrequirement = "approval/replay"\noperation = "account_get"\nreason = "x"',
            "is not an operation of approval/replay",
        ),
        ('[[known]]\nrequirement = "approval/replay"\nreason = " "', "is blank"),
        (
            '[[known]]\nrequirement = "approval/replay"\nreason = "x"\nexpires = "soon"',
            "expires is a string",
        ),
        (
            '[[known]]\nrequirement = "approval/replay"\nraeson = "x"\nreason = "x"',
            "did you mean reason?",
        ),
        ('known = "all of them"', "must be an array of tables"),
        ('known = ["all of them"]', "must be a table, not a string"),
        ("[[known]", "invalid TOML"),
    ],
)
def test_problems_are_reported(text: str, message: str, tmp_path: Path) -> None:
    """The message has the key and its valid values."""
    with pytest.raises(KnownError, match=re.escape(message)):
        load(file(tmp_path, text), CATALOGUE)


def test_problems_are_reported_with_its_line(tmp_path: Path) -> None:
    """It is the line of the key, or that of the table if the key is missing."""
    first = '[[known]]\nrequirement = "approval/replay"\nreason = "x"\n'
    text = f'{first}\n[[known]]\nreason = "x"\noperation = 7\n'
    with pytest.raises(KnownError) as raised:
        load(file(tmp_path, text), CATALOGUE)
    assert [
        (problem.rpartition("known.toml:")[2].split(" ")[:2])
        for problem in str(raised.value).splitlines()
    ] == [
        ["7:", "known[1].operation"],
        ["5:", "known[1]"],
    ]


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    """The message has the name of the file."""
    with pytest.raises(KnownError, match=r"nowhere\.toml"):
        load(tmp_path / "nowhere.toml", CATALOGUE)


def test_a_listed_failure_is_known() -> None:
    """There are no other differences."""
    assert difference([REPLAY], [("approval/replay", "review_approve")], TODAY).unknown == ()


def test_an_unlisted_failure_is_new() -> None:
    """Another operation of a listed requirement is new too."""
    failing = [("approval/replay", "review_approve"), ("read/success", "account_get")]
    known = Known("read/success", "project_get", "tracked")
    assert difference([REPLAY, known], failing, TODAY).unknown == (("read/success", "account_get"),)


def test_an_entry_without_an_operation_covers_all() -> None:
    """It covers all operations of its requirement."""
    failing = [("read/success", "account_get"), ("read/success", "project_get")]
    assert difference([Known("read/success", None, "tracked")], failing, TODAY).unknown == ()


def test_an_entry_that_passes_is_stale() -> None:
    """A stale entry would hide the next failure."""
    assert difference([REPLAY], [], TODAY).stale == ((REPLAY, "no longer fails"),)


@pytest.mark.parametrize(("day", "stale"), [(TODAY, 0), (date(2026, 11, 19), 1)])
def test_an_entry_ends_with_its_last_day(day: date, stale: int) -> None:
    """On that day the entry applies; afterwards the failure is new."""
    entry = Known("approval/replay", None, "tracked", day)
    changes = difference([entry], [("approval/replay", "review_approve")], TODAY)
    assert (len(changes.stale), len(changes.unknown)) == (stale, stale)


def stale(entry: Known, found: Any, **properties: Any) -> list[str]:
    """What a run with one requirement says of an entry."""
    report = a_report(found, **properties)
    report["requirements"] = [found]
    mark(report, [entry], TODAY)
    return [each["problem"] for each in report["known-failures"]["stale"]]


FIXED = ["no longer fails"]
HALF = an_entry("x/y", "inconclusive")
"""It passes on one operation, and could not be checked on another."""


@pytest.mark.parametrize(
    ("entry", "found", "problems"),
    [
        (Known("x/y", None, "r"), an_entry("x/y"), FIXED),
        (Known("x/y", None, "r"), HALF, []),
        (Known("x/y", "project_get", "r"), HALF, []),
        (Known("x/y", "project_list", "r"), HALF, FIXED),
        (Known("x/y", None, "r"), an_entry("x/y", "inconclusive", operations={}), []),
        (Known("x/y", None, "r"), an_entry("x/y", "error", operations={}), []),
        (Known("x/y", None, "r"), an_entry("x/y", operations={}), FIXED),
        (Known("x/y", None, "r", flaky="3 of 10"), an_entry("x/y"), []),
        (Known("x/z", None, "r"), an_entry("x/y"), []),
    ],
)
def test_only_what_was_checked_is_fixed(entry: Known, found: Any, problems: list[str]) -> None:
    """A run that could not check it says nothing, nor does a pass of what is flaky."""
    assert stale(entry, found) == problems


def test_a_flaky_entry_expires_too() -> None:
    """Whatever the run has seen."""
    entry = Known("x/y", None, "r", date(2026, 11, 19), flaky="3 of 10")
    assert stale(entry, an_entry("x/y")) == ["expired on 2026-11-19"]


def test_a_finding_has_the_reason_of_the_entry_that_applies() -> None:
    """Not that of an expired one; and how often it fails, where it is flaky."""
    expired = Known("x/y", None, "old", date(2026, 11, 19))
    found = an_entry("x/y", "fail", findings=[a_finding()])
    report = a_report(found)
    mark(report, [expired, Known("x/y", None, "new", flaky="1 of 2")], TODAY)

    assert (found["findings"][0]["known"], found["findings"][0]["flaky"]) == ("new", "1 of 2")


def test_an_entry_of_an_older_version_is_not_flaky() -> None:
    """Journals and run.json had no such key."""
    stated = {"requirement": "x/y", "operation": None, "reason": "r", "is_gap": False}
    assert Known.recorded({**stated, "expires": None}) == Known("x/y", None, "r")
    later = Known.recorded({**stated, "expires": "2026-11-19", "flaky": "1 of 2"})
    assert later == Known("x/y", None, "r", date(2026, 11, 19), flaky="1 of 2")
