"""What the service knows, one frozen record a row; the field names are the column names of the store.

Ids are UUIDs in lower case, moments are RFC 3339 text where the API shows them and epoch seconds where the service compares them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Company:
    """The owner of projects; not visible through the API but for its id."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project of a company; the three counts tell what the store holds below it."""

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

    `unavailable_reason` is empty exactly where the review can be approved.
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
    """A remark on a stretch of the video under review."""

    id: str
    review_id: str
    body: str
    status: str
    start_us: int
    end_us: int
    created_at: str


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a comment."""

    id: str
    comment_id: str
    body: str
    kind: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Activity:
    """A piece of work on a video that is under way or over."""

    id: str
    project_id: str
    video_id: str
    status: str
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who calls the API."""

    id: str
    display_name: str
    account_type: str


@dataclass(frozen=True, slots=True)
class Membership:
    """An account's place in a company: the company grant, and the role that may or may not approve."""

    account_id: str
    company_id: str
    role: str


@dataclass(frozen=True, slots=True)
class Grant:
    """A project that an account may reach, inside the companies of its memberships."""

    account_id: str
    project_id: str


@dataclass(frozen=True, slots=True)
class Credential:
    """An API key or a bearer token; only the digest of its secret is kept.

    `expires_at` is in epoch seconds, None for never; at most `rate_requests` are answered in `rate_seconds`.
    """

    digest: str
    scheme: str
    account_id: str
    permissions: str
    expires_at: float | None
    revoked: bool
    rate_requests: int
    rate_seconds: float
