"""How long a run will take, once it has measured its target, and what makes it long."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest

from conformance.commands.diagnosis import expectation
from conformance.commands.diagnosis.expectation import EXCHANGES
from conformance.contract.quantity import per_second
from conformance.report import prospect
from conformance.runner import limits, stated_target
from conformance.runner.session import Session
from conformance.runner.stash import SESSION

AFTER = 10.0
"""Seconds until a run says how long it will take."""

SLOW = 0.05
"""Seconds of a response above which responses decide how long a run takes."""

MUCH = 0.3
"""The share of its time that a run has waited because it was asked to."""


@dataclass(frozen=True)
class Measured:
    """What a run has measured so far: its exchanges, the expected ones, and what takes the time.

    `responding` is the sum of the seconds of responses, `waited` what the target asked to wait,
    `rate` the requests per second of the profile, `allowed` those that the target allows, as far as
    is known, `at_once` the most requests under way, and `left`
    the seconds until the run ends by itself.
    """

    exchanges: int
    expected: int
    seconds: float
    responding: float
    waited: float
    rate: float | None
    at_once: int
    left: float | None
    allowed: float | None = None


def line(measured: Measured) -> str:
    """The time that is left, and what makes it long; "" where nobody can tell."""
    left = measured.expected - measured.exchanges
    if not measured.exchanges or left <= 0:
        return ""
    pace = measured.exchanges / measured.seconds
    seconds = left / pace
    parts = [
        f"this run takes up to {_shown(seconds)} more, at {pace:.1f} requests per second",
        *_reasons(measured, pace),
    ]
    if measured.left is not None and seconds > measured.left:
        parts.append(f"it ends in {_shown(measured.left)} (--max-time)")
    return "; ".join(parts)


def _reasons(measured: Measured, pace: float) -> Iterator[str]:
    """What takes most of the time."""
    mean = measured.responding / measured.exchanges
    if measured.allowed is not None and pace > measured.allowed / 2:
        yield f"the target allows {per_second(measured.allowed)} (429)"
    elif measured.waited > MUCH * measured.seconds:
        yield f"the target asked it to wait for {measured.waited:.0f} s (Retry-After)"
    elif measured.rate is not None and pace > measured.rate / 2:
        yield f"limits.requests-per-second of the profile is {measured.rate:g}"
    elif mean > SLOW:
        yield f"a response takes {mean:.2g} s, with up to {measured.at_once} requests at once"
    else:
        yield "this machine is busy"


def _shown(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


class Forecast:
    """A pytest plugin that prints after ten seconds how long a run of a target will take."""

    def __init__(self, depth: str, say: Callable[[str], None], after: float = AFTER) -> None:
        self._complete = EXCHANGES.get(depth, limits.EXPECTED[depth])
        self._after = after
        self._say = say
        self._left_out = 0
        self._timer: threading.Timer | None = None

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Count the checks that are left out."""
        self._left_out += len(items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Start to measure; not for the reference in this process, nor for runs with workers."""
        config = session.config
        if SESSION not in config.stash or stated_target.target_of(config) is None:
            return
        checks = len(session.items)
        share = expectation.share(prospect.of(config.stash[SESSION].target))
        expected = round(self._complete * share * checks / max(1, checks + self._left_out))
        arguments = (config.stash[SESSION], expected)
        self._timer = threading.Timer(self._after, self._forecast, arguments)
        self._timer.daemon = True
        self._timer.start()

    def _forecast(self, session: Session, expected: int) -> None:
        found = line(measured(session, expected, self._after))
        if found:
            self._say(found)

    def pytest_sessionfinish(self) -> None:
        """Say nothing once the run ends."""
        if self._timer is not None:
            self._timer.cancel()


def measured(session: Session, expected: int, seconds: float) -> Measured:
    """What a session has measured in its first seconds."""
    dispatcher = session.dispatcher
    return Measured(
        session.logged,
        expected,
        seconds,
        session.responding,
        dispatcher.waiting.waited,
        session.rate,
        dispatcher.concurrency,
        session.budget.left,
        dispatcher.pace.found,
    )
