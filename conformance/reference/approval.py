"""The one write: approving a review, guarded by the expected revision and an idempotency key ("States and transitions")."""

from dataclasses import dataclass
from typing import Final

from conformance.reference.access import check_role
from conformance.reference.faults import Conflict, NotFound
from conformance.reference.moments import written
from conformance.reference.queries import Reader
from conformance.reference.store import Row, Store
from conformance.reference.words import APPROVED

REMEMBERED: Final = """
    SELECT review_id, status, subject_revision FROM approvals
    WHERE account_id = :account
    AND idempotency_key = :key
"""

REMEMBER: Final = """
    INSERT INTO approvals (account_id, idempotency_key, review_id, status, subject_revision, approved_at)
    VALUES (:account, :key, :review, :status, :revision, :now)
"""

APPROVE: Final = (
    "UPDATE reviews SET status = :status, unavailable_reason = :reason WHERE id = :review"
)


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asks for: approve this review if its subject still has the expected revision."""

    review_id: str
    expected_revision: int
    idempotency_key: str


def approve(store: Store, account: str, request: Request, now: float) -> Row:
    """Approve and remember in one transaction; the row has `review_id`, `status` and `subject_revision`.

    The same request with the same key gets the remembered result again. A refused request leaves no trace, so its key stays free.
    NotFound outside the grant, Forbidden for the role, Conflict for everything that stands against the approval itself.
    """
    with store.transaction():
        review = _review(Reader(store, account), request)
        remembered = _remembered(store, account, request)
        if remembered:
            check_replay(remembered[0], request)
            return remembered[0]
        check_state(review, request)
        _write(store, account, request, now)
        return _remembered(store, account, request)[0]


def check_replay(remembered: Row, request: Request) -> None:
    """Conflict where the key was used for another review or another revision."""
    if remembered["review_id"] != request.review_id:
        raise Conflict("This idempotency key was used for another review.")
    if remembered["subject_revision"] != request.expected_revision:
        raise Conflict("This idempotency key was used for another revision.")


def check_state(review: Row, request: Request) -> None:
    """Conflict where the review is approved already, cannot be approved, or has another revision than expected."""
    if review["status"] == APPROVED.status:
        raise Conflict(APPROVED.unavailable_reason)
    if review["unavailable_reason"]:
        raise Conflict(review["unavailable_reason"])
    if review["subject_revision"] != request.expected_revision:
        raise Conflict(f"The subject is at revision {review['subject_revision']}.")


def _review(reader: Reader, request: Request) -> Row:
    """The review that is to be approved, by somebody whose role allows it."""
    review = reader.review(request.review_id)
    if review is None:
        raise NotFound("There is no such review.")
    check_role(reader.role(review["company_id"]))
    return review


def _remembered(store: Store, account: str, request: Request) -> list[Row]:
    """The approval that the caller's key stands for, if there is one."""
    return store.rows(REMEMBERED, {"account": account, "key": request.idempotency_key})


def _write(store: Store, account: str, request: Request, now: float) -> None:
    """Move the review to its new state, and remember the result under the caller's key."""
    decision = {
        "review": request.review_id,
        "status": APPROVED.status,
        "reason": APPROVED.unavailable_reason,
    }
    store.write(APPROVE, decision)
    result = {
        "account": account,
        "key": request.idempotency_key,
        "revision": request.expected_revision,
        "now": written(now),
    }
    store.write(REMEMBER, decision | result)
