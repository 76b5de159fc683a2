"""The clock of the service: that of the system, or one that a test advances."""

import threading
import time
from typing import Protocol

from conformance.reference.timestamps import SNAPSHOT_TIME


class Clock(Protocol):
    """A source of the current time."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...


class SystemClock:
    """The clock of the operating system."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


class ManualClock:
    """A clock that changes only by `advance`; it starts at the time of the dataset."""

    def __init__(self, start: float = SNAPSHOT_TIME) -> None:
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the clock forward by `seconds`."""
        with self._lock:
            self._now += seconds
