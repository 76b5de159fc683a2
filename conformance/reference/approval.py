"""The only write operation: approving a review ("States and transitions").

The expected revision and the idempotency key guard it.
"""

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
    INSERT INTO approvals
    (account_id, idempotency_key, review_id, status, subject_revision, approved_at)
    VALUES (:account, :key, :review, :status, :revision, :now)
"""

UPDATE_REVIEW: Final = (
    "UPDATE reviews SET status = :status, unavailable_reason = :reason WHERE id = :review"
)


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """Approve this review if its subject still has the expected revision."""

    review_id: str
    expected_revision: int
    idempotency_key: str


def approve(store: Store, account: str, request: ApprovalRequest, now: float) -> Row:
    """Approve the review and store the result, in one transaction.

    The row has `review_id`, `status` and `subject_revision`.
    The same request with the same key returns the stored result.
    A rejected request stores nothing, so that its key can be used again.
    Raises NotFound outside the grant, Forbidden for the role, and Conflict for the revision, the
    state of the review or the key.
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
    """Raise Conflict if the key was used for another review or another revision."""
    if stored["review_id"] != request.review_id:
        raise Conflict("This idempotency key was used for another review.")
    if stored["subject_revision"] != request.expected_revision:
        raise Conflict("This idempotency key was used for another revision.")


def check_state(review: Row, request: ApprovalRequest) -> None:
    """Raise Conflict if the review cannot be approved, or its revision is not the expected one."""
    if review["status"] == APPROVED.status:
        raise Conflict(APPROVED.unavailable_reason)
    if review["unavailable_reason"]:
        raise Conflict(review["unavailable_reason"])
    if review["subject_revision"] != request.expected_revision:
        raise Conflict(f"The subject is at revision {review['subject_revision']}.")


def _review(reader: AccountReader, request: ApprovalRequest) -> Row:
    """Return the review; raise NotFound outside the grant, and Forbidden for the role."""
    review = reader.review(request.review_id)
    if review is None:
        raise NotFound("There is no such review.")
    check_role(reader.role(review["company_id"]))
    return review


def _stored(store: Store, account: str, request: ApprovalRequest) -> list[Row]:
    """The stored approvals with the caller's key: one or none."""
    return store.rows(SELECT_APPROVAL, {"account": account, "key": request.idempotency_key})


def _store(store: Store, account: str, request: ApprovalRequest, now: float) -> None:
    """Set the new state of the review, and store the result with the caller's key."""
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
