"""A model of approvals: what the contract allows an attempt to be answered, given all that was attempted before."""

from dataclasses import dataclass, field
from typing import Any

from conformance.suite.approval.attempts import ON_APPROVED, conflict


@dataclass(eq=False)
class Subject:
    """A review under the model: its revision, and whether one of its approvals has succeeded."""

    id: str
    revision: int
    approved: bool = False


@dataclass(frozen=True)
class Attempt:
    """An approval with a key, expecting the right revision or one that is off by `difference`."""

    subject: Subject
    key: str
    difference: int = 0


@dataclass
class Model:
    """What has been approved with which key, and which keys went along with attempts that approved nothing anew."""

    results: dict[tuple[str, str], Any] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)

    def allowed(self, attempt: Attempt) -> frozenset[int]:
        """The statuses that the contract allows (States and transitions)."""
        subject, key = attempt.subject, attempt.key
        stale = conflict(subject.revision + attempt.difference)
        if (key, subject.id) in self.results:
            return stale if attempt.difference else frozenset({200})
        used_elsewhere = any(used == key for used, _ in self.results)
        if subject.approved:
            return ON_APPROVED
        if attempt.difference:
            return stale | ({400, 422} if used_elsewhere else frozenset())
        # A key that another attempt was refused with may be free again, or stuck; one of an approved review may belong to that.
        return frozenset({200, 409}) if used_elsewhere or key in self.tried else frozenset({200})

    def replays(self, attempt: Attempt) -> Any:
        """The result that the attempt has to repeat, or None where it repeats none."""
        return None if attempt.difference else self.results.get((attempt.key, attempt.subject.id))

    def learn(self, attempt: Attempt, status: int, result: Any) -> None:
        """Take an allowed answer to an attempt into account."""
        if status == 200 and not attempt.subject.approved:
            attempt.subject.approved = True
            self.results[attempt.key, attempt.subject.id] = result
        else:
            self.tried.add(attempt.key)
