"""The records of the store: one frozen dataclass for each table, one field for each column.

Ids are UUIDs in lower case. Timestamps are RFC 3339 text, except for `expires_at`: epoch seconds.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Company:
    """The owner of projects; the API shows its id only."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project of a company; the three counts are those of its records in the store."""

    id: str
    company_id: str
    name: str
    status: str
    source_language: str
    created_at: str
    updated_at: str
    video_count: int
    localization_count: int
    completed_localization_count: int


@dataclass(frozen=True, slots=True)
class Video:
    """A video of a project."""

    id: str
    company_id: str
    project_id: str
    name: str
    ingestion_status: str
    transcript_review_status: str
    voice_assignment_status: str
    duration_us: int
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class Localization:
    """One target language of a video."""

    id: str
    video_id: str
    language: str
    status: str
    translation_approval_status: str
    lip_sync_status: str


@dataclass(frozen=True, slots=True)
class Review:
    """A request to decide on one revision of a transcript or a localization.

    `unavailable_reason` is empty if and only if the review can be approved.
    """

    id: str
    company_id: str
    project_id: str
    project_name: str
    video_id: str
    video_name: str
    subject_type: str
    subject_id: str
    subject_revision: int
    language: str
    status: str
    requested_audience: str
    url: str
    created_at: str
    unavailable_reason: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on an interval of the video under review."""

    id: str
    review_id: str
    body: str
    status: str
    start_us: int
    end_us: int
    created_at: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a comment."""

    id: str
    comment_id: str
    body: str
    kind: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Activity:
    """A task on a video, in progress or finished."""

    id: str
    project_id: str
    video_id: str
    status: str
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the API."""

    id: str
    display_name: str
    account_type: str


@dataclass(frozen=True, slots=True)
class Membership:
    """The company grant of an account, with its role in the company."""

    account_id: str
    company_id: str
    role: str


@dataclass(frozen=True, slots=True)
class Grant:
    """The project grant of an account, effective within the companies of its memberships."""

    account_id: str
    project_id: str


@dataclass(frozen=True, slots=True)
class Credential:
    """An API key or a bearer token; the store has the digest of its secret only.

    `expires_at` is in epoch seconds, or None if it never expires.
    The rate limit is `rate_requests` in `rate_seconds`.
    """

    digest: str
    scheme: str
    account_id: str
    permissions: str
    expires_at: float | None
    revoked: bool
    rate_requests: int
    rate_seconds: float
