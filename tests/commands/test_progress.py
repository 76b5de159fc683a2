"""The display of a run where it ends otherwise than by its verdict."""

import asyncio
import io
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import live_server
import pytest

from conformance import reference
from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.commands.display import Lines, Terminal
from conformance.commands.outcome import Stopped
from conformance.commands.progress import RunDisplay
from conformance.commands.stop import Stop
from conformance.commands.tally import Tally
from conformance.reference.target import toml
from conformance.runner import examination, pytest_run

SERVERS = 'document["servers"] = [{"url": base_url}]'
OLDER = Edit("description", SERVERS, f'{SERVERS}; document["openapi"] = "3.2.0"')

UNCHALLENGED = Edit("errors", """, {"WWW-Authenticate": 'Bearer realm="localization"'}""", "")


REPORTED = ("-p", "no:conformance.runner.unreported")
"""pytest reports each check, as it does under plain pytest."""


def run(
    directory: Path, *plugins: object, judging: str = "description", more: Sequence[str] = ()
) -> int:
    """The exit code of a quick run of one class in this process, with these plugins."""
    display = RunDisplay(sys.stdout, directory)
    options = [*pytest_run.options(directory, "standard", 1, [judging]), *more]
    return display.close(pytest_run.execute(options, [display, *plugins]))


def substitute(package: ModuleType) -> examination.Substitute:
    """A plugin that checks this reference instead of the bundled one."""
    return examination.Substitute(lambda: examination.in_process(package))


class Unreadable:
    """A suite with a file that cannot be imported."""

    def pytest_pycollect_makemodule(self, module_path: Path) -> None:
        """Raise as pytest would."""
        if module_path.name == "test_limits.py":
            raise pytest.Collector.CollectError("test_limits.py is cut off")


def test_a_check_that_cannot_be_imported_is_an_internal_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3, and the reason; pytest alone would call it an interruption."""
    assert run(tmp_path, Unreadable()) == 3
    assert "conformance run: error: test_limits.py is cut off\n" in capsys.readouterr().err


def test_a_run_that_ends_by_itself_is_not_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plugin that exits is an internal error as well."""

    class Ending:
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_protocol(self) -> None:
            pytest.exit("that is enough")

    assert run(tmp_path, Ending()) == 3
    assert "conformance run: error: that is enough\n" in capsys.readouterr().err


def test_a_stopped_run_begins_no_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Although Python loses the exception of a signal within its own callbacks."""
    stop, begun = Stop((), workers=None), []

    class Callback:
        def pytest_collection_finish(self) -> None:
            with suppress(Stopped):
                stop(2, None)

        def pytest_conformance_ended(self) -> None:
            begun.append("a check")

    assert run(tmp_path, stop, Callback()) == 2
    assert (begun, "INTERRUPTED: nothing failed so far" in capsys.readouterr().out) == (
        [],
        True,
    )


def test_properties_of_other_plugins_are_ignored(tmp_path: Path) -> None:
    """Under plain pytest they may add any user property."""

    class Labelling:
        def pytest_runtest_setup(self, item: pytest.Item) -> None:
            item.user_properties.append(("team", "video"))

    options = [*pytest_run.options(tmp_path, "standard", 1, ["description"]), *REPORTED]
    assert pytest_run.execute(options, [Labelling(), substitute(reference)]) == 0


def test_a_failed_should_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It fails neither the check nor the run."""
    outcomes = []
    passed = []

    class Listener:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.when == "call" and report.outcome == "passed":
                passed.append(report.nodeid)
            elif report.when == "call":
                outcomes.append((report.outcome, report.wasxfail))

    silent = altered.load([UNCHALLENGED])
    assert (
        run(tmp_path, substitute(silent), Listener(), judging="authentication", more=REPORTED) == 0
    )
    assert {outcome for outcome, _ in outcomes} == {"skipped"}
    assert {reason.partition(":")[0] for _, reason in outcomes} == {"should"}
    # The outcomes of a class are in the order in which they first occurred.
    counted = capsys.readouterr().out.partition(" checks: ")[2].partition(";")[0]
    assert set(counted.split(", ")) == {f"{len(outcomes)} warning", f"{len(passed)} pass"}


@pytest.mark.parametrize("summary", [True, False])
def test_failures_are_annotated_on_github(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    summary: bool,
) -> None:
    """After the verdict; the summary is written where GITHUB_STEP_SUMMARY names a file."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    if summary:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))

    assert run(tmp_path / "report", substitute(altered.load([OLDER]))) == 1
    after = capsys.readouterr().out.partition("\nNON-CONFORMANT")[2].splitlines()
    assert [line.rpartition("::")[0] for line in after if line.startswith("::")] == [
        "::error title=description/version"
    ]
    assert (tmp_path / "summary.md").exists() is summary


class Watched(io.StringIO):
    """A stream that tells when a text was written to it."""

    def __init__(self, awaited: str) -> None:
        super().__init__()
        self._awaited = awaited
        self.was_written = threading.Event()

    def write(self, text: str) -> int:
        """Tell whoever waits for the text."""
        number = super().write(text)
        if self._awaited in self.getvalue():
            self.was_written.set()
        return number


@dataclass
class Holding:
    """Holds each read below `path` until the stream has the text, or the time is over."""

    app: Any
    path: str
    stream: Watched
    held: list[bool] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on."""
        if scope.get("path", "").endswith(self.path):
            self.held.append(await asyncio.to_thread(self.stream.was_written.wait, 20))
        await self.app(scope, receive, send)


def test_a_failure_is_shown_while_other_checks_wait(tmp_path: Path) -> None:
    """One line as soon as its check has ended, in whatever order the checks were collected."""
    silent = altered.load([UNCHALLENGED])
    stream = Watched("WARNING  authentication/challenge  on ")
    instance = silent.Reference()
    instance.app = Holding(instance.app, "/activity", stream)
    with live_server.instance(instance) as profile:
        target = tmp_path / "target.toml"
        target.write_text(toml(profile))
        display = RunDisplay(stream, tmp_path / "reports")
        options = pytest_run.options(tmp_path / "reports", "standard", 1, ["authentication"])
        chosen = [*options, f"--conformance-target={target}", "--conformance-report=badge"]
        display.close(pytest_run.execute(chosen, [display]))

    assert instance.app.held
    assert all(instance.app.held)


def test_a_run_without_a_bar_says_how_far_it_is() -> None:
    """Also while no check ends; a log of a CI system is not silent for minutes."""
    stream = Watched("progress           0 of 562 checks; 1,204 requests, ")
    lines = Lines(Terminal(file=stream), Tally(total=562, sent=lambda: 1204), interval=0.01)
    assert stream.was_written.wait(20)
    lines.close()


@pytest.mark.parametrize(("key", "word"), [("", "KNOWN"), ('flaky = "3 of 10"\n', "FLAKY")])
def test_a_known_failure_is_called_known(
    key: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody has to look at it again."""
    listed = tmp_path / "known.toml"
    text = '[[known]]\nrequirement = "description/version"\nreason = "an old one"\n'
    listed.write_text(text + key)
    display = RunDisplay(sys.stdout, tmp_path / "reports")
    options = pytest_run.options(tmp_path / "reports", "standard", 1, ["description"])
    chosen = [*options, f"--conformance-known-failures={listed}"]
    code = pytest_run.execute(chosen, [display, substitute(altered.load([OLDER]))])
    assert display.close(code) == 0
    assert capsys.readouterr().out.startswith(f"{word}  description/version")
