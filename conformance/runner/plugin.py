"""The pytest plugin: hooks only. It gives checks a session, turns how they end into verdicts, and ends the run with a report."""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.runner import collection
from conformance.runner.stash import SESSION

GATHERER = "conformance-gatherer"
SECRETS = "conformance-secrets"
"""What a worker hands on in memory: commands may have printed it secrets that nobody else knows."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a run; --base-url is pytest-base-url's."""
    group = parser.getgroup("conformance", "conformance of a deployment with the client API")
    group.addoption(
        "--target",
        type=Path,
        metavar="FILE",
        help="target profile (TOML); without it and --base-url: the bundled reference",
    )
    group.addoption(
        "--report-dir",
        type=Path,
        metavar="DIR",
        help="where report.json and its neighbours go (default: reports/latest)",
    )
    group.addoption(
        "--depth",
        choices=("quick", "standard", "deep"),
        default="standard",
        help="how much a run spends (default: standard)",
    )
    group.addoption(
        "--conformance-seed",
        type=int,
        default=1,
        metavar="N",
        help="the same seed sends the same requests (default: 1)",
    )
    group.addoption(
        "--conformance-class",
        action="append",
        default=[],
        metavar="CLASS",
        help="only this class; may be repeated",
    )
    group.addoption(
        "--report",
        type=_formats,
        default=(),
        metavar="FORMAT,…",
        help="formats of the report beside report.json",
    )
    group.addoption(
        "--known-failures",
        type=Path,
        metavar="FILE",
        help="known failures (TOML), which do not fail the run",
    )
    group.addoption(
        "--require-complete", action="store_true", help="a run that leaves something unjudged fails"
    )


def _formats(text: str) -> tuple[str, ...]:
    from conformance.report import artefacts  # noqa: PLC0415  (see pytest_generate_tests)

    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in artefacts.FORMATS]:
        raise argparse.ArgumentTypeError(
            f"there is no format {unknown[0]!r}, only {', '.join(artefacts.FORMATS)}"
        )
    return names


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Run the suite where nothing else is asked for, and that of the package where one of a checkout is."""
    known = early_config.known_args_namespace
    places = collection.places(
        known.file_or_dir, early_config.invocation_params.dir, pyargs=known.pyargs
    )
    for given, place in zip(known.file_or_dir, places, strict=False):
        args[args.index(given)] = place
    args += places[len(known.file_or_dir) :]
    known.file_or_dir[:] = places


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the checks that spend the same reviews in one worker, whatever way of distribution was asked for."""
    from conformance.runner import examination  # noqa: PLC0415  (see pytest_generate_tests)

    if not examination.is_meant(config):
        return None
    from conformance.runner.scheduling import Distribution  # noqa: PLC0415

    return Distribution(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker of checks, and whoever gathers what they find."""
    config.addinivalue_line(
        "markers", "requirement(id): the requirement of the contract that a check judges"
    )
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Gatherer(config), GATHERER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a check once for each operation and scheme that its requirement speaks of."""
    marker = metafunc.definition.get_closest_marker("requirement")
    if marker is not None:
        # Every pytest of an environment loads this plugin: what costs time is imported where a check is at hand.
        from conformance.runner import items  # noqa: PLC0415

        items.parametrize(metafunc, marker.args[0])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose and order the checks, and open the target: a mistake in its profile ends the run before the first request."""
    if any(item.get_closest_marker("requirement") for item in items):
        from conformance.runner import examination  # noqa: PLC0415
        from conformance.runner.items import arrange  # noqa: PLC0415

        arrange(items, config)
        config.stash[SESSION] = examination.begin(config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Find out whether there is anybody to judge."""
    if SESSION in session.config.stash and not session.config.option.collectonly:
        from conformance.runner import examination  # noqa: PLC0415

        examination.check(session.config.stash[SESSION])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Exchanges from here on belong to this item."""
    if item.get_closest_marker("requirement"):
        from conformance.runner.items import name_of  # noqa: PLC0415

        item.config.stash[SESSION].begin(name_of(item))


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Turn the end of a check into findings, and hand them to whoever gathers them."""
    if not item.get_closest_marker("requirement") or not (
        call.when == "call" or (call.when == "setup" and call.excinfo is not None)
    ):
        yield
        return
    from conformance.runner import items  # noqa: PLC0415

    raised = call.excinfo
    if raised is not None and isinstance(raised.value, items.FOUND):
        call.excinfo = None  # or pytest makes a traceback of it, which takes longer than the check, and which nobody reads
    outcome: Any = yield
    call.excinfo = raised
    items.judge(item, call, outcome.get_result(), item.config.stash[SESSION])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Give back the target's connections; a worker also hands on the secrets that it has used."""
    if SESSION not in session.config.stash:
        return
    examined = session.config.stash[SESSION]
    examined.close()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[SECRETS] = sorted(examined.target.secrets)


class Gatherer:
    """Gathers what the items of this process and of its xdist workers found, and ends the run with the report."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.run: Any = None
        self.began = time.monotonic()
        self.secrets: set[str] = set()

    def pytest_sessionstart(self) -> None:
        """With workers, the controller alone can end a run for a mistake in the options in a readable way."""
        if self.config.getoption("numprocesses", None):
            from conformance.runner import examination, items  # noqa: PLC0415

            if examination.is_meant(self.config):
                items.chosen(self.config)
                examination.rehearse(self.config)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what one item found."""
        for name, value in report.user_properties:
            if name == "conformance":
                self._opened().add(value)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the secrets that a worker has used, so that the report is searched for them."""
        self.secrets |= set(getattr(node, "workeroutput", {}).get(SECRETS, ()))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report, and let the verdict decide the exit code."""
        if self.config.option.collectonly or session.exitstatus == pytest.ExitCode.USAGE_ERROR:
            return  # nobody was judged: an earlier report stays as it is
        if SESSION in self.config.stash:
            self._opened()
        if self.run is not None:
            self.run.secrets |= self.secrets
            session.exitstatus = self.run.finish(session.exitstatus)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Tell the verdict at the end of a plain pytest run."""
        if self.run is not None and self.run.document is not None:
            from conformance.report import artefacts  # noqa: PLC0415
            from conformance.report.console import terminal  # noqa: PLC0415

            terminalreporter.section("conformance")
            for line in (*terminal.lines(self.run.document), *artefacts.publish(self.run.document)):
                terminalreporter.write_line(line)

    def _opened(self) -> Any:
        if self.run is None:
            from conformance.runner import gathering  # noqa: PLC0415

            self.run = gathering.begun(self.config, self.began)
        return self.run
