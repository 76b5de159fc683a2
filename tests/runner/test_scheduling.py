"""How checks are distributed: those that approve reviews run in one worker."""

import re
from pathlib import Path

import pytest
from live_server import instance
from test_plugin import judge, report_of

from conformance.reference import Reference
from conformance.reference.target import toml
from conformance.runner import scheduling
from conformance.runner.collection import SUITE


class Collected:
    """What pytest collects, as a plugin of its run sees it."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the items, whose fixtures pytest has worked out."""
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


def test_the_checks_that_spend_are_those_with_a_fixture_that_approves(
    items: list[pytest.Item],
) -> None:
    """Directly or through another fixture; all other checks run anywhere."""
    selected = {item.nodeid for item in items if scheduling.spends(item.nodeid)}
    found = set()
    for item in items:
        case = item.callspec.params if hasattr(item, "callspec") else {}
        operation = getattr(case.get("operation"), "id", case.get("operation"))
        if "approvals" in getattr(item, "fixturenames", ()) and operation in (
            None,
            "review_approve",
        ):
            found.add(item.nodeid)

    assert selected == found
    assert {
        nodeid for nodeid in found if not scheduling.spends(f"::{nodeid.partition('::')[2]}")
    } == set()
    assert len(found) > 40
    assert len(items) > 3 * len(found)


def test_the_checks_that_walk_lists_stay_together(items: list[pytest.Item]) -> None:
    """Those of pagination and of grants in lists; other checks of authorization run anywhere."""
    selected = {item.nodeid for item in items if scheduling.walks(item.nodeid)}
    marks = [item.get_closest_marker("requirement") for item in items if item.nodeid in selected]
    requirements = {mark.args[0] for mark in marks if mark is not None}

    assert {id for id in requirements if not id.startswith("pagination/")} == {
        "authorization/lists"
    }
    assert {"pagination/once", "pagination/filter"} < requirements
    assert not [nodeid for nodeid in selected if scheduling.spends(nodeid)]


@pytest.mark.parametrize(
    "nodeid",
    ["tests/test_theirs.py::test_one", "suite/test_approval.py::test_of_an_earlier_version[a-b]"],
)
def test_a_test_that_the_suite_does_not_have_runs_anywhere(nodeid: str) -> None:
    """A run may collect a vendor's own tests beside the checks."""
    assert not scheduling.spends(nodeid)
    assert not scheduling.walks(nodeid)


def test_workers_do_not_spend_each_others_reviews_of_one_target(tmp_path: Path) -> None:
    """Four workers get the verdicts of one process, and only one of them approves."""
    with instance(Reference()) as profile:
        (tmp_path / "target.toml").write_text(toml(profile), encoding="utf-8")
        done = judge(
            tmp_path / "report",
            "--target",
            str(tmp_path / "target.toml"),
            "--depth",
            "quick",
            "-n",
            "4",
            "-v",
            "-v",
        )
    places = re.findall(r"^\[(gw\d)\] .*?PASSED.*? (\S+::.+?) *$", done.stdout, re.MULTILINE)
    spending = {worker for worker, nodeid in places if scheduling.spends(nodeid)}

    assert done.returncode == 0, done.stdout[-3000:]
    assert len({worker for worker, _ in places}) == 4
    assert len(spending) == 1
    report = report_of(tmp_path / "report")
    assert report["verdict"] == "conformant"
    tested = [entry for entry in report["requirements"] if "untested" not in entry]
    assert {entry["verdict"] for entry in tested} == {"pass"}
