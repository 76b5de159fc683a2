"""What `certify` and `verify` say of a certificate before anything else."""

import json
from types import SimpleNamespace

import pytest

from conformance.commands.certification import text
from conformance.commands.certification.replay_progress import ReplayProgress
from conformance.target.target import Limits


def test_warnings_and_gaps_of_the_data_are_prominent() -> None:
    """Whoever reads of a pass has to know what was not exercised, and which should failed."""
    observed = {"id": "observe/data", "subject": "video_list: no tie", "values": ["two records"]}

    assert list(text.shortcomings({"warned": ["a/b", "c/d"]}, {"observations": [observed]})) == [
        "WARNINGS: 2 requirements of the level should failed: a/b, c/d",
        "NOT EXERCISED, since the data that was read has none of it:",
        "  video_list: no tie",
    ]


def test_a_certificate_without_either_says_nothing_of_them() -> None:
    """No heading without content."""
    assert list(text.shortcomings({"warned": []}, {"observations": []})) == []


def test_a_replay_shows_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """It takes as long as a run: its checks are counted, apart from the result."""
    progress = ReplayProgress()
    progress.pytest_collection_finish(SimpleNamespace(items=[]))  # type: ignore[arg-type]
    fact = {"item": "fact::pages", "exchanges": 3}
    check = {
        "item": "read::one",
        "exchanges": 2,
        "findings": [{"requirement": "read/absent", "verdict": "pass"}],
    }
    for record in (fact, check):
        progress.pytest_conformance_ended(json.dumps(record))
    progress.pytest_unconfigure()

    assert progress.tally.done.total() == 1
    assert progress.tally.requests().startswith("5 recorded exchanges, ")
    assert capsys.readouterr().out == ""


def test_a_profile_that_lets_reads_lag_for_long_is_named() -> None:
    """A vendor states that in a profile; whoever verifies reads no profile."""
    assert list(text.allowances(Limits())) == []
    assert list(text.allowances(Limits(lag=2.0))) == []
    (line,) = text.allowances(Limits(lag=600.0))
    assert line.startswith("READS MAY LAG 600 s, as the profile says, in place of 5 s")
