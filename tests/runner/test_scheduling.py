"""How checks are distributed: those that approve reviews run in one worker."""

import re
from pathlib import Path

import pytest
from live_server import instance
from test_plugin import report_of, run_suite

from conformance.reference import Reference
from conformance.reference.target import toml
from conformance.report.document import is_checked
from conformance.runner import scheduling
from conformance.runner.collection import SUITE
from conformance.runner.items import stage_of
from conformance.runner.scheduling import Stage


class Collected:
    """A plugin that stores the items that pytest collects."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the items after pytest has resolved their fixtures."""
        self.items = list(session.items)


@pytest.fixture(scope="module")
def items() -> list[pytest.Item]:
    """All checks of the suite."""
    collected = Collected()
    assert (
        pytest.main(["-q", "-p", "no:cacheprovider", "--collect-only", str(SUITE)], [collected])
        == 0
    )
    return collected.items


def test_a_check_spends_reviews_if_it_has_a_fixture_that_approves(
    items: list[pytest.Item],
) -> None:
    """All other checks run in any worker, and side by side where there are none."""
    selected = {item.nodeid for item in items if scheduling.spends(item.nodeid)}
    approving = set()
    for item in items:
        case = item.callspec.params if hasattr(item, "callspec") else {}
        operation = getattr(case.get("operation"), "id", case.get("operation"))
        given = scheduling.SPENDING.intersection(getattr(item, "fixturenames", ()))
        if given and operation in (None, "review_approve"):
            approving.add(item.nodeid)

    assert selected == approving
    assert {
        nodeid for nodeid in approving if not scheduling.spends(f"::{nodeid.partition('::')[2]}")
    } == set()
    stages = {item.nodeid: stage_of(item) for item in items if isinstance(item, pytest.Function)}
    alone = {nodeid for nodeid, stage in stages.items() if stage is Stage.ALONE}
    asking = {nodeid for nodeid, stage in stages.items() if stage is Stage.ASKS}
    assert {nodeid.rpartition("/")[2].partition("::")[0] for nodeid in asking} == {"test_access.py"}
    looking_back = {nodeid for nodeid, stage in stages.items() if stage is Stage.LOOKS_BACK}
    assert {nodeid.rpartition("::")[2].partition("[")[0] for nodeid in looking_back} == {
        "test_a_replay_well_after_repeats_the_result",
        "test_every_result_has_a_revision_of_its_review",
        "test_every_result_is_that_of_its_review_approved",
        "test_no_earlier_way_shows_the_former_state",
        "test_no_earlier_call_shows_the_former_state",
    }
    waiting = {nodeid for nodeid, stage in stages.items() if stage is Stage.WAITS}
    assert {nodeid.rpartition("::")[2] for nodeid in waiting} == {
        "test_a_cursor_that_is_used_later_leaves_nothing_out",
        "test_a_cursor_that_is_used_later_repeats_nothing",
    }
    assert {id for id, stage in stages.items() if stage is Stage.APPROVES} == (
        approving - alone - asking - looking_back - waiting
    )
    assert {nodeid.rpartition("/")[2].partition("::")[0] for nodeid in alone} == {
        "test_limits.py",
        "test_limits_body.py",
    }
    assert len(approving) > 40
    assert len(items) > 3 * len(approving)


def test_checks_of_pagination_run_in_the_same_worker(items: list[pytest.Item]) -> None:
    """So do checks of grants in lists; other checks of authorization run in any worker."""
    selected = {item.nodeid for item in items if scheduling.paginates(item.nodeid)}
    marks = [item.get_closest_marker("requirement") for item in items if item.nodeid in selected]
    requirements = {mark.args[0] for mark in marks if mark is not None}

    assert {id for id in requirements if not id.startswith("pagination/")} == {
        "authorization/lists"
    }
    assert {"pagination/once", "pagination/filter"} < requirements
    both = {nodeid for nodeid in selected if scheduling.spends(nodeid)}
    # The matrix of access approves as well, and lists are read again after the approvals.
    assert {nodeid.rpartition("::")[2] for nodeid in both} == {
        "test_a_cursor_that_is_used_later_leaves_nothing_out",
        "test_a_cursor_that_is_used_later_repeats_nothing",
        "test_a_filter_still_returns_approved_reviews",
        "test_lists_show_the_outsider_nothing_of_primary",
        "test_what_was_listed_is_still_listed",
    }
    distribution = scheduling.Distribution.__new__(scheduling.Distribution)
    assert {distribution._split_scope(nodeid) for nodeid in both} == {scheduling.SPENDERS}
    assert {distribution._split_scope(nodeid) for nodeid in selected - both} == {
        scheduling.PAGINATORS
    }


@pytest.mark.parametrize(
    "nodeid",
    ["tests/test_theirs.py::test_one", "suite/test_approval.py::test_of_an_earlier_version[a-b]"],
)
def test_a_test_outside_the_suite_runs_in_any_worker(nodeid: str) -> None:
    """A run may collect a vendor's own tests beside the checks."""
    assert not scheduling.spends(nodeid)
    assert not scheduling.paginates(nodeid)


def test_workers_do_not_spend_the_same_reviews(tmp_path: Path) -> None:
    """Only one of four workers approves, and the verdicts are those of one process.

    Most checks that approve belong to two classes; how all are scheduled is tested above.
    """
    with instance(Reference()) as profile:
        (tmp_path / "target.toml").write_text(toml(profile), encoding="utf-8")
        completed = run_suite(
            tmp_path / "report",
            "--target",
            str(tmp_path / "target.toml"),
            *("--depth", "standard"),
            *("--conformance-class", "approval", "--conformance-class", "authorization"),
            "-n",
            "4",
            "-v",
            "-v",
        )
    places = re.findall(r"^\[(gw\d)\] .*?PASSED.*? (\S+::.+?) *$", completed.stdout, re.MULTILINE)
    spending = {worker for worker, nodeid in places if scheduling.spends(nodeid)}

    assert completed.returncode == 0, completed.stdout[-3000:]
    assert len({worker for worker, _ in places}) == 4
    assert len(spending) == 1
    report = report_of(tmp_path / "report")
    assert report["verdict"] == "conformant"
    counted = [entry for entry in report["requirements"] if is_checked(entry)]
    assert {entry["verdict"] for entry in counted} == {"pass"}
