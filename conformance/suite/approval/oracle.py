"""The oracle of approvals: the responses that the contract allows, given all earlier attempts."""

from dataclasses import dataclass, field
from typing import Any

from conformance.suite.approval.attempts import ON_APPROVED, conflict


@dataclass(eq=False)
class Subject:
    """A review as the oracle knows it: its revision, and whether it was approved."""

    id: str
    revision: int
    approved: bool = False


@dataclass(frozen=True)
class Step:
    """An approval of a subject with a key, at a revision that is off by `difference`."""

    subject: Subject
    key: str
    difference: int = 0


@dataclass
class Oracle:
    """Derives the allowed responses from the steps before.

    `results` are the results of approvals by key and review, `tried` the keys of all other steps.
    """

    results: dict[tuple[str, str], Any] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)

    def allowed(self, step: Step) -> frozenset[int]:
        """The statuses that the contract allows (States and transitions)."""
        subject, key = step.subject, step.key
        stale = conflict(subject.revision + step.difference)
        if (key, subject.id) in self.results:
            return stale if step.difference else frozenset({200})
        used_elsewhere = any(used == key for used, _ in self.results)
        if subject.approved:
            return ON_APPROVED
        if step.difference:
            return stale | ({400, 422} if used_elsewhere else frozenset())
        # A key of a rejected step may be free or not; that of an approved review may belong to it.
        may_conflict = used_elsewhere or key in self.tried
        return frozenset({200, 409}) if may_conflict else frozenset({200})

    def replayed(self, step: Step) -> Any:
        """The result that the response has to repeat, or None."""
        return None if step.difference else self.results.get((step.key, step.subject.id))

    def mark_tried(self, key: str) -> None:
        """Record that a key was sent with a request of unknown outcome."""
        self.tried.add(key)

    def learn(self, step: Step, status: int, result: Any) -> None:
        """Record an allowed response."""
        if status == 200 and not step.subject.approved:
            step.subject.approved = True
            self.results[step.key, step.subject.id] = result
        else:
            self.tried.add(step.key)
