"""What a review goes through: attempts that ought to leave it as it was, and its approval."""

from dataclasses import dataclass, field

from conformance.contract.verdict import Kind, Violation, defect
from conformance.http.exchange import Exchange
from conformance.suite.approval.review_pool import Review, is_approved, is_withheld, shows_status


@dataclass(frozen=True)
class Attempt:
    """One request to approve that ought to be refused, and the review as it read afterwards; `before` is the review before it."""

    answer: Exchange
    after: Exchange
    before: Review | None = None


@dataclass
class Trial:
    """What one review went through: attempts that ought to be refused, then its approval by `scheme`, then a reading.

    `crowd` are stale attempts that travelled at once, `neighbours` readings of other reviews before and after.
    `resembling` is the refusal of a new key that is almost a used one.
    """

    review: Review
    scheme: str
    key: str
    attempts: dict[str, Attempt] = field(default_factory=dict)
    crowd: list[Attempt] = field(default_factory=list)
    resembling: Exchange | None = None
    answer: Exchange | None = None
    after: Exchange | None = None
    neighbours: list[tuple[Exchange, Exchange]] = field(default_factory=list)

    @property
    def approval(self) -> Exchange:
        """The answer to the approval that ought to succeed."""
        assert self.answer is not None
        return self.answer


def unchanged(attempt: Attempt) -> None:
    """Violation where the review reads as approved after an attempt."""
    if is_approved(attempt.after):
        raise Violation(
            defect(
                Kind.UNSORTED,
                f"{attempt.answer.purpose}: answered {attempt.answer.describe()}, and the review is approved",
                expected="the review stays as it was",
            ),
            exchanges=[attempt.answer.id, attempt.after.id],
        )


def spread(trial: Trial) -> list[Exchange]:
    """Readings of other reviews that were approved while that of the trial was."""
    return [
        after
        for before, after in trial.neighbours
        if not is_approved(before) and is_approved(after)
    ]


def is_moved(attempt: Attempt) -> bool:
    """Whether a review reads with another revision or status after an attempt than before, or as withheld; silence is none."""
    assert attempt.before is not None
    read, after = attempt.before.read, attempt.after
    moved = shown_revision(after) not in (None, attempt.before.revision) or is_withheld(after)
    return moved or (
        shows_status(read) and shows_status(after) and read.data["status"] != after.data["status"]
    )


def shown_revision(read: Exchange) -> object:
    """The revision that a review reads with, if any."""
    return read.data.get("subjectRevision") if isinstance(read.data, dict) else None
