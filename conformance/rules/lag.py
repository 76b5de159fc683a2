"""How long what a target shows may lag behind a write, or behind another read (not shown)."""

from dataclasses import dataclass

from conformance.target.target import USUAL_LAG

SHARES = (0.04, 0.16, 0.4, 0.6)
"""The pauses before each further read of what disagrees, in parts of the lag: more than one."""


@dataclass(frozen=True)
class Lag:
    """The lag of one target; `seconds` are those that its profile states."""

    seconds: float = USUAL_LAG

    @property
    def pauses(self) -> tuple[float, ...]:
        """Seconds before each further read: a read after the last of them no longer lags."""
        return tuple(share * self.seconds for share in SHARES)

    @property
    def patience(self) -> float:
        """Seconds after which no read lags any more."""
        return sum(self.pauses)
