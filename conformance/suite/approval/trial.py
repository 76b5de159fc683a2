"""What one review goes through: attempts that have to be rejected, then its approval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.contract.quantity import quantity
from conformance.contract.verdict import Inconclusive, Kind
from conformance.http.exchange import Exchange, parse
from conformance.suite.approval.bystanders import are_unrelated, shares_as_much
from conformance.suite.approval.plan import STALE_KIND
from conformance.suite.approval.review import (
    Review,
    is_approved,
    is_withheld,
    record_of,
    shown_revision,
    shows_status,
)
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, of_status

Bystander = tuple[Exchange, Exchange]
"""Another review, as read before and after an approval."""


@dataclass(frozen=True)
class Attempt:
    """A request to approve `before` that has to be rejected, and the review as read afterwards.

    `kind` is that of the planned attempt; `first` is the response to the same request, sent before.
    """

    response: Exchange
    after: Exchange
    before: Review
    kind: str = ""
    first: Exchange | None = None

    @property
    def changed_review(self) -> bool:
        """Whether the review shows another revision or status than before, or is withheld."""
        return self._changed_revision or is_withheld(self.after) or self.changed_status

    @property
    def changed_property(self) -> str:
        """The property that shows best that the review was changed."""
        if self.changed_status:
            return "status"
        return "subjectRevision" if self._changed_revision else "approvable"

    @property
    def changed_status(self) -> bool:
        """Whether the review shows another status than before."""
        read, after = self.before.read, self.after
        if not (shows_status(read) and shows_status(after)):
            return False
        return bool(record_of(read)["status"] != record_of(after)["status"])

    @property
    def _changed_revision(self) -> bool:
        return shown_revision(self.after) not in (None, self.before.revision)

    @property
    def sent_revision(self) -> Any:
        """The revision that the request expected; None where its body is not an object."""
        return revision_sent(self.response)

    @property
    def is_overtaken(self) -> bool:
        """Whether others may have made the revision that was sent, before the request arrived."""
        sent, after = self.sent_revision, shown_revision(self.after)
        if self.response.status != 200:
            return False
        if not isinstance(sent, int | float) or not isinstance(after, int | float):
            return False
        return bool(self.before.revision < sent <= after)

    @property
    def is_outrun(self) -> bool:
        """Whether the revision that was sent may have been stale when the request arrived.

        Some targets look at the revision before anything else.
        """
        if self.kind == STALE_KIND or self.response.status != 409:
            return False
        return shown_revision(self.after) not in (None, self.before.revision)


class NoneLeftToApprove(Inconclusive):
    """Attempts that have to be rejected have taken every approvable review.

    `attempts` are those of which it is certain, by label.
    """

    def __init__(self, problem: Inconclusive, attempts: Mapping[str, Attempt]) -> None:
        number = quantity(len(attempts), "attempt")
        super().__init__(
            f"{problem.message}: {number} that had to be rejected approved one",
            needs=problem.needs,
            exchanges=[each.response.id for each in attempts.values()],
        )
        self.attempts = attempts


@dataclass(frozen=True)
class Approval:
    """A request to approve that has to succeed, with its key.

    `rejected_key` is the 409 to a new key that resembles a used one, where that came first.
    """

    review: Review
    key: str
    response: Exchange
    rejected_key: Exchange | None = None


@dataclass(frozen=True)
class Trial:
    """What one review went through.

    `attempts` are by label, `concurrent` are stale attempts that were sent at once. Then the review
    was approved by `scheme`, and read: `after`. `bystanders` are other reviews, and those
    `afar` became approved on later pages of the list. `kept` are pages that ended with the review
    before. `effects` counts the reviews that attempts of each kind have taken so far.
    """

    review: Review
    scheme: str
    key: str
    approval: Exchange
    after: Exchange
    rejected_key: Exchange | None = None
    attempts: Mapping[str, Attempt] = field(default_factory=dict)
    concurrent: tuple[Attempt, ...] = ()
    bystanders: tuple[Bystander, ...] = ()
    afar: tuple[Bystander, ...] = ()
    kept: tuple[Exchange, ...] = ()
    effects: Mapping[str, int] = field(default_factory=dict)

    @property
    def also_approved(self) -> list[Exchange]:
        """Other reviews that became approved together with that of the trial."""
        return _approved_of(self.bystanders)

    @property
    def also_approved_afar(self) -> list[Exchange]:
        """Reviews on later pages of the list that became approved together with that of the trial.

        Others may approve one there at any time.
        """
        return _approved_of(self.afar)

    @property
    def also_revised(self) -> list[Exchange]:
        """Unrelated reviews that got another revision together with the approval.

        Others may revise one at any time. And a revision may be that of something larger, which
        contains both reviews: then no other review in it keeps its own.
        """
        own = self.review.record
        unrelated = [pair for pair in self.bystanders if self._is_unrelated(pair[1])]
        revised = [pair for pair in unrelated if _is_revised(*pair)]
        kept = [record_of(pair[0]) for pair in unrelated if _is_revised(*pair) is False]
        return [
            after
            for before, after in revised
            if any(shares_as_much(record_of(before), own, other) for other in kept)
        ]

    def _is_unrelated(self, read: Exchange) -> bool:
        return are_unrelated(self.review.record, record_of(read))


def revision_sent(response: Exchange) -> Any:
    """The revision that a request to approve expected; None where its body is not an object."""
    document, _ = parse(response.call.body or b"{}")
    return document.get("expectedSubjectRevision") if isinstance(document, dict) else None


def _approved_of(bystanders: Sequence[Bystander]) -> list[Exchange]:
    return [after for before, after in bystanders if is_approved(after) and not is_approved(before)]


def _is_revised(before: Exchange, after: Exchange) -> bool | None:
    """Whether a review got another revision; None where a read shows none."""
    revisions = [shown_revision(before), shown_revision(after)]
    return None if None in revisions else revisions[0] != revisions[1]


def check_not_approved(response: Exchange, after: Exchange) -> None:
    """Raise Violation where a review reads as approved after a request that was rejected."""
    otherwise = of_status(
        response,
        "{request}: {response}, and the review is approved",
        expected="the review stays as it was",
        kind=Kind.EFFECT,
        request=response.purpose,
    )
    where = in_data(after, "status")
    expect.that(not is_approved(after), otherwise.at(where).on("status"), response, after)
