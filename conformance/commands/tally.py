"""What has happened in a run so far: checks, outcomes and requests of each conformance class."""

from collections import Counter
from dataclasses import dataclass, field
from time import monotonic

from conformance.contract.quantity import quantity
from conformance.contract.verdict import Verdict
from conformance.runner.stash import FACT_RESULT

ORDER = (Verdict.FAIL, Verdict.ERROR, "warning", Verdict.PASS, Verdict.INCONCLUSIVE)
"""The outcomes of a class that are named first; others follow."""


@dataclass
class Tally:
    """The progress of a run: checks, outcomes and requests by conformance class."""

    planned: Counter[str] = field(default_factory=Counter)
    total: int = 0
    done: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    exchanges: Counter[str] = field(default_factory=Counter)
    current: str = ""
    started: float = field(default_factory=monotonic)

    def add(self, name: str, outcome: str, exchanges: int) -> None:
        """Count one check of a class."""
        self.done[name] += 1
        self.outcomes.setdefault(name, Counter())[outcome] += 1
        self.exchanges[name] += exchanges
        self.current = name

    def line(self, name: str) -> str:
        """The outcomes of a class."""
        outcomes = ", ".join(f"{number} {each}" for each, number in self._outcomes(name))
        checks = f"{self.done[name]:4} {'check' if self.done[name] == 1 else 'checks'}"
        requests = quantity(self.exchanges[name], "request")
        return f"{name:15} {checks}: {outcomes}; {requests}"

    def _outcomes(self, name: str) -> list[tuple[str, int]]:
        found = self.outcomes[name]
        others = sorted(found.keys() - set(ORDER))
        return [(each, found[each]) for each in (*ORDER, *others) if found[each]]

    def shared_line(self) -> str:
        """The requests that belong to no class, since checks of several classes use them."""
        requests = quantity(self.exchanges[FACT_RESULT], "request")
        return f"{'shared':15} {requests} for several checks"

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.exchanges.total() / max(monotonic() - self.started, 0.001)
