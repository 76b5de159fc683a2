"""Projects with their videos and localizations, as a seed decides them.

How many of each there are follows fixed patterns, so that no seed makes a dataset that is too small; everything else is chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Final

from conformance.reference import words
from conformance.reference.identifiers import either_uuid
from conformance.reference.moments import DAY, HOUR, PRESENT, written
from conformance.reference.records import Company, Localization, Project, Video

VIDEOS_PER_PROJECT: Final = (2, 1, 0, 3, 1, 2, 1, 0, 6, 1, 2, 1, 3)
LOCALIZATIONS_PER_VIDEO: Final = (3, 1, 2, 0, 4, 2, 1, 3, 2)

OLDEST_PROJECT: Final = 540 * DAY
YOUNGEST_PROJECT: Final = 30 * DAY


@dataclass(frozen=True, slots=True)
class Shelf:
    """How many projects a company has, and how many of these the grants leave out."""

    company: Company
    projects: int
    withheld: int


@dataclass(frozen=True, slots=True)
class Production:
    """A project with all that is in it; one that is withheld is in nobody's grant."""

    project: Project
    withheld: bool
    videos: tuple[Video, ...]
    localizations: tuple[Localization, ...]


class Studio:
    """Makes productions; everything that it makes follows from the state of `chance`."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._projects = count()
        self._videos = count()

    def produce(self, shelf: Shelf) -> Iterator[Production]:
        """The projects of one company."""
        for ordinal in range(shelf.projects):
            yield self._production(
                shelf.company, withheld=ordinal >= shelf.projects - shelf.withheld
            )

    def _production(self, company: Company, *, withheld: bool) -> Production:
        number = next(self._projects)
        begun = PRESENT - self._chance.uniform(YOUNGEST_PROJECT, OLDEST_PROJECT)
        project_id = either_uuid(self._chance, begun)
        numbers = [
            next(self._videos) for _ in range(VIDEOS_PER_PROJECT[number % len(VIDEOS_PER_PROJECT)])
        ]
        videos = tuple(self._video(company.id, project_id, begun, video) for video in numbers)
        localizations = tuple(
            made
            for ordinal, video in zip(numbers, videos, strict=True)
            for made in self._localizations(ordinal, video)
        )
        completed = sum(made.status == words.COMPLETED.status for made in localizations)
        project = Project(
            id=project_id,
            company_id=company.id,
            name=_project_name(number),
            status=_project_status(len(localizations), completed),
            source_language=self._chance.choice(words.SOURCE_LANGUAGES),
            created_at=written(begun),
            updated_at=max([written(begun + HOUR), *(video.updated_at for video in videos)]),
            video_count=len(videos),
            localization_count=len(localizations),
            completed_localization_count=completed,
        )
        return Production(project, withheld, videos, localizations)

    def _video(self, company_id: str, project_id: str, begun: float, number: int) -> Video:
        created = begun + self._chance.uniform(HOUR, 20 * DAY)
        stage = self._chance.choice(words.PREPARED if _languages(number) else words.UNPREPARED)
        return Video(
            id=either_uuid(self._chance, created),
            company_id=company_id,
            project_id=project_id,
            name=f"{1 + number % 12}. {words.EPISODES[number % len(words.EPISODES)]}",
            ingestion_status=stage.ingestion,
            transcript_review_status=stage.transcript,
            voice_assignment_status=stage.voices,
            duration_us=self._chance.randrange(20_000, 3_600_000) * 1000,
            created_at=written(created),
            updated_at=written(created + self._chance.uniform(0, 9 * DAY)),
        )

    def _localizations(self, number: int, video: Video) -> Iterator[Localization]:
        for language in self._chance.sample(words.TARGET_LANGUAGES, _languages(number)):
            stage = self._chance.choice(words.LOCALIZATION_STAGES)
            yield Localization(
                id=either_uuid(self._chance, PRESENT - YOUNGEST_PROJECT),
                video_id=video.id,
                language=language,
                status=stage.status,
                translation_approval_status=stage.translation,
                lip_sync_status=stage.lip_sync,
            )


def _languages(video: int) -> int:
    """Into how many languages the video of this number is localized."""
    return LOCALIZATIONS_PER_VIDEO[video % len(LOCALIZATIONS_PER_VIDEO)]


def _project_name(number: int) -> str:
    """A series and an edition of it; 13 and 13 of them make 169 names before one comes again."""
    series = words.SERIES[number % len(words.SERIES)]
    edition = words.EDITIONS[(number + number // len(words.SERIES)) % len(words.EDITIONS)]
    return f"{series}, {edition}"


def _project_status(localizations: int, completed: int) -> str:
    """What the counts say about a project."""
    if localizations == 0:
        return "draft"
    if completed == localizations:
        return "completed"
    return "in_progress"
