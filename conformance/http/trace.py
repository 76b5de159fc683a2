"""Headers by which a request is found in the logs of the target."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from urllib.parse import quote

TRACEPARENT = "traceparent"
EXCHANGE = "x-conformance-exchange"
HEADERS = frozenset({TRACEPARENT, EXCHANGE})
SAFE = "/:[]#,.-_ "


@dataclass(frozen=True)
class Trace:
    """The trace of a run (W3C Trace Context); the same seed has the same one.

    Each exchange is a span of it, so that a run can be repeated against its recording.
    """

    seed: int

    def headers(self, exchange: str) -> tuple[tuple[str, str], ...]:
        """The headers of one exchange."""
        span = blake2b(f"{self.seed} {exchange}".encode(), digest_size=8).hexdigest()
        return (
            (TRACEPARENT, f"00-{self._id}-{span}-01"),
            (EXCHANGE, quote(exchange, safe=SAFE)),
        )

    @cached_property
    def _id(self) -> str:
        return blake2b(f"conformance {self.seed}".encode(), digest_size=16).hexdigest()
