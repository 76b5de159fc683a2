"""pytest as a face of the engine: an item ends as its check has ended."""

from functools import partial

import pytest

from conformance.runner.collection import SUITE
from conformance.runner.context import Context
from conformance.runner.engine import Engine, Task
from conformance.runner.items import name_of, stage_of
from conformance.runner.stash import ENGINE, PERFORM, SESSION


def begin(session: pytest.Session) -> None:
    """Begin to perform the checks of the suite that were collected.

    A worker of xdist gets its items one by one, and performs each when it is its turn.
    """
    config = session.config
    if hasattr(config, "workerinput") or PERFORM not in config.stash:
        return
    checks = [item for item in session.items if _is_of_suite(item)]
    tasks = [
        Task(name_of(item), stage_of(item), partial(config.stash[PERFORM], item))
        for item in checks
        if isinstance(item, pytest.Function)
    ]
    config.stash[ENGINE] = Engine(config.stash[SESSION], tasks)
    config.stash[ENGINE].start()


def _is_of_suite(item: pytest.Item) -> bool:
    """Whether a check is one of ours: a user may have others, with fixtures of their own."""
    return item.get_closest_marker("requirement") is not None and item.path.is_relative_to(SUITE)


def context(item: pytest.Item) -> Context:
    """The context of a check that was performed, or a new one for pytest to perform it."""
    engine, name = item.config.stash.get(ENGINE, None), name_of(item)
    if engine is not None and _is_of_suite(item) and name in engine:
        return engine.outcome(name).context
    return item.config.stash[SESSION].context(name)


def repeat(item: pytest.Function) -> bool | None:
    """Raise what has ended the check of an item; None where pytest has to perform it."""
    engine, name = item.config.stash[ENGINE], name_of(item)
    if not _is_of_suite(item) or name not in engine:
        return None
    problem = engine.outcome(name).problem
    if problem is not None:
        raise problem
    return True
