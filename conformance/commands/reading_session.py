"""A session of a command that reads a target, and is no run."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from conformance.commands.outcome import UsageError
from conformance.http.budget import Budget
from conformance.http.transport import Transport
from conformance.report.console import output
from conformance.runner import preflight
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.target.target import Target


@contextmanager
def reading_session(target: Target, transport: Transport, command: str) -> Iterator[Session]:
    """A session within the limits of the profile, on a target that responds.

    `command` is the name in lines about waiting. Raises UsageError where nothing responds, or every
    operation rejects the credential.
    """
    limits = target.limits
    session = Session(
        target,
        transport,
        seed=1,
        depth=DEPTHS["quick"],
        rate=limits.requests_per_second,
        connections=limits.connections,
        budget=Budget.within(limits.max_response_bytes, limits.max_requests, limits.max_time),
    )

    def say(text: str) -> None:
        output.lines([f"{command}  {text}"], sys.stderr)
        sys.stderr.flush()

    session.dispatcher.waiting.say = say
    try:
        obstacle = preflight.obstacle(session)
        if obstacle is not None:
            raise UsageError(obstacle)
        yield session
    finally:
        session.close()
