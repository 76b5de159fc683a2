"""The rate limit of a target, measured by a short burst of reads."""

import math

from conformance.http import quota
from conformance.http.exchange import Call, Exchange
from conformance.http.pace import LearnedRate
from conformance.http.retry import TOO_MANY_REQUESTS
from conformance.http.sending import Sending
from conformance.runner.session import Session

BURST = 30
"""Requests at most; a limit that allows more of them at once is not met."""
AT_ONCE = 3
"""Requests that are under way at once."""
ENOUGH = 2
"""Rejections after which the rate is known: before the first one, a burst may have been served."""
LONGEST_PAUSE = 5.0
"""Seconds to wait at most for the second rejection."""
MARGIN = 0.95
"""The part of the allowed rate that a profile states."""


def measured(session: Session) -> float | None:
    """The requests per second that the target allows primary; None where it rejects none."""
    client = session.context("rate").client
    primary = session.target.credentials.get("primary")
    purpose = "how many requests are allowed?"
    sending = Sending(primary, None, purpose, patient=False, in_contract=False)
    call, rate, rejections = Call(session.api.simplest.id), LearnedRate(), 0
    for _ in range(BURST // AT_ONCE):
        responses = client.send_all([call] * AT_ONCE, [sending] * AT_ONCE)
        pause = max(_noted(each, rate) for each in responses)
        rejections += pause > 0
        session.transport.wait(min(pause, LONGEST_PAUSE))
        if pause > LONGEST_PAUSE or rejections == ENOUGH:
            break
    return rate.found


def _noted(exchange: Exchange, rate: LearnedRate) -> float:
    """The seconds that a response asks to wait, from which the rate is learned."""
    end = exchange.started + exchange.elapsed
    if exchange.response is None or exchange.status != TOO_MANY_REQUESTS:
        rate.serve(exchange.started, end)
        return 0.0
    pause = max(quota.pause(exchange.response), 0.001)
    rate.reject(exchange.started, end + pause)
    return pause


def stated(found: float) -> float:
    """The rate for a profile: a little lower, and a short number."""
    lower = found * MARGIN
    return float(math.floor(lower)) if lower >= 2 else math.floor(lower * 100) / 100
