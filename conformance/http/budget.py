"""What a command may use: memory for responses, requests, and time; no target decides on it.

Each run states its own budget. Whatever else sends requests, such as `init`, `doctor` and `replay`,
has the one that nobody has to ask for.
"""

import threading
import time
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from conformance.contract.verdict import Inconclusive

LONGEST_RESPONSE = 8 * 1024 * 1024
"""Bytes of the body of a response, decoded."""

MOST_VALUES = 150_000
"""JSON values in the body of a response: each takes up many times the bytes of its text."""

MEMORY = 128 * 1024 * 1024
"""Bytes that all responses may take up that something refers to, by estimate."""

SMALL = 16 * 1024
"""Bytes of a body with its headers that do not count, as those of most responses of a run."""

HEADER = 200
"""Bytes that a header takes up beside its text."""

VALUE = 20
"""Bytes that a JSON value takes up beside its text: few are kept parsed, and not for long."""

TEXT = 64
"""Bytes of the text of an ordinary value: requests may repeat a longer one, such as a cursor."""

OWN_REQUESTS, OWN_SECONDS = 500, 60.0
"""The requests and the seconds of a command that is no run."""

Headers = Iterable[tuple[str, str]]

RESPONSE, REMEMBERED = "max-response-bytes", "memory"
TIME, REQUESTS = "max-time", "max-requests"
AWAY = "away"
LOG = "max-log"
NEEDS = {
    RESPONSE: f"limits.{RESPONSE}",
    REMEMBERED: "a run of fewer classes",
    TIME: f"--{TIME}",
    REQUESTS: f"--{REQUESTS}",
}
"""What is needed to check what a budget has cut."""


@dataclass
class Budget:
    """The budgets of one process, and what became of them.

    `longest` is in bytes; `requests` and `seconds` are those of the whole process, None: no limit.
    `cut` counts by name how often a budget has cut something. Seconds count from `begin`. `owner`
    is what they are the budgets of, for messages.
    """

    longest: int = LONGEST_RESPONSE
    requests: int | None = OWN_REQUESTS
    seconds: float | None = OWN_SECONDS
    owner: str = "command"
    memory: int = MEMORY
    now: Callable[[], float] = time.monotonic
    cut: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._began = self.now()
        self._sent = 0
        self._used = 0
        self._ended: str | None = None
        # A response may be released at any moment, also while this lock is held.
        self._lock = threading.RLock()

    @classmethod
    def within(cls, longest: int | None, requests: int | None, seconds: float | None) -> "Budget":
        """The budget of a command, or less where a profile states less."""
        return cls(
            longest=longest or LONGEST_RESPONSE,
            requests=min(requests or OWN_REQUESTS, OWN_REQUESTS),
            seconds=min(seconds or OWN_SECONDS, OWN_SECONDS),
        )

    def begin(self, began: float) -> None:
        """The time counts from a moment of the clock `now`."""
        self._began = began

    def end(self, why: str) -> None:
        """Send nothing more: what is under way is not checked to its end."""
        self._ended = why

    @property
    def left(self) -> float | None:
        """Seconds until the end of the run; None where no end is stated."""
        return None if self.seconds is None else self.seconds - self.passed

    @property
    def passed(self) -> float:
        """Seconds since the run began."""
        return self.now() - self._began

    @property
    def requests_left(self) -> int | None:
        """Requests that the run may still send; None where their number has no limit."""
        return None if self.requests is None else self.requests - self._sent

    @property
    def is_over(self) -> bool:
        """Whether the time of the run has passed."""
        return self.left is not None and self.left <= 0

    @property
    def is_used_up(self) -> bool:
        """Whether the run may send nothing more."""
        is_sent = self.requests is not None and self._sent >= self.requests
        return self.is_over or is_sent or self._ended is not None

    def spend(self) -> None:
        """Count a request; Inconclusive where the run may send no more."""
        if self._ended is not None:
            raise Inconclusive(f"the {self.owner} was ended by {self._ended}")
        if self.is_over:
            self.note(TIME)
            message = f"the {self.seconds:g} s of the {self.owner} are over"
            raise Inconclusive(message, needs=(NEEDS[TIME],))
        if self.requests is not None and self._sent >= self.requests:
            self.note(REQUESTS)
            message = f"the {self.requests} requests of the {self.owner} were sent"
            raise Inconclusive(message, needs=(NEEDS[REQUESTS],))
        self._sent += 1

    def note(self, name: str) -> None:
        """A budget has cut something."""
        with self._lock:
            self.cut[name] = self.cut.get(name, 0) + 1

    def admit(
        self, response: object, body: bytes, headers: Headers = (), held: int | None = None
    ) -> bool:
        """Whether the memory suffices for a response; it counts until nothing refers to it.

        `held` are the bytes that its body takes up where it is compressed.
        """
        beside = sum(len(name) + len(value) + HEADER for name, value in headers)
        if len(body) + beside <= SMALL:
            return True
        number = values(body)
        size = (len(body) if held is None else held) + beside
        size += max(len(body) - TEXT * number, 0) + VALUE * number
        with self._lock:
            if self._used + size > self.memory:
                return False
            self._used += size
        weakref.finalize(response, self._release, size).atexit = False
        return True

    def _release(self, size: int) -> None:
        with self._lock:
            self._used -= size


def values(body: bytes) -> int:
    """About how many values a JSON text has: no fewer than it really has."""
    return 1 + body.count(b",") + body.count(b"[") + body.count(b"{")
