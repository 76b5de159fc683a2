"""JSON representations of the rows of the store ("Resources and their fields")."""

from collections.abc import Sequence

from conformance.reference.store import Row

Json = dict[str, object]


def account(account: Row) -> Json:
    """Account; other properties are not allowed."""
    return {
        "id": account["id"],
        "displayName": account["display_name"],
        "accountType": account["account_type"],
    }


def project(project: Row) -> Json:
    """Project; other properties are not allowed."""
    return {
        "id": project["id"],
        "companyId": project["company_id"],
        "name": project["name"],
        "status": project["status"],
        "sourceLanguage": project["source_language"],
        "createdAt": project["created_at"],
        "videoCount": project["video_count"],
        "localizationCount": project["localization_count"],
        "completedLocalizationCount": project["completed_localization_count"],
        "updatedAt": project["updated_at"],
    }


def video(video: Row, localizations: Sequence[Row]) -> Json:
    """Video with one Localization for each target language."""
    return {
        "id": video["id"],
        "companyId": video["company_id"],
        "projectId": video["project_id"],
        "name": video["name"],
        "ingestionStatus": video["ingestion_status"],
        "transcriptReviewStatus": video["transcript_review_status"],
        "voiceAssignmentStatus": video["voice_assignment_status"],
        "durationUs": video["duration_us"],
        "createdAt": video["created_at"],
        "updatedAt": video["updated_at"],
        "localizations": [localization(each) for each in localizations],
    }


def localization(localization: Row) -> Json:
    """Localization, an element of a video's `localizations`."""
    return {
        "id": localization["id"],
        "language": localization["language"],
        "status": localization["status"],
        "translationApprovalStatus": localization["translation_approval_status"],
        "lipSyncStatus": localization["lip_sync_status"],
    }


def review(review: Row) -> Json:
    """Review; `approvalUnavailableReason` is empty if it can be approved."""
    return {
        "id": review["id"],
        "companyId": review["company_id"],
        "projectId": review["project_id"],
        "projectName": review["project_name"],
        "subjectType": review["subject_type"],
        "subjectId": review["subject_id"],
        "subjectRevision": review["subject_revision"],
        "status": review["status"],
        "requestedAudience": review["requested_audience"],
        "createdAt": review["created_at"],
        "videoId": review["video_id"],
        "videoName": review["video_name"],
        "language": review["language"],
        "url": review["url"],
        "approvable": review["unavailable_reason"] == "",
        "approvalUnavailableReason": review["unavailable_reason"],
    }


def approval(approval: Row) -> Json:
    """Review approval result."""
    return {
        "id": approval["review_id"],
        "status": approval["status"],
        "subjectRevision": approval["subject_revision"],
    }


def comment(comment: Row, replies: Sequence[Row]) -> Json:
    """Comment with its replies, oldest first."""
    return {
        "id": comment["id"],
        "reviewId": comment["review_id"],
        "body": comment["body"],
        "status": comment["status"],
        "startUs": comment["start_us"],
        "endUs": comment["end_us"],
        "createdAt": comment["created_at"],
        "replies": [reply(each) for each in replies],
    }


def reply(reply: Row) -> Json:
    """Reply, an element of a comment's `replies`."""
    return {
        "id": reply["id"],
        "body": reply["body"],
        "kind": reply["kind"],
        "createdAt": reply["created_at"],
    }


def activity(activity: Row) -> Json:
    """Activity item."""
    return {
        "id": activity["id"],
        "projectId": activity["project_id"],
        "videoId": activity["video_id"],
        "status": activity["status"],
        "createdAt": activity["created_at"],
        "updatedAt": activity["updated_at"],
    }
