"""Generates reviews with their comments, and the activity of projects."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from random import Random
from typing import Final, NamedTuple

from conformance.reference import vocabulary
from conformance.reference.identifiers import any_uuid
from conformance.reference.project_generator import ProjectTree
from conformance.reference.records import Activity, Comment, Reply, Review, Video
from conformance.reference.timestamps import DAY, HOUR, SNAPSHOT_TIME, format_timestamp

TRANSCRIPT_IS_REVIEWED: Final = (True, *[False] * 11)
LOCALIZATION_IS_REVIEWED: Final = (True, False, False)
COMMENTS_PER_REVIEW: Final = (34, *(0, 2, 1, 0, 5, 3, 0, 1) * 5)
ACTIVITY_PER_PROJECT: Final = (37, *(3, 5, 1, 2, 0) * 6)


class ReviewSubject(NamedTuple):
    """The subject of a review: a transcript or a localization of a video."""

    type: str
    id: str
    language: str
    video: Video


@dataclass(frozen=True, slots=True)
class ReviewThread:
    """A review with its comments and their replies."""

    review: Review
    comments: tuple[Comment, ...]
    replies: tuple[Reply, ...]


class ReviewGenerator:
    """Generates reviews and activity; the result depends on the state of `rng` only."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._transcript_is_reviewed = cycle(TRANSCRIPT_IS_REVIEWED)
        self._localization_is_reviewed = cycle(LOCALIZATION_IS_REVIEWED)
        self._states = cycle(vocabulary.REVIEW_STATES)
        self._comments_per_review = cycle(COMMENTS_PER_REVIEW)
        self._activity_per_project = cycle(ACTIVITY_PER_PROJECT)

    def threads(self, tree: ProjectTree) -> Iterator[ReviewThread]:
        """The reviews of one project, with their comments."""
        for subject in self._subjects(tree):
            review = self._review(tree, subject)
            comments = tuple(self._comment(review) for _ in range(next(self._comments_per_review)))
            replies = tuple(reply for comment in comments for reply in self._replies(comment))
            yield ReviewThread(review, comments, replies)

    def activity(self, tree: ProjectTree) -> Iterator[Activity]:
        """The activity of one project; none if it has no videos."""
        if tree.videos:
            for _ in range(next(self._activity_per_project)):
                yield self._activity(tree)

    def _subjects(self, tree: ProjectTree) -> Iterator[ReviewSubject]:
        """The subjects under review: few transcripts and many localizations."""
        videos = {video.id: video for video in tree.videos}
        for video in tree.videos:
            if next(self._transcript_is_reviewed):
                yield ReviewSubject("transcript", video.id, tree.project.source_language, video)
        for made in tree.localizations:
            if next(self._localization_is_reviewed):
                yield ReviewSubject("localization", made.id, made.language, videos[made.video_id])

    def _review(self, tree: ProjectTree, subject: ReviewSubject) -> Review:
        state = next(self._states)
        requested = SNAPSHOT_TIME - self._rng.uniform(2 * DAY, 28 * DAY)
        review_id = any_uuid(self._rng, requested)
        return Review(
            id=review_id,
            company_id=tree.project.company_id,
            project_id=tree.project.id,
            project_name=tree.project.name,
            video_id=subject.video.id,
            video_name=subject.video.name,
            subject_type=subject.type,
            subject_id=subject.id,
            subject_revision=self._rng.randint(1, 9),
            language=subject.language,
            status=state.status,
            requested_audience=self._rng.choice(vocabulary.AUDIENCES),
            url=f"https://studio.example.com/reviews/{review_id}",
            created_at=format_timestamp(requested),
            unavailable_reason=state.unavailable_reason,
        )

    def _comment(self, review: Review) -> Comment:
        time = SNAPSHOT_TIME - self._rng.uniform(HOUR, 2 * DAY)
        start = self._rng.randrange(0, 20_000) * 1000
        return Comment(
            id=any_uuid(self._rng, time),
            review_id=review.id,
            body=self._rng.choice(vocabulary.COMMENT_BODIES),
            status=self._rng.choice(("open", "open", "resolved")),
            start_us=start,
            end_us=start + self._rng.randrange(200, 6000) * 1000,
            created_at=format_timestamp(time),
        )

    def _replies(self, comment: Comment) -> Iterator[Reply]:
        """No reply, one of the team, or one of the team and one of the reviewer."""
        for kind in self._rng.choice(((), (), ("team",), ("team", "reviewer"))):
            time = SNAPSHOT_TIME - self._rng.uniform(0, HOUR)
            yield Reply(
                id=any_uuid(self._rng, time),
                comment_id=comment.id,
                body=self._rng.choice(vocabulary.REPLIES),
                kind=kind,
                created_at=format_timestamp(time),
            )

    def _activity(self, tree: ProjectTree) -> Activity:
        start = SNAPSHOT_TIME - self._rng.uniform(0, 25 * DAY)
        return Activity(
            id=any_uuid(self._rng, start),
            project_id=tree.project.id,
            video_id=self._rng.choice(tree.videos).id,
            status=self._rng.choice(vocabulary.ACTIVITY_STATES),
            created_at=format_timestamp(start),
            updated_at=format_timestamp(min(SNAPSHOT_TIME, start + self._rng.uniform(0, 5 * HOUR))),
        )
