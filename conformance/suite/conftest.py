"""The fixtures of checks: the session, the data of the target, approvals and tools."""

import pytest

from conformance.runner.session import Session
from conformance.runner.stash import SESSION
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.approval.trials import Trials
from conformance.suite.fuzzing import generate
from conformance.suite.fuzzing.fuzz import RequestSource
from conformance.suite.fuzzing.prefetch import REQUEST_SOURCE
from conformance.suite.lists.live import Live
from conformance.suite.tools.toolbox import Toolbox


@pytest.fixture(scope="session")
def session(pytestconfig: pytest.Config) -> Session:
    """The session of this process."""
    return pytestconfig.stash[SESSION]


@pytest.fixture(scope="session")
def live(session: Session) -> Live:
    """The data of the target."""
    return Live(session)


@pytest.fixture(scope="session")
def approvals(session: Session, live: Live) -> Approvals:
    """Requests to approve, and the reviews for them."""
    return Approvals(session, live)


@pytest.fixture(scope="session")
def trials(session: Session, live: Live, approvals: Approvals) -> Trials:
    """Reviews that went through attempts and an approval."""
    return Trials(session, live, approvals)


@pytest.fixture(scope="session")
def preconditions(live: Live, approvals: Approvals, trials: Trials) -> Preconditions:
    """What has to work before checks combine several steps."""
    return Preconditions(live, approvals, trials)


@pytest.fixture(scope="session")
def toolbox(live: Live) -> Toolbox:
    """The tool interface of the target."""
    return Toolbox(live)


@pytest.fixture(scope="session")
def request_source(pytestconfig: pytest.Config) -> RequestSource:
    """The generated requests: of another process, or made by this one."""
    return pytestconfig.stash.get(REQUEST_SOURCE, generate.make)
