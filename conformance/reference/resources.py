"""Resources as the API shows them, one function each, made from rows of the store ("Resources and their fields")."""

from collections.abc import Sequence

from conformance.reference.store import Row

Json = dict[str, object]


def account(row: Row) -> Json:
    """Account: all fields, and no other ones."""
    return {
        "id": row["id"],
        "displayName": row["display_name"],
        "accountType": row["account_type"],
    }


def project(row: Row) -> Json:
    """Project: all fields, and no other ones."""
    return {
        "id": row["id"],
        "companyId": row["company_id"],
        "name": row["name"],
        "status": row["status"],
        "sourceLanguage": row["source_language"],
        "createdAt": row["created_at"],
        "videoCount": row["video_count"],
        "localizationCount": row["localization_count"],
        "completedLocalizationCount": row["completed_localization_count"],
        "updatedAt": row["updated_at"],
    }


def video(row: Row, localizations: Sequence[Row]) -> Json:
    """Video, with one Localization for each target language."""
    return {
        "id": row["id"],
        "companyId": row["company_id"],
        "projectId": row["project_id"],
        "name": row["name"],
        "ingestionStatus": row["ingestion_status"],
        "transcriptReviewStatus": row["transcript_review_status"],
        "voiceAssignmentStatus": row["voice_assignment_status"],
        "durationUs": row["duration_us"],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
        "localizations": [localization(each) for each in localizations],
    }


def localization(row: Row) -> Json:
    """Localization, an element of a video's `localizations`."""
    return {
        "id": row["id"],
        "language": row["language"],
        "status": row["status"],
        "translationApprovalStatus": row["translation_approval_status"],
        "lipSyncStatus": row["lip_sync_status"],
    }


def review(row: Row) -> Json:
    """Review; the reason why it cannot be approved is empty where it can."""
    return {
        "id": row["id"],
        "companyId": row["company_id"],
        "projectId": row["project_id"],
        "projectName": row["project_name"],
        "subjectType": row["subject_type"],
        "subjectId": row["subject_id"],
        "subjectRevision": row["subject_revision"],
        "status": row["status"],
        "requestedAudience": row["requested_audience"],
        "createdAt": row["created_at"],
        "videoId": row["video_id"],
        "videoName": row["video_name"],
        "language": row["language"],
        "url": row["url"],
        "approvable": row["unavailable_reason"] == "",
        "approvalUnavailableReason": row["unavailable_reason"],
    }


def approval(row: Row) -> Json:
    """Review approval result: what was approved, and at which revision."""
    return {
        "id": row["review_id"],
        "status": row["status"],
        "subjectRevision": row["subject_revision"],
    }


def comment(row: Row, replies: Sequence[Row]) -> Json:
    """Comment, with its replies in the order in which they were written."""
    return {
        "id": row["id"],
        "reviewId": row["review_id"],
        "body": row["body"],
        "status": row["status"],
        "startUs": row["start_us"],
        "endUs": row["end_us"],
        "createdAt": row["created_at"],
        "replies": [reply(each) for each in replies],
    }


def reply(row: Row) -> Json:
    """Reply, an element of a comment's `replies`."""
    return {
        "id": row["id"],
        "body": row["body"],
        "kind": row["kind"],
        "createdAt": row["created_at"],
    }


def activity(row: Row) -> Json:
    """Activity item."""
    return {
        "id": row["id"],
        "projectId": row["project_id"],
        "videoId": row["video_id"],
        "status": row["status"],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
    }
