"""Fixtures of a target profile (reviews to approve, records outside the grant), and examples."""

from typing import Any, Final

from conformance.reference.store import Row, Store

APPROVABLE_REVIEW_COUNT: Final = 40
"""The number of approvable reviews in a profile; the others remain for manual use."""

UNAPPROVABLE_REVIEW_COUNT: Final = 6

APPROVABLE: Final = """
    SELECT reviews.id FROM reviews JOIN grants ON grants.project_id = reviews.project_id
    WHERE grants.account_id = :account AND reviews.unavailable_reason = ''
    ORDER BY reviews.position LIMIT :most
"""

UNAPPROVABLE: Final = """
    SELECT reviews.id FROM reviews JOIN grants ON grants.project_id = reviews.project_id
    WHERE grants.account_id = :account
    AND reviews.unavailable_reason <> '' AND reviews.status <> 'approved'
    ORDER BY reviews.position LIMIT :most
"""

FOREIGN: Final = """
    SELECT id, company_id, project_id, video_id FROM reviews
    WHERE company_id NOT IN (SELECT company_id FROM memberships WHERE account_id = :account)
    AND unavailable_reason = '' ORDER BY position LIMIT 1
"""

UNGRANTED: Final = """
    SELECT id, project_id, video_id FROM reviews
    WHERE company_id IN (SELECT company_id FROM memberships WHERE account_id = :account)
    AND project_id NOT IN (SELECT project_id FROM grants WHERE account_id = :account)
    AND unavailable_reason = '' ORDER BY position LIMIT 1
"""

EXAMPLE: Final = """
    SELECT reviews.* FROM reviews JOIN grants ON grants.project_id = reviews.project_id
    WHERE grants.account_id = :account
    ORDER BY reviews.unavailable_reason = '' DESC, reviews.position DESC LIMIT 1
"""


def approvable_reviews(store: Store, account: str) -> list[str]:
    """Ids of reviews within the grant that can be approved now, at most 40."""
    rows = store.rows(APPROVABLE, {"account": account, "most": APPROVABLE_REVIEW_COUNT})
    return [review["id"] for review in rows]


def unapprovable_reviews(store: Store, account: str) -> list[str]:
    """Ids of reviews within the grant that cannot be approved and are not approved."""
    rows = store.rows(UNAPPROVABLE, {"account": account, "most": UNAPPROVABLE_REVIEW_COUNT})
    return [review["id"] for review in rows]


def foreign(store: Store, account: str) -> dict[str, str]:
    """A company of which the account is not a member, and records of it."""
    (review,) = store.rows(FOREIGN, {"account": account})
    return {"company": review["company_id"], **_records(review)}


def ungranted(store: Store, account: str) -> dict[str, str]:
    """Records of a project outside the grant, in a company of which the account is a member."""
    (review,) = store.rows(UNGRANTED, {"account": account})
    return _records(review)


def examples(store: Store, account: str) -> dict[str, Any]:
    """Arguments within the grant, by name: of a review that can be approved, as long as one can.

    It is the last one, so that it is none of a profile that lists the first.
    """
    (review,) = store.rows(EXAMPLE, {"account": account})
    return {
        "companyId": review["company_id"],
        "projectId": review["project_id"],
        "videoId": review["video_id"],
        "reviewId": review["id"],
        "expectedSubjectRevision": review["subject_revision"],
    }


def _records(review: Row) -> dict[str, str]:
    """The ids of a review, its video and its project."""
    return {"project": review["project_id"], "video": review["video_id"], "review": review["id"]}
