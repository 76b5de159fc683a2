"""Gathers the results of checks, of whichever process, and writes the report."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from conformance.contract.exit_codes import CHECKER_ERROR
from conformance.http import secrecy
from conformance.http.packed import PackedText
from conformance.report.gathered import MAX_FAILURES
from conformance.runner import failure_limit, stated_inputs
from conformance.runner.stash import ENGINE, FACT_RESULT, RESULT, SESSION

HISTORY = "conformance-history"
"""The record of what a rule on the history of a worker has found."""

SECRETS = "conformance-secrets"
"""The secrets that commands printed to a worker; they are handed on in memory."""

OWN = (RESULT, FACT_RESULT)
"""The properties of pytest's reports that are ours."""


class Gatherer:
    """Gathers the results of all items, xdist workers included, and writes the report."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.run: Any = None
        self.began = time.monotonic()
        self.secrets: set[str] = set()
        self.have_others_failed = False
        self.has_crashed = False
        self.is_history_judged = False

    def pytest_sessionstart(self) -> None:
        """With workers, check the options in the controller, which can report a usage error."""
        if self.config.getoption("numprocesses", None):
            from conformance.runner import (  # noqa: PLC0415
                examination,
                partition,
                restoration,
                resumption,
                selection,
            )

            if stated_inputs.is_meant(self.config):
                selection.of(self.config)
                resumption.refuse_workers(self.config)
                stated_inputs.hold_directory(self.config)
                partition.entry(self.config)
                examination.rehearse(self.config)
                restoration.perform(self.config, ())

    def start(self) -> None:
        """Write the journal before anything is approved: a run that is killed can be resumed.

        So is a report, in which nothing is checked yet.
        """
        with self._writing():
            self._opened().save()

    def identify(self, moment: str) -> None:
        """Note which build of the target serves the run; workers do not."""
        if self.run is not None and SESSION in self.config.stash:
            from conformance.runner import builds  # noqa: PLC0415

            with self._writing():
                builds.note(self.config.stash[SESSION], self.run, moment)

    def record(self, records: list[PackedText]) -> None:
        """Write down the results of a check that has ended, before pytest repeats its end."""
        with self._writing():
            for record in records:
                self._opened().record(record)
                self.config.hook.pytest_conformance_ended(record=record.text)

    def take(self, records: Iterable[str]) -> None:
        """Take the results of an item, and of facts, when it is its turn in the report."""
        with self._writing():
            for record in records:
                if self._opened().add(record):
                    self.config.hook.pytest_conformance_ended(record=record)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the result of one item, or remember that a test beside our checks failed.

        One of our checks without a result is an internal error: its process has crashed, or what
        ends it has failed.
        """
        if report.failed and RESULT not in dict(report.user_properties):
            from conformance.runner import scheduling  # noqa: PLC0415

            if scheduling.is_of_suite(report.nodeid):
                self.has_crashed = True
            else:
                self.have_others_failed = True
        self.take(str(value) for name, value in report.user_properties if name in OWN)
        # Pytest remembers its reports, and a target decides how long a record is.
        report.user_properties = [each for each in report.user_properties if each[0] not in OWN]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker found in its history, and the secrets that it has used.

        The report is searched for them.
        """
        output = getattr(node, "workeroutput", {})
        self.secrets |= set(output.get(SECRETS, ()))
        for record in output.get(HISTORY, ()):
            with self._writing():
                self._opened().add(record)

    def go_on(self, session: pytest.Session) -> None:
        """Go on with generated requests, if every check was performed, and by this process."""
        stash = self.config.stash
        if self.run is None or session.shouldstop or SESSION not in stash:
            return
        from conformance.runner import rounds  # noqa: PLC0415

        if ENGINE in stash and stash[ENGINE].is_done:
            with self._writing():
                rounds.go_on(self.run, self.config)

    def judge_history(self, *, is_cut: bool) -> None:
        """Apply the rules on all that this process has sent, once."""
        if self.is_history_judged or SESSION not in self.config.stash or self.run is None:
            return
        self.is_history_judged = True
        from conformance.runner import history, items  # noqa: PLC0415

        for result in history.results(self.config.stash[SESSION], is_cut=is_cut):
            record = items.record(result)
            with self._writing():
                self.run.add(record)
                self.config.hook.pytest_conformance_ended(record=record)

    def reproduce(self, session: pytest.Session) -> None:
        """Send the requests of failures once more, if every check was performed."""
        if self.run is None or session.shouldstop:
            return
        from conformance.runner import reproduction  # noqa: PLC0415

        stash = self.config.stash
        if SESSION not in stash:
            reproduction.label_apart(self.run, self.config)
        elif ENGINE not in stash or stash[ENGINE].is_done:
            reproduction.label(self.run, stash[SESSION])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report; the exit code follows from its verdict."""
        if self.config.option.collectonly or session.exitstatus == pytest.ExitCode.USAGE_ERROR:
            return  # nothing was checked: an earlier report stays
        with self._writing():
            if SESSION in self.config.stash:
                self._opened()
            self.judge_history(is_cut=True)  # also of a run that was stopped
            if self.run is not None:
                self.run.secrets |= self.secrets
                secrecy.protect(dict.fromkeys(self.secrets, secrecy.MASK))
                self.run.whole = self._whole_rounds()
                code = self.run.finish(self._status(session), is_cut=bool(session.shouldfail))
                # The verdict is about the target; a test of the user that failed is no less red.
                others = pytest.ExitCode.TESTS_FAILED if self.have_others_failed else code
                session.exitstatus = CHECKER_ERROR if self.has_crashed else code or others

    def _whole_rounds(self) -> list[str] | None:
        if ENGINE not in self.config.stash:
            return None
        from conformance.runner import performing  # noqa: PLC0415

        return performing.whole_rounds(self.config)

    def _status(self, session: pytest.Session) -> int:
        """How pytest has ended; xdist is interrupted where enough has failed."""
        limit = self.config.pluginmanager.get_plugin(failure_limit.NAME)
        if limit is None or not limit.is_reached:
            return session.exitstatus
        self.run.end_by(MAX_FAILURES)
        return pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show the verdict at the end of a pytest run."""
        if self.run is not None and self.run.document is not None:
            from conformance.report import artefacts  # noqa: PLC0415
            from conformance.report.console import terminal  # noqa: PLC0415

            terminalreporter.section("conformance")
            published = artefacts.publish(self.run.document, stated_inputs.places(self.config))
            for line in (*terminal.lines(self.run.document), *published):
                terminalreporter.write_line(secrecy.redacted(line))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """End the run in one line where nothing can be written any more."""
        try:
            yield
        except OSError as problem:
            from conformance.runner import disk  # noqa: PLC0415

            if self.run is not None:
                self.run.abandon()
            disk.unwritable(stated_inputs.report_directory(self.config), problem)

    def _opened(self) -> Any:
        if self.run is None:
            from conformance.runner import gathering  # noqa: PLC0415

            self.run = gathering.begun(self.config, self.began)
        return self.run
