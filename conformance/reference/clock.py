"""The time that the service reads: the system's, or one that a test moves by hand."""

import threading
import time
from typing import Protocol

from conformance.reference.timestamps import SNAPSHOT_TIME


class Clock(Protocol):
    """Tells the present as seconds since 1970-01-01T00:00:00Z."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


class ManualClock:
    """A clock that stands still until it is advanced; it starts at the dataset's present."""

    def __init__(self, start: float = SNAPSHOT_TIME) -> None:
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass at once."""
        with self._lock:
            self._now += seconds
