"""The fixtures of checks: the context, the data of the target, approvals and tools."""

from typing import Any

import pytest

from conformance.runner.context import Context
from conformance.runner.stash import CONTEXT, MORE, PERFORM, SESSION
from conformance.suite.fuzzing import generate
from conformance.suite.fuzzing.fuzz import RequestSource
from conformance.suite.fuzzing.prefetch import REQUEST_SOURCE
from conformance.suite.fuzzing.rounds import rounds
from conformance.suite.wiring import Fixtures, perform, prepare


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the rules ask for what the target has shown, and the engine perform the checks."""
    config = session.config
    if SESSION in config.stash:
        prepare(config.stash[SESSION])
        source = config.stash.get(REQUEST_SOURCE, generate.make)
        config.stash[PERFORM] = lambda item, context: perform(item, Fixtures(context, source))
        config.stash[MORE] = lambda examined, checks, finished: rounds(
            examined, source, checks, finished
        )


@pytest.fixture
def request_source(pytestconfig: pytest.Config) -> RequestSource:
    """The generated requests: of another process, or made by this one."""
    return pytestconfig.stash.get(REQUEST_SOURCE, generate.make)


@pytest.fixture
def session(request: pytest.FixtureRequest) -> Context:
    """The context of this check."""
    context: Context = request.node.stash[CONTEXT]
    return context


@pytest.fixture
def fixtures(session: Context, request_source: RequestSource) -> Fixtures:
    """Everything that a check may ask for."""
    return Fixtures(session, request_source)


def _provided(name: str) -> Any:
    """The fixture of a name, as `Fixtures` makes and describes it."""

    def provide(fixtures: Fixtures) -> Any:
        return fixtures[name]

    provide.__doc__ = getattr(Fixtures, name).__doc__
    return pytest.fixture(provide, name=name)


live = _provided("live")
approvals = _provided("approvals")
trials = _provided("trials")
preconditions = _provided("preconditions")
toolbox = _provided("toolbox")
unusual_keys = _provided("unusual_keys")
access = _provided("access")
