"""Responses that take their time: `--latency 150ms±50`."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from starlette.types import ASGIApp, Receive, Scope, Send

LATENCY = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s)(?:(?:±|\+-)([0-9]+(?:\.[0-9]+)?)(ms|s)?)?")
SECONDS = {"ms": 0.001, "s": 1.0}


@dataclass(frozen=True)
class Latency:
    """How long each request waits, in seconds: `mean`, and at most `spread` more or less."""

    mean: float
    spread: float = 0.0

    def delays(self, seed: int) -> Iterator[float]:
        """The delays of the first request, the second, and so on; the same for the same seed."""
        rng = Random(f"{seed} latency")
        while True:
            yield rng.uniform(self.mean - self.spread, self.mean + self.spread)


def parse(text: str) -> Latency:
    """A latency such as `150ms`, `0.2s`, `150ms±50` or `150ms+-50`; ValueError for another text."""
    match = LATENCY.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} must be a latency such as 150ms, 0.2s or 150ms±50")
    mean, unit, spread, spread_unit = match.groups()
    latency = Latency(
        float(mean) * SECONDS[unit], float(spread or 0) * SECONDS[spread_unit or unit]
    )
    if latency.spread > latency.mean:
        raise ValueError(f"{text!r} would be negative at times; give a smaller spread")
    return latency


class Delayed:
    """An application whose requests wait before they are handled; they wait side by side."""

    def __init__(self, app: ASGIApp, latency: Latency, seed: int) -> None:
        self._app = app
        self._delays = latency.delays(seed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        await asyncio.sleep(next(self._delays))
        await self._app(scope, receive, send)
