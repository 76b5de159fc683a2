"""What has happened in a run so far: checks, outcomes and requests of each conformance class."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from conformance.contract.quantity import quantity
from conformance.contract.requirements import CLASSES
from conformance.contract.verdict import Verdict

ORDER = (Verdict.FAIL, Verdict.ERROR, "warning", Verdict.PASS, Verdict.INCONCLUSIVE)
"""The outcomes of a class that are named first; others follow."""

SHARED = "shared"
"""In place of a class: the facts, whose requests serve checks of several classes."""


@dataclass
class Tally:
    """The progress of a run: checks, outcomes and requests by conformance class.

    `sent` counts the requests of this process so far, those of unfinished checks included; None
    where others send them. A replay sends none: `noun` says what it has instead.
    """

    planned: Counter[str] = field(default_factory=Counter)
    total: int = 0
    done: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    exchanges: Counter[str] = field(default_factory=Counter)
    sent: Callable[[], int] | None = None
    noun: str = "request"
    current: str = ""
    started: float = field(default_factory=monotonic)

    def add(self, name: str, outcome: str, exchanges: int) -> None:
        """Count one check of a class."""
        self.done[name] += 1
        self.outcomes.setdefault(name, Counter())[outcome] += 1
        self.exchanges[name] += exchanges
        self.current = name

    def lines(self) -> Iterator[str]:
        """The outcomes of each class, and the requests that belong to none."""
        for name in filter(self.done.__contains__, CLASSES):
            yield self._line(name)
        if self.exchanges[SHARED]:
            requests = quantity(self.exchanges[SHARED], "request")
            yield f"{SHARED:15} {requests} for several checks"

    def _line(self, name: str) -> str:
        outcomes = ", ".join(f"{number} {each}" for each, number in self._outcomes(name))
        checks = f"{self.done[name]:4} {'check' if self.done[name] == 1 else 'checks'}"
        requests = quantity(self.exchanges[name], "request")
        return f"{name:15} {checks}: {outcomes}; {requests}"

    def _outcomes(self, name: str) -> list[tuple[str, int]]:
        found = self.outcomes[name]
        others = sorted(found.keys() - set(ORDER))
        return [(each, found[each]) for each in (*ORDER, *others) if found[each]]

    def progress_line(self) -> str:
        """How far the run is."""
        return f"{'progress':15} {self.done.total():4} of {self.total} checks; {self.requests()}"

    def requests(self) -> str:
        """The requests so far, and how many there are a second."""
        rate = self._requests / max(monotonic() - self.started, 0.001)
        return f"{quantity(self._requests, self.noun)}, {rate:.0f}/s"

    @property
    def _requests(self) -> int:
        return self.exchanges.total() if self.sent is None else self.sent()
