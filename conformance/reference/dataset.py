"""The dataset: all records that a store begins with. The same seed makes the same dataset, on every machine."""

from dataclasses import dataclass
from operator import attrgetter
from random import Random
from typing import Final

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

VERSION: Final = 1
"""Goes up with every change that makes another dataset of the same seed."""

PROJECTS: Final = ((78, 6), (51, 0), (11, 0), (14, 0))
"""Projects of each company, and how many of them no grant names; the last company is foreign to all but the outsider."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Every record, oldest first: a record's place in its tuple becomes its position in lists."""

    companies: tuple[Company, ...]
    projects: tuple[Project, ...]
    videos: tuple[Video, ...]
    localizations: tuple[Localization, ...]
    reviews: tuple[Review, ...]
    comments: tuple[Comment, ...]
    replies: tuple[Reply, ...]
    activity: tuple[Activity, ...]
    identities: identities.Identities


def build(seed: int) -> Dataset:
    """The dataset of one seed."""
    rng = Random(seed)
    companies = tuple(Company(random_uuid(rng), name) for name in vocabulary.COMPANY_NAMES)
    plans = [
        CompanyPlan(company, *numbers) for company, numbers in zip(companies, PROJECTS, strict=True)
    ]
    project_generator, review_generator = ProjectGenerator(rng), ReviewGenerator(rng)
    trees = tuple(tree for plan in plans for tree in project_generator.generate(plan))
    threads = [thread for tree in trees for thread in review_generator.threads(tree)]
    age = attrgetter("created_at")
    return Dataset(
        companies=companies,
        projects=tuple(sorted((tree.project for tree in trees), key=age)),
        videos=tuple(sorted((video for tree in trees for video in tree.videos), key=age)),
        localizations=tuple(made for tree in trees for made in tree.localizations),
        reviews=tuple(sorted((thread.review for thread in threads), key=age)),
        comments=tuple(
            sorted((comment for thread in threads for comment in thread.comments), key=age)
        ),
        replies=tuple(sorted((reply for thread in threads for reply in thread.replies), key=age)),
        activity=tuple(
            sorted(
                (item for tree in trees for item in review_generator.activity(tree)),
                key=age,
            )
        ),
        identities=identities.build(seed, companies, trees),
    )
