"""What checks are given: the session, the living data, the approvals."""

import pytest

from conformance.runner.session import Session
from conformance.runner.stash import SESSION
from conformance.suite.approval.approvals import Approvals
from conformance.suite.lists.live import Live
from conformance.suite.tools.toolbox import Toolbox


@pytest.fixture(scope="session")
def session(pytestconfig: pytest.Config) -> Session:
    """The examination that this process takes part in."""
    return pytestconfig.stash[SESSION]


@pytest.fixture(scope="session")
def live(session: Session) -> Live:
    """The living data of the target."""
    return Live(session)


@pytest.fixture(scope="session")
def approvals(session: Session, live: Live) -> Approvals:
    """The reviews that may be approved."""
    return Approvals(session, live)


@pytest.fixture(scope="session")
def toolbox(live: Live) -> Toolbox:
    """The tool interface of the target."""
    return Toolbox(live)
