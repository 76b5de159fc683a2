"""The tables of the store.

`position` numbers records in the order of their insertion; lists are ordered by it.
"""

from typing import Final

TABLES: Final = (
    "CREATE TABLE opened (seed INTEGER NOT NULL, version INTEGER NOT NULL, times INTEGER NOT NULL)",
    """CREATE TABLE companies (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL
    )""",
    """CREATE TABLE projects (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        company_id TEXT NOT NULL REFERENCES companies (id),
        name TEXT NOT NULL,
        status TEXT NOT NULL,
        source_language TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        video_count INTEGER NOT NULL,
        localization_count INTEGER NOT NULL,
        completed_localization_count INTEGER NOT NULL
    )""",
    """CREATE TABLE videos (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        company_id TEXT NOT NULL REFERENCES companies (id),
        project_id TEXT NOT NULL REFERENCES projects (id),
        name TEXT NOT NULL,
        ingestion_status TEXT NOT NULL,
        transcript_review_status TEXT NOT NULL,
        voice_assignment_status TEXT NOT NULL,
        duration_us INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
    )""",
    """CREATE TABLE localizations (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        video_id TEXT NOT NULL REFERENCES videos (id),
        language TEXT NOT NULL,
        status TEXT NOT NULL,
        translation_approval_status TEXT NOT NULL,
        lip_sync_status TEXT NOT NULL
    )""",
    """CREATE TABLE reviews (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        company_id TEXT NOT NULL REFERENCES companies (id),
        project_id TEXT NOT NULL REFERENCES projects (id),
        project_name TEXT NOT NULL,
        video_id TEXT NOT NULL REFERENCES videos (id),
        video_name TEXT NOT NULL,
        subject_type TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        subject_revision INTEGER NOT NULL,
        language TEXT NOT NULL,
        status TEXT NOT NULL,
        requested_audience TEXT NOT NULL,
        url TEXT NOT NULL,
        created_at TEXT NOT NULL,
        unavailable_reason TEXT NOT NULL
    )""",
    """CREATE TABLE comments (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        review_id TEXT NOT NULL REFERENCES reviews (id),
        body TEXT NOT NULL,
        status TEXT NOT NULL,
        start_us INTEGER NOT NULL,
        end_us INTEGER NOT NULL,
        created_at TEXT NOT NULL
    )""",
    """CREATE TABLE replies (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        comment_id TEXT NOT NULL REFERENCES comments (id),
        body TEXT NOT NULL,
        kind TEXT NOT NULL,
        created_at TEXT NOT NULL
    )""",
    """CREATE TABLE activity (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        project_id TEXT NOT NULL REFERENCES projects (id),
        video_id TEXT NOT NULL REFERENCES videos (id),
        status TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
    )""",
    """CREATE TABLE accounts (
        id TEXT PRIMARY KEY,
        display_name TEXT NOT NULL,
        account_type TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE memberships (
        account_id TEXT NOT NULL REFERENCES accounts (id),
        company_id TEXT NOT NULL REFERENCES companies (id),
        role TEXT NOT NULL,
        PRIMARY KEY (account_id, company_id)
    ) WITHOUT ROWID""",
    """CREATE TABLE grants (
        account_id TEXT NOT NULL REFERENCES accounts (id),
        project_id TEXT NOT NULL REFERENCES projects (id),
        PRIMARY KEY (account_id, project_id)
    ) WITHOUT ROWID""",
    """CREATE TABLE credentials (
        digest TEXT PRIMARY KEY,
        scheme TEXT NOT NULL,
        account_id TEXT NOT NULL REFERENCES accounts (id),
        permissions TEXT NOT NULL,
        expires_at REAL,
        revoked INTEGER NOT NULL,
        rate_requests INTEGER NOT NULL,
        rate_seconds REAL NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE approvals (
        account_id TEXT NOT NULL REFERENCES accounts (id),
        idempotency_key TEXT NOT NULL,
        review_id TEXT NOT NULL REFERENCES reviews (id),
        status TEXT NOT NULL,
        subject_revision INTEGER NOT NULL,
        approved_at TEXT NOT NULL,
        PRIMARY KEY (account_id, idempotency_key)
    ) WITHOUT ROWID""",
    "CREATE INDEX projects_of_company ON projects (company_id)",
    "CREATE INDEX videos_of_company ON videos (company_id)",
    "CREATE INDEX videos_of_project ON videos (project_id)",
    "CREATE INDEX localizations_of_video ON localizations (video_id)",
    "CREATE INDEX reviews_of_project ON reviews (project_id)",
    "CREATE INDEX comments_of_review ON comments (review_id)",
    "CREATE INDEX replies_of_comment ON replies (comment_id)",
    "CREATE INDEX activity_of_project ON activity (project_id)",
)
