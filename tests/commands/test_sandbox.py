"""The served reference as a sandbox: latency, failures, limits, browsers, a log."""

import asyncio
from itertools import islice
from typing import Any

import pytest

from conformance.commands.sandbox import latency
from conformance.commands.sandbox.latency import Delayed, Latency


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("150ms", Latency(0.15)),
        ("0.2s", Latency(0.2)),
        ("150ms±50", Latency(0.15, 0.05)),
        ("1s±200ms", Latency(1.0, 0.2)),
        ("150ms+-50", Latency(0.15, 0.05)),
    ],
)
def test_a_latency_has_a_unit_and_a_spread(text: str, expected: Latency) -> None:
    """The spread has the unit of the latency unless it names one."""
    parsed = latency.parse(text)
    assert parsed.mean == pytest.approx(expected.mean)
    assert parsed.spread == pytest.approx(expected.spread)


@pytest.mark.parametrize("text", ["", "150", "-1ms", "fast", "150ms±", "10ms±20"])
def test_an_unusable_latency_is_a_usage_error(text: str) -> None:
    """The message names the text."""
    with pytest.raises(ValueError, match=r"must be a latency|negative"):
        latency.parse(text)


def test_the_delays_of_a_seed_are_always_the_same() -> None:
    """They stay within the spread, and another seed has others."""
    delays = list(islice(Latency(0.15, 0.05).delays(1), 200))
    assert delays == list(islice(Latency(0.15, 0.05).delays(1), 200))
    assert delays != list(islice(Latency(0.15, 0.05).delays(2), 200))
    assert 0.1 <= min(delays) < 0.11
    assert 0.19 < max(delays) <= 0.2


def test_delayed_requests_wait_side_by_side() -> None:
    """Ten requests of 50 ms take less than twice that time together."""
    handled = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        handled.append(scope)

    async def requests() -> float:
        delayed = Delayed(app, Latency(0.05), 1)
        clock = asyncio.get_running_loop().time
        start = clock()
        await asyncio.gather(*(delayed({}, None, None) for _ in range(10)))  # type: ignore[arg-type]
        return clock() - start

    assert 0.05 <= asyncio.run(requests()) < 0.1
    assert len(handled) == 10
