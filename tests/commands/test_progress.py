"""The face of a run: what reaches the screen, and the exit code, where a run ends in another way than by its verdict."""

import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

from conformance import reference
from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.commands.progress import RunDisplay
from conformance.commands.run import Stop, Stopped
from conformance.runner import examination, pytest_run

SERVERS = 'document["servers"] = [{"url": base_url}]'
OLDER = Edit("description", SERVERS, f'{SERVERS}; document["openapi"] = "3.2.0"')

UNCHALLENGED = Edit("errors", """, {"WWW-Authenticate": 'Bearer realm="localization"'}""", "")


def run(directory: Path, *plugins: object, judging: str = "description") -> int:
    """The exit code of a quick run of one class in this process, with these plugins beside its face."""
    display = RunDisplay(sys.stdout, directory)
    options = pytest_run.options(directory, "quick", 1, [judging])
    return display.close(pytest_run.execute(options, [display, *plugins]))


def judged(package: ModuleType) -> examination.Substitute:
    """A reference in the place of the bundled one."""
    return examination.Substitute(lambda: examination.in_process(package))


class Unreadable:
    """A suite with a file that cannot be read."""

    def pytest_pycollect_makemodule(self, module_path: Path) -> None:
        """Say so in the place of pytest."""
        if module_path.name == "test_limits.py":
            raise pytest.Collector.CollectError("test_limits.py is cut off")


def test_a_check_that_cannot_be_read_is_a_mistake_of_the_checker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3, and the reason; pytest would call it an interruption."""
    assert run(tmp_path, Unreadable()) == 3
    assert "conformance run: error: test_limits.py is cut off\n" in capsys.readouterr().err


def test_whom_nobody_told_to_stop_is_not_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that something in it ends is the checker's mistake as well."""

    class Ending:
        def pytest_runtest_setup(self) -> None:
            pytest.exit("that is enough")

    assert run(tmp_path, Ending()) == 3
    assert "conformance run: error: that is enough\n" in capsys.readouterr().err


def test_a_run_begins_no_check_once_it_was_told_to_stop(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Although what the signal raised was lost, as Python loses it within a callback of its own."""
    stop, begun = Stop(), []

    class Callback:
        def pytest_collection_finish(self) -> None:
            with suppress(Stopped):
                stop(2, None)

        def pytest_runtest_call(self) -> None:
            begun.append("a check")

    assert run(tmp_path, stop, Callback()) == 2
    assert (begun, "INTERRUPTED: nothing was broken until then" in capsys.readouterr().out) == (
        [],
        True,
    )


def test_properties_of_other_plugins_are_no_records(tmp_path: Path) -> None:
    """Where plain pytest runs the suite, they may label items as they like."""

    class Labelling:
        def pytest_runtest_setup(self, item: pytest.Item) -> None:
            item.user_properties.append(("team", "video"))

    options = pytest_run.options(tmp_path, "quick", 1, ["description"])
    assert pytest_run.execute(options, [Labelling(), judged(reference)]) == 0


def test_a_should_that_is_broken_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It fails neither the check nor the run."""
    outcomes = []

    class Listener:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.when == "call" and report.outcome != "passed":
                outcomes.append((report.outcome, report.wasxfail))

    silent = altered.load([UNCHALLENGED])
    assert run(tmp_path, judged(silent), Listener(), judging="authentication") == 0
    assert {outcome for outcome, _ in outcomes} == {"skipped"}
    assert {told.partition(":")[0] for _, told in outcomes} == {"should"}
    assert f"{len(outcomes)} warning; " in capsys.readouterr().out


@pytest.mark.parametrize("summary", [True, False])
def test_on_github_what_is_broken_is_annotated(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    summary: bool,
) -> None:
    """After the verdict; the summary is written where GitHub names a file for it."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    if summary:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))

    assert run(tmp_path / "report", judged(altered.load([OLDER]))) == 1
    after = capsys.readouterr().out.partition("\nNON-CONFORMANT")[2].splitlines()
    assert [line.rpartition("::")[0] for line in after if line.startswith("::")] == [
        "::error title=description/version"
    ]
    assert (tmp_path / "summary.md").exists() is summary
