"""What checks ask for by name, made anew for each of them from its context."""

import inspect
from functools import cached_property
from typing import Any

import pytest

from conformance.runner.context import Context
from conformance.runner.session import Session
from conformance.suite.access.matrix import AccessMatrix
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.approval.trials import Trials
from conformance.suite.approval.unusual_keys import UnusualKeys
from conformance.suite.fuzzing import generate
from conformance.suite.fuzzing.fuzz import RequestSource
from conformance.suite.knowledge import TargetKnowledge
from conformance.suite.lists.live import Live
from conformance.suite.tools.toolbox import Toolbox


def prepare(session: Session) -> None:
    """Let the rules ask for what the target has shown."""
    session.knowledge = TargetKnowledge()


def perform(item: pytest.Function, fixtures: "Fixtures") -> None:
    """Perform the check of an item."""
    parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    arguments = inspect.signature(item.function).parameters
    requested = {name: fixtures[name] for name in arguments if name not in parameters}
    item.function(**parameters, **requested)


class Fixtures:
    """The fixtures of one check; `request_source` has the generated requests."""

    def __init__(self, session: Context, request_source: RequestSource = generate.make) -> None:
        self.session = session
        self.request_source = request_source

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    @cached_property
    def live(self) -> Live:
        """The data of the target."""
        return Live(self.session)

    @cached_property
    def approvals(self) -> Approvals:
        """Requests to approve, and the reviews for them."""
        return Approvals(self.session, self.live)

    @cached_property
    def trials(self) -> Trials:
        """Reviews that went through attempts and an approval."""
        return Trials(self.session, self.live, self.approvals)

    @cached_property
    def preconditions(self) -> Preconditions:
        """What has to work before checks combine several steps."""
        return Preconditions(self.live, self.approvals, self.trials)

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tool interface of the target."""
        return Toolbox(self.live)

    @cached_property
    def unusual_keys(self) -> UnusualKeys:
        """Approvals with long keys, and with keys beyond ASCII."""
        return UnusualKeys(self.live, self.approvals, self.trials)

    @cached_property
    def access(self) -> AccessMatrix:
        """Who may do what, asked in a covering part of all ways."""
        return AccessMatrix(self.live, self.approvals, self.trials, self.toolbox)
