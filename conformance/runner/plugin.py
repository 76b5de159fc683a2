"""The pytest plugin, hooks only: checks get a session, and the run ends with a report."""

import copy
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from conformance.contract.exit_codes import CHECKER_ERROR
from conformance.contract.verdict import FOUND
from conformance.http import secrecy
from conformance.runner import collection, hooks, short_options, stated_inputs, stated_target
from conformance.runner.run_options import OPTIONS
from conformance.runner.stash import CONTEXT, ENGINE, FACT_RESULT, GATHERER, RESULT, SESSION

HISTORY = "conformance-history"
"""The record of what a rule on the history of a worker has found."""

SECRETS = "conformance-secrets"
"""The secrets that commands printed to a worker; they are handed on in memory."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a run; --base-url is pytest-base-url's.

    Where pytest runs our suite, they are accepted without `conformance-` as well.
    """
    group = parser.getgroup("conformance", "conformance of a deployment with the client API")
    for option in OPTIONS:
        group.addoption(f"--conformance-{option.name}", **option.keywords)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Offer the hooks by which a conftest.py gives a run its target."""
    pluginmanager.add_hookspecs(hooks)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> None:
    """Run the suite by default, and the suite of the package for a path in a checkout."""
    folder, known = early_config.invocation_params.dir, early_config.known_args_namespace
    rest = parser.parse_known_args(short_options.without(args), copy.copy(early_config.option))
    if collection.is_suite(collection.places(rest.file_or_dir, folder, pyargs=rest.pyargs)):
        args[:] = short_options.written_out(args)
        known = parser.parse_known_args(args, copy.copy(early_config.option))
        early_config.known_args_namespace = known
    places = collection.places(known.file_or_dir, folder, pyargs=known.pyargs)
    for given, place in zip(known.file_or_dir, places, strict=False):
        args[args.index(given)] = place
    args += places[len(known.file_or_dir) :]
    known.file_or_dir[:] = places


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run checks that approve reviews in one worker, regardless of the distribution option."""

    if not stated_inputs.is_meant(config):
        return None
    from conformance.runner.scheduling import Distribution  # noqa: PLC0415

    return Distribution(config, log)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say which profile of the folder is used."""
    if config.getoption("conformance_target") or config.getoption("base_url", None):
        return []
    if not (config.invocation_params.dir / "target.toml").is_file():
        return []

    is_used = stated_inputs.is_meant(config) and stated_target.own_profile(config)
    return ["conformance: target.toml of this folder"] if is_used else []


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker of checks, and the gatherer of their results."""
    config.addinivalue_line("markers", "requirement(id): the requirement that a check is about")
    if hasattr(config, "workerinput"):
        from conformance.runner import worker  # noqa: PLC0415

        worker.follow()
    else:
        config.pluginmanager.register(Gatherer(config), GATHERER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a check once for each operation and scheme of its requirement."""
    marker = metafunc.definition.get_closest_marker("requirement")
    if marker is not None:
        # Every pytest of an environment loads this plugin: expensive imports wait for a check.
        from conformance.runner import items  # noqa: PLC0415

        items.parametrize(metafunc, marker.args[0], reads=bool(marker.kwargs.get("reads")))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select and sort the checks, and open the target, if others have left any check.

    A problem of its profile ends the run before the first request.
    """
    if any(item.get_closest_marker("requirement") for item in items):
        from conformance.runner import (  # noqa: PLC0415
            examination,
            order,
            partition,
            resumption,
            rounds,
        )
        from conformance.runner.items import arrange  # noqa: PLC0415

        order.select(items, config)
        arrange(items, config)
        partition.keep(items, config)
        rounds.keep_checks(items, config)
        if not hasattr(config, "workerinput"):
            stated_inputs.hold_directory(config)
        resumption.begin(items, config)
        config.stash[SESSION] = examination.begin(config)
        resumption.go_on(config.stash[SESSION], config)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, Any, Any]:
    """Check that the target responds, perform the checks, and repeat what failed.

    All of that can be interrupted; what comes after it is the report.
    """
    gatherer = session.config.pluginmanager.get_plugin(GATHERER)
    if SESSION in session.config.stash and not session.config.option.collectonly:
        from conformance.runner import examination, performing  # noqa: PLC0415

        examination.check(session.config.stash[SESSION])
        if gatherer is not None:
            gatherer.start()
            gatherer.identify("beginning")
        performing.begin(session)
    ended = yield
    if gatherer is None:
        _hand_on_history(session)
    else:
        gatherer.go_on(session)
        gatherer.judge_history(is_cut=bool(session.shouldstop))
        gatherer.reproduce(session)
        if not session.shouldstop:
            gatherer.identify("end")
    return ended


