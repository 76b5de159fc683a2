"""The one write: approving a review, guarded by the expected revision and an idempotency key ("States and transitions")."""

from dataclasses import dataclass
from typing import Final

from conformance.reference.access import check_role
from conformance.reference.errors import Conflict, NotFound
from conformance.reference.queries import AccountReader
from conformance.reference.store import Row, Store
from conformance.reference.timestamps import format_timestamp
from conformance.reference.vocabulary import APPROVED

SELECT_APPROVAL: Final = """
    SELECT review_id, status, subject_revision FROM approvals
    WHERE account_id = :account
    AND idempotency_key = :key
"""

INSERT_APPROVAL: Final = """
    INSERT INTO approvals (account_id, idempotency_key, review_id, status, subject_revision, approved_at)
    VALUES (:account, :key, :review, :status, :revision, :now)
"""

UPDATE_REVIEW: Final = (
    "UPDATE reviews SET status = :status, unavailable_reason = :reason WHERE id = :review"
)


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """What the caller asks for: approve this review if its subject still has the expected revision."""

    review_id: str
    expected_revision: int
    idempotency_key: str


def approve(store: Store, account: str, request: ApprovalRequest, now: float) -> Row:
    """Approve and remember in one transaction; the row has `review_id`, `status` and `subject_revision`.

    The same request with the same key gets the remembered result again. A refused request leaves no trace, so its key stays free.
    NotFound outside the grant, Forbidden for the role, Conflict for everything that stands against the approval itself.
    """
    with store.transaction():
        review = _review(AccountReader(store, account), request)
        stored = _stored(store, account, request)
        if stored:
            check_replay(stored[0], request)
            return stored[0]
        check_state(review, request)
        _store(store, account, request, now)
        return _stored(store, account, request)[0]


def check_replay(stored: Row, request: ApprovalRequest) -> None:
    """Conflict where the key was used for another review or another revision."""
    if stored["review_id"] != request.review_id:
        raise Conflict("This idempotency key was used for another review.")
    if stored["subject_revision"] != request.expected_revision:
        raise Conflict("This idempotency key was used for another revision.")


def check_state(review: Row, request: ApprovalRequest) -> None:
    """Conflict where the review is approved already, cannot be approved, or has another revision than expected."""
    if review["status"] == APPROVED.status:
        raise Conflict(APPROVED.unavailable_reason)
    if review["unavailable_reason"]:
        raise Conflict(review["unavailable_reason"])
    if review["subject_revision"] != request.expected_revision:
        raise Conflict(f"The subject is at revision {review['subject_revision']}.")


def _review(reader: AccountReader, request: ApprovalRequest) -> Row:
    """The review that is to be approved, by somebody whose role allows it."""
    review = reader.review(request.review_id)
    if review is None:
        raise NotFound("There is no such review.")
    check_role(reader.role(review["company_id"]))
    return review


def _stored(store: Store, account: str, request: ApprovalRequest) -> list[Row]:
    """The approval that the caller's key stands for, if there is one."""
    return store.rows(SELECT_APPROVAL, {"account": account, "key": request.idempotency_key})


def _store(store: Store, account: str, request: ApprovalRequest, now: float) -> None:
    """Move the review to its new state, and remember the result under the caller's key."""
    state = {
        "review": request.review_id,
        "status": APPROVED.status,
        "reason": APPROVED.unavailable_reason,
    }
    store.write(UPDATE_REVIEW, state)
    result = {
        "account": account,
        "key": request.idempotency_key,
        "revision": request.expected_revision,
        "now": format_timestamp(now),
    }
    store.write(INSERT_APPROVAL, state | result)
