"""A review, and its state as one response shows it (Review, States and transitions)."""

from dataclasses import dataclass
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Defect, Inconclusive, Kind, defect
from conformance.http.exchange import Exchange
from conformance.rules.judgement import shown

APPROVED = "approved"
Record = dict[str, Any]


@dataclass(frozen=True)
class Review:
    """A review that was not approved when it was last read; `read` is that response."""

    id: str
    revision: int
    read: Exchange

    @property
    def record(self) -> Record:
        """The review as the response shows it."""
        return record_of(self.read)

    @property
    def is_withheld(self) -> bool:
        """Whether the review states that it cannot be approved."""
        return is_withheld(self.read)


def record_of(response: Exchange) -> Record:
    """`data` of a response; empty where it is not an object."""
    return response.data if isinstance(response.data, dict) else {}


def identified(page: Exchange) -> list[Record]:
    """The items of a page of reviews that show their id: the specification does not require it."""
    return [item for item in page.items if is_uuid(item.get("id"))]


def is_approved(read: Exchange) -> bool:
    """Whether a response shows its review as approved (States and transitions)."""
    return bool(record_of(read).get("status") == APPROVED)


def is_withheld(read: Exchange) -> bool:
    """Whether a response shows a review that is not approved and cannot be approved (Review)."""
    return record_of(read).get("approvable") is False and not is_approved(read)


def shows_status(read: Exchange) -> bool:
    """Whether a response shows the status of its review: the specification does not require it."""
    return "status" in record_of(read)


def in_former_state(review: Review, read: Exchange) -> bool:
    """Whether a response shows the status that the review had before its approval.

    An approved review may get any further status, at any time, but not that one.
    """
    return _is_former(review, record_of(read))


def lists_former_state(review: Review, page: Exchange) -> bool:
    """Whether a page of the list shows the status that the review had before its approval."""
    own = [item for item in page.items if str(item.get("id")).lower() == review.id.lower()]
    return any(_is_former(review, item) for item in own)


def _is_former(review: Review, record: Record) -> bool:
    former = review.record.get("status")
    return former is not None and bool(record.get("status") == former)


def shown_revision(read: Exchange) -> object:
    """The `subjectRevision` that a response shows, if any."""
    return record_of(read).get("subjectRevision")


class NoRevisionError(Inconclusive):
    """A review shows no `subjectRevision` to expect: the specification does not require it."""


def revision_of(read: Exchange) -> int:
    """The `subjectRevision` that a response shows; raises NoRevisionError where it shows none."""
    found = shown_revision(read)
    if isinstance(found, bool) or not isinstance(found, int | float) or int(found) != found:
        raise NoRevisionError(
            "the review shows no subjectRevision to expect",
            needs=("reviews with a subjectRevision",),
            exchanges=[read.id],
        )
    return int(found)


def revision_or_first(read: Exchange) -> int:
    """The `subjectRevision` that a response shows, or 1.

    It serves for approvals that have to be rejected at any revision.
    """
    try:
        return revision_of(read)
    except Inconclusive:
        return 1


def keeps_status(status: object, text: str, kind: Kind = Kind.DIFFERENCE) -> Defect:
    """The defect of showing the status that a review had before its approval, which {status} is."""
    found = defect(kind, text, expected=APPROVED, actual=status, status=shown(status))
    return found.on("status")
