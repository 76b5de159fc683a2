"""Reviews with their comments, and the activity of projects, as a seed decides them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from random import Random
from typing import Final, NamedTuple

from conformance.reference import words
from conformance.reference.identifiers import either_uuid
from conformance.reference.moments import DAY, HOUR, PRESENT, written
from conformance.reference.productions import Production
from conformance.reference.records import Activity, Comment, Reply, Review, Video

TRANSCRIPT_IS_REVIEWED: Final = (True, *[False] * 11)
LOCALIZATION_IS_REVIEWED: Final = (True, False, False)
COMMENTS_PER_REVIEW: Final = (34, *(0, 2, 1, 0, 5, 3, 0, 1) * 5)
ACTIVITY_PER_PROJECT: Final = (37, *(3, 5, 1, 2, 0) * 6)


class Subject(NamedTuple):
    """What a review is about: a transcript or a localization of a video."""

    type: str
    id: str
    language: str
    video: Video


@dataclass(frozen=True, slots=True)
class Conversation:
    """A review and what was said about it."""

    review: Review
    comments: tuple[Comment, ...]
    replies: tuple[Reply, ...]


class Newsroom:
    """Makes reviews and activity for productions; everything that it makes follows from the state of `chance`."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._transcript_is_reviewed = cycle(TRANSCRIPT_IS_REVIEWED)
        self._localization_is_reviewed = cycle(LOCALIZATION_IS_REVIEWED)
        self._decisions = cycle(words.DECISIONS)
        self._comments_per_review = cycle(COMMENTS_PER_REVIEW)
        self._activity_per_project = cycle(ACTIVITY_PER_PROJECT)

    def converse(self, production: Production) -> Iterator[Conversation]:
        """The reviews of one project."""
        for subject in self._subjects(production):
            review = self._review(production, subject)
            comments = tuple(self._comment(review) for _ in range(next(self._comments_per_review)))
            replies = tuple(reply for comment in comments for reply in self._replies(comment))
            yield Conversation(review, comments, replies)

    def report(self, production: Production) -> Iterator[Activity]:
        """What happened in one project that has videos."""
        if production.videos:
            for _ in range(next(self._activity_per_project)):
                yield self._activity(production)

    def _subjects(self, production: Production) -> Iterator[Subject]:
        """What has been sent to review: now and then a transcript, often a localization."""
        videos = {video.id: video for video in production.videos}
        for video in production.videos:
            if next(self._transcript_is_reviewed):
                yield Subject("transcript", video.id, production.project.source_language, video)
        for made in production.localizations:
            if next(self._localization_is_reviewed):
                yield Subject("localization", made.id, made.language, videos[made.video_id])

    def _review(self, production: Production, subject: Subject) -> Review:
        decision = next(self._decisions)
        requested = PRESENT - self._chance.uniform(2 * DAY, 28 * DAY)
        review_id = either_uuid(self._chance, requested)
        return Review(
            id=review_id,
            company_id=production.project.company_id,
            project_id=production.project.id,
            project_name=production.project.name,
            video_id=subject.video.id,
            video_name=subject.video.name,
            subject_type=subject.type,
            subject_id=subject.id,
            subject_revision=self._chance.randint(1, 9),
            language=subject.language,
            status=decision.status,
            requested_audience=self._chance.choice(words.AUDIENCES),
            url=f"https://studio.example.com/reviews/{review_id}",
            created_at=written(requested),
            unavailable_reason=decision.unavailable_reason,
        )

    def _comment(self, review: Review) -> Comment:
        said = PRESENT - self._chance.uniform(HOUR, 2 * DAY)
        start = self._chance.randrange(0, 20_000) * 1000
        return Comment(
            id=either_uuid(self._chance, said),
            review_id=review.id,
            body=self._chance.choice(words.REMARKS),
            status=self._chance.choice(("open", "open", "resolved")),
            start_us=start,
            end_us=start + self._chance.randrange(200, 6000) * 1000,
            created_at=written(said),
        )

    def _replies(self, comment: Comment) -> Iterator[Reply]:
        """Nobody, one or two people answer, in turns of the team and the reviewer."""
        for kind in self._chance.choice(((), (), ("team",), ("team", "reviewer"))):
            said = PRESENT - self._chance.uniform(0, HOUR)
            yield Reply(
                id=either_uuid(self._chance, said),
                comment_id=comment.id,
                body=self._chance.choice(words.ANSWERS),
                kind=kind,
                created_at=written(said),
            )

    def _activity(self, production: Production) -> Activity:
        begun = PRESENT - self._chance.uniform(0, 25 * DAY)
        return Activity(
            id=either_uuid(self._chance, begun),
            project_id=production.project.id,
            video_id=self._chance.choice(production.videos).id,
            status=self._chance.choice(words.ACTIVITY_STATES),
            created_at=written(begun),
            updated_at=written(min(PRESENT, begun + self._chance.uniform(0, 5 * HOUR))),
        )
