"""The dataset: all records that a store begins with. The same seed makes the same dataset, on every machine."""

from dataclasses import dataclass
from operator import attrgetter
from random import Random
from typing import Final

from conformance.reference import cast, words
from conformance.reference.conversations import Newsroom
from conformance.reference.identifiers import random_uuid
from conformance.reference.productions import Shelf, Studio
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
    cast: cast.Cast


def build(seed: int) -> Dataset:
    """The dataset of one seed."""
    chance = Random(seed)
    companies = tuple(Company(random_uuid(chance), name) for name in words.COMPANY_NAMES)
    shelves = [
        Shelf(company, *numbers) for company, numbers in zip(companies, PROJECTS, strict=True)
    ]
    studio, newsroom = Studio(chance), Newsroom(chance)
    productions = tuple(made for shelf in shelves for made in studio.produce(shelf))
    conversations = [held for production in productions for held in newsroom.converse(production)]
    age = attrgetter("created_at")
    return Dataset(
        companies=companies,
        projects=tuple(sorted((production.project for production in productions), key=age)),
        videos=tuple(
            sorted((video for production in productions for video in production.videos), key=age)
        ),
        localizations=tuple(
            made for production in productions for made in production.localizations
        ),
        reviews=tuple(sorted((held.review for held in conversations), key=age)),
        comments=tuple(
            sorted((comment for held in conversations for comment in held.comments), key=age)
        ),
        replies=tuple(sorted((reply for held in conversations for reply in held.replies), key=age)),
        activity=tuple(
            sorted(
                (item for production in productions for item in newsroom.report(production)),
                key=age,
            )
        ),
        cast=cast.assemble(seed, companies, productions),
    )