def _hand_on_history(session: pytest.Session) -> None:
    """Let a worker hand on what shows in all that it has sent."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None and SESSION in session.config.stash:
        from conformance.runner import history, items  # noqa: PLC0415

        examined = session.config.stash[SESSION]
        found = history.results(examined, is_cut=bool(session.shouldstop))
        output[HISTORY] = [items.record(each) for each in found]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Pass over a check that was not begun, since enough had failed."""
    if ENGINE not in item.config.stash:
        return None
    from conformance.runner import performing  # noqa: PLC0415

    return performing.passes_over(item, nextitem) or None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Wait for the check, or make the context for one that pytest performs."""
    if item.get_closest_marker("requirement"):
        from conformance.runner import performing  # noqa: PLC0415

        item.stash[CONTEXT] = performing.context(item)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """End a check that was performed before as it has ended."""
    if ENGINE not in pyfuncitem.config.stash or CONTEXT not in pyfuncitem.stash:
        return None
    from conformance.runner import performing  # noqa: PLC0415

    return performing.repeat(pyfuncitem)


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Turn the end of a check into findings, and attach them to its report."""
    if not item.get_closest_marker("requirement") or not (
        call.when == "call" or (call.when == "setup" and call.excinfo is not None)
    ):
        yield
        return
    from conformance.runner import items  # noqa: PLC0415

    raised = call.excinfo
    if raised is not None and isinstance(raised.value, FOUND):
        # Otherwise pytest formats a traceback, which takes longer than the check.
        call.excinfo = None
    outcome: Any = yield
    call.excinfo = raised
    items.attach_result(item, call, outcome.get_result(), item.stash[CONTEXT])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Close the connections; a worker hands on the secrets it has used."""
    if SESSION not in session.config.stash:
        return
    if ENGINE in session.config.stash:
        from conformance.runner import performing  # noqa: PLC0415

        performing.finish(session)
    examined = session.config.stash[SESSION]
    examined.close()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[SECRETS] = sorted(examined.target.secrets)


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
            from conformance.runner import examination, partition, resumption  # noqa: PLC0415

            if stated_inputs.is_meant(self.config):
                resumption.refuse_workers(self.config)
                stated_inputs.hold_directory(self.config)
                partition.entry(self.config)
                examination.rehearse(self.config)

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

    def record(self, records: list[str]) -> None:
        """Write down the results of a check that has ended, before pytest repeats its end."""
        with self._writing():
            for record in records:
                self._opened().record(record)
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
        for name, value in report.user_properties:
            if name in (RESULT, FACT_RESULT):
                with self._writing():
                    if self._opened().add(value):
                        self.config.hook.pytest_conformance_ended(record=value)

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
            with self._writing():
                self.run.add(items.record(result))

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
                code = self.run.finish(session.exitstatus, is_cut=bool(session.shouldfail))
                # The verdict is about the target; a test of the user that failed is no less red.
                others = pytest.ExitCode.TESTS_FAILED if self.have_others_failed else code
                session.exitstatus = CHECKER_ERROR if self.has_crashed else code or others

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
