"""Generates projects with their videos and localizations.

Their numbers follow fixed patterns, so that every seed makes a large enough dataset.
Everything else is random.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Final

from conformance.reference import vocabulary
from conformance.reference.identifiers import any_uuid
from conformance.reference.records import Company, Localization, Project, Video
from conformance.reference.timestamps import DAY, HOUR, SNAPSHOT_TIME, format_timestamp

VIDEOS_PER_PROJECT: Final = (2, 1, 0, 3, 1, 2, 1, 0, 6, 1, 2, 1, 3)
LOCALIZATIONS_PER_VIDEO: Final = (3, 1, 2, 0, 4, 2, 1, 3, 2)

OLDEST_PROJECT: Final = 540 * DAY
YOUNGEST_PROJECT: Final = 30 * DAY


@dataclass(frozen=True, slots=True)
class CompanyPlan:
    """The number of projects of a company, and how many of them no grant includes."""

    company: Company
    projects: int
    withheld: int


@dataclass(frozen=True, slots=True)
class ProjectTree:
    """A project with its videos and localizations; a withheld one is in no grant."""

    project: Project
    withheld: bool
    videos: tuple[Video, ...]
    localizations: tuple[Localization, ...]


class ProjectGenerator:
    """Generates projects; the result depends on the state of `rng` only."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._projects = count()
        self._videos = count()

    def generate(self, plan: CompanyPlan) -> Iterator[ProjectTree]:
        """The projects of one company."""
        for ordinal in range(plan.projects):
            yield self._production(plan.company, withheld=ordinal >= plan.projects - plan.withheld)

    def _production(self, company: Company, *, withheld: bool) -> ProjectTree:
        number = next(self._projects)
        start = SNAPSHOT_TIME - self._rng.uniform(YOUNGEST_PROJECT, OLDEST_PROJECT)
        project_id = any_uuid(self._rng, start)
        numbers = [
            next(self._videos) for _ in range(VIDEOS_PER_PROJECT[number % len(VIDEOS_PER_PROJECT)])
        ]
        videos = tuple(self._video(company.id, project_id, start, video) for video in numbers)
        localizations = tuple(
            localization
            for ordinal, video in zip(numbers, videos, strict=True)
            for localization in self._localizations(ordinal, video)
        )
        completed = sum(
            localization.status == vocabulary.COMPLETED.status for localization in localizations
        )
        project = Project(
            id=project_id,
            company_id=company.id,
            name=_project_name(number),
            status=_project_status(len(localizations), completed),
            source_language=self._rng.choice(vocabulary.SOURCE_LANGUAGES),
            created_at=format_timestamp(start),
            updated_at=max(
                [format_timestamp(start + HOUR), *(video.updated_at for video in videos)]
            ),
            video_count=len(videos),
            localization_count=len(localizations),
            completed_localization_count=completed,
        )
        return ProjectTree(project, withheld, videos, localizations)

    def _video(self, company_id: str, project_id: str, start: float, number: int) -> Video:
        created = start + self._rng.uniform(HOUR, 20 * DAY)
        stage = self._rng.choice(
            vocabulary.PREPARED if _languages(number) else vocabulary.UNPREPARED
        )
        return Video(
            id=any_uuid(self._rng, created),
            company_id=company_id,
            project_id=project_id,
            name=f"{1 + number % 12}. {vocabulary.EPISODES[number % len(vocabulary.EPISODES)]}",
            ingestion_status=stage.ingestion,
            transcript_review_status=stage.transcript,
            voice_assignment_status=stage.voices,
            duration_us=self._rng.randrange(20_000, 3_600_000) * 1000,
            created_at=format_timestamp(created),
            updated_at=format_timestamp(created + self._rng.uniform(0, 9 * DAY)),
        )

    def _localizations(self, number: int, video: Video) -> Iterator[Localization]:
        for language in self._rng.sample(vocabulary.TARGET_LANGUAGES, _languages(number)):
            stage = self._rng.choice(vocabulary.LOCALIZATION_STAGES)
            yield Localization(
                id=any_uuid(self._rng, SNAPSHOT_TIME - YOUNGEST_PROJECT),
                video_id=video.id,
                language=language,
                status=stage.status,
                translation_approval_status=stage.translation,
                lip_sync_status=stage.lip_sync,
            )


def _languages(video: int) -> int:
    """The number of localizations of the video with this number."""
    return LOCALIZATIONS_PER_VIDEO[video % len(LOCALIZATIONS_PER_VIDEO)]


def _project_name(number: int) -> str:
    """A series and an edition; 13 of each make 169 distinct names."""
    series = vocabulary.SERIES[number % len(vocabulary.SERIES)]
    edition = vocabulary.EDITIONS[
        (number + number // len(vocabulary.SERIES)) % len(vocabulary.EDITIONS)
    ]
    return f"{series}, {edition}"


def _project_status(localizations: int, completed: int) -> str:
    """The status that follows from the counts of a project."""
    if localizations == 0:
        return "draft"
    if completed == localizations:
        return "completed"
    return "in_progress"
