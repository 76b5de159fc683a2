"""The dataset: the initial records of a store. A seed makes the same dataset on every machine."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import attrgetter
from random import Random
from typing import Final, TypeVar

from conformance.reference import identities, vocabulary
from conformance.reference.identifiers import random_uuid
from conformance.reference.project_generator import CompanyPlan, ProjectGenerator
from conformance.reference.records import (
    Activity,
    Comment,
    Company,
    Localization,
    Project,
    Reply,
    Review,
    Video,
)
from conformance.reference.review_generator import ReviewGenerator

Dated = TypeVar("Dated", Project, Video, Review, Comment, Reply, Activity)

VERSION: Final = 2
"""Incremented with every change of the dataset of a seed."""

TOGETHER: Final = 5
"""One record of so many was created at the same moment as the one before."""

PROJECTS: Final = ((78, 6), (51, 0), (11, 0), (14, 0))
"""The number of projects of each company, and how many of them no grant includes.

The last company is that of the outsider.
"""


@dataclass(frozen=True, slots=True)
class Dataset:
    """All records, oldest first; the index in a tuple determines the position in lists."""

    companies: tuple[Company, ...]
    projects: tuple[Project, ...]
    videos: tuple[Video, ...]
    localizations: tuple[Localization, ...]
    reviews: tuple[Review, ...]
    comments: tuple[Comment, ...]
    replies: tuple[Reply, ...]
    activity: tuple[Activity, ...]
    identities: identities.Identities


def build(seed: int, projects: int | None = None) -> Dataset:
    """The dataset of one seed; `projects` scales the number of projects, and all else with it."""
    rng = Random(seed)
    companies = tuple(Company(random_uuid(rng), name) for name in vocabulary.COMPANY_NAMES)
    generator, reviews = ProjectGenerator(rng), ReviewGenerator(rng)
    numbers = zip(companies, _numbers(projects), strict=True)
    plans = [CompanyPlan(company, total, withheld) for company, (total, withheld) in numbers]
    # The order of these calls is part of the dataset: they share one random generator.
    trees = tuple(tree for plan in plans for tree in generator.generate(plan))
    threads = [thread for tree in trees for thread in reviews.threads(tree)]
    activity = [item for tree in trees for item in reviews.activity(tree)]
    return Dataset(
        companies=companies,
        projects=_oldest_first((tree.project for tree in trees), "company_id"),
        videos=_oldest_first((video for tree in trees for video in tree.videos), "company_id"),
        localizations=tuple(each for tree in trees for each in tree.localizations),
        reviews=_oldest_first((thread.review for thread in threads), "company_id"),
        comments=_oldest_first(
            (comment for thread in threads for comment in thread.comments), "review_id"
        ),
        replies=_oldest_first(
            (reply for thread in threads for reply in thread.replies), "comment_id"
        ),
        activity=_oldest_first(activity, "project_id"),
        identities=identities.build(seed, companies, trees),
    )


def _numbers(projects: int | None) -> Iterable[tuple[int, int]]:
    """PROJECTS, or as many more in the same proportion: fewer would leave out a case."""
    usual = sum(number for number, _ in PROJECTS)
    factor = max(1.0, (projects or usual) / usual)
    return [(round(number * factor), withheld) for number, withheld in PROJECTS]


def _oldest_first(records: Iterable[Dated], owner: str) -> tuple[Dated, ...]:
    """Records in the order of `created_at`; some of an owner were created at one moment."""
    earlier: dict[str, list[str]] = defaultdict(list)
    dated = []
    for record in sorted(records, key=attrgetter("created_at")):
        moments = earlier[getattr(record, owner)]
        is_tied = len(moments) % TOGETHER == TOGETHER - 1
        moments.append(moments[-1] if is_tied else record.created_at)
        dated.append(replace(record, created_at=moments[-1]))
    return tuple(sorted(dated, key=attrgetter("created_at")))
