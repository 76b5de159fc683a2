"""The fixtures of checks: the context, the data of the target, approvals and tools."""

import pytest

from conformance.runner.context import Context
from conformance.runner.stash import CONTEXT, MORE, PERFORM, SESSION
from conformance.suite.access.matrix import AccessMatrix
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.approval.trials import Trials
from conformance.suite.approval.unusual_keys import UnusualKeys
from conformance.suite.fuzzing import generate
from conformance.suite.fuzzing.fuzz import RequestSource
from conformance.suite.fuzzing.prefetch import REQUEST_SOURCE
from conformance.suite.fuzzing.rounds import rounds
from conformance.suite.lists.live import Live
from conformance.suite.tools.toolbox import Toolbox
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


@pytest.fixture
def live(fixtures: Fixtures) -> Live:
    """The data of the target."""
    return fixtures.live


@pytest.fixture
def approvals(fixtures: Fixtures) -> Approvals:
    """Requests to approve, and the reviews for them."""
    return fixtures.approvals


@pytest.fixture
def trials(fixtures: Fixtures) -> Trials:
    """Reviews that went through attempts and an approval."""
    return fixtures.trials


@pytest.fixture
def preconditions(fixtures: Fixtures) -> Preconditions:
    """What has to work before checks combine several steps."""
    return fixtures.preconditions


@pytest.fixture
def toolbox(fixtures: Fixtures) -> Toolbox:
    """The tool interface of the target."""
    return fixtures.toolbox


@pytest.fixture
def unusual_keys(fixtures: Fixtures) -> UnusualKeys:
    """Approvals with long keys, and with keys beyond ASCII."""
    return fixtures.unusual_keys


@pytest.fixture
def access(fixtures: Fixtures) -> AccessMatrix:
    """Who may do what, asked in a covering part of all ways."""
    return fixtures.access
