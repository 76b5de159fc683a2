"""The pytest plugin, hooks only: checks get a session, and the run ends with a report."""

import copy
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from conformance.contract.verdict import FOUND
from conformance.runner import collection, hooks, short_options, stated_inputs, stated_target
from conformance.runner.gatherer import HISTORY, SECRETS, Gatherer
from conformance.runner.run_options import OPTIONS
from conformance.runner.stash import CONTEXT, ENGINE, GATHERER, SESSION


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
        if config.getoption("conformance_events"):
            from conformance.runner import events  # noqa: PLC0415

            config.pluginmanager.register(events.Events(stated_inputs.events(config)))
        if most := config.getoption("conformance_max_failures"):
            from conformance.runner import failure_limit  # noqa: PLC0415

            config.pluginmanager.register(failure_limit.FailureLimit(most), failure_limit.NAME)


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
            selection,
        )
        from conformance.runner.items import arrange  # noqa: PLC0415

        order.select(items, config)
        arrange(items, config)
        selection.keep(items, config)
        focus = selection.focus(items, config)
        partition.keep(items, config)
        rounds.keep_checks(items, config)
        if not hasattr(config, "workerinput"):
            stated_inputs.hold_directory(config)
        resumption.begin(items, config)
        config.stash[SESSION] = examination.begin(config)
        config.stash[SESSION].focus = focus
        resumption.go_on(config.stash[SESSION], config)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, Any, Any]:
    """Check that the target responds, perform the checks, and repeat what failed.

    All of that can be interrupted; what comes after it is the report.
    """
    gatherer = session.config.pluginmanager.get_plugin(GATHERER)
    if SESSION in session.config.stash and not session.config.option.collectonly:
        from conformance.runner import examination, performing, restoration  # noqa: PLC0415

        examination.check(session.config.stash[SESSION])
        if gatherer is not None:  # a worker of xdist has none
            restoration.perform(session.config, session.items)
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
    if CONTEXT in item.stash:  # else the check could not even begin, as pytest reports
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
