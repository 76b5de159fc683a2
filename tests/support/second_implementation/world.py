"""The data of a deployment as dicts: accounts, grants, records. Ids are in lower case."""

import random
import uuid
from collections.abc import Iterator
from typing import Any

from second_implementation.choices import Choices
from second_implementation.credentials import credentials

WITHHELD = "withheld"
"""The status of a project in a company of primary's, and outside its grant."""

SIZES = {"full": (34, 3, 60), "tiny": (2, 1, 1), "empty": (0, 0, 0)}
NIL, MAX = str(uuid.UUID(int=0)), str(uuid.UUID(int=2**128 - 1))
World = dict[str, Any]
Record = dict[str, Any]


def build(choices: Choices) -> World:
    """The data of a deployment; `projects`, `videos` … map ids to records in list order."""
    ids = _ids(choices)
    primary, outsider = next(ids), next(ids)
    companies = [next(ids) for _ in range(3)]
    world: World = {
        "companies": companies,
        "cursors": {},
        "keys": {},
        "hits": {},
        "approved_at": {},
        "requests": 0,
    }
    world |= {"projects": {}, "videos": {}, "reviews": {}, "comments": {}, "activity": {}}
    _produce(world, choices, ids)
    projects = world["projects"]
    own = {
        id
        for id, project in projects.items()
        if project["companyId"] in companies[:2] and project["status"] != WITHHELD
    }
    theirs = {id for id, project in projects.items() if project["companyId"] == companies[2]}
    world["accounts"] = {
        primary: {"id": primary, "displayName": "", "accountType": "internal"},
        outsider: {"id": outsider, "displayName": "Outsider 🚀", "accountType": "external"},
    }
    world["grants"] = {primary: own, outsider: theirs}
    world["credentials"] = dict(credentials(primary, outsider))
    return world


def _ids(choices: Choices) -> Iterator[str]:
    chance = random.Random(20)
    number = 0
    while True:
        version = choices.forms.versions[number % len(choices.forms.versions)]
        text = f"{chance.getrandbits(128):032x}"
        variant = "89ab"[number % 4]
        middle = f"{text[8:12]}-{version}{text[13:16]}-{variant}{text[17:20]}"
        yield f"{text[:8]}-{middle}-{text[20:]}"
        number += 1


def _produce(world: World, choices: Choices, ids: Iterator[str]) -> None:
    many, videos, reviews = SIZES[choices.data]
    own_companies = world["companies"][:2] if choices.data == "full" else world["companies"][:1]
    owners = [company for company in own_companies for _ in range(many)]
    for number, company in enumerate(owners):
        _project(world, choices, ids, (number, company, videos))
    if choices.data == "full":
        _project(world, choices, ids, (many, world["companies"][0], 2), withheld=True)
        for number in range(5):
            _project(world, choices, ids, (number, world["companies"][2], 2))
    seen = [
        video
        for video in world["videos"].values()
        if video["companyId"] != world["companies"][2] and not _is_withheld(world, video)
    ]
    hidden = [video for video in world["videos"].values() if video not in seen]
    for number in range(reviews):
        _review(world, choices, ids, (number, seen[number % len(seen)]))
    for number, video in enumerate(hidden):
        _review(world, choices, ids, (number, video))
    if choices.paging.shuffled:
        for kind in ("projects", "videos", "reviews", "comments", "activity"):
            entries = list(world[kind].items())
            random.Random(kind).shuffle(entries)
            world[kind] = dict(entries)


def _is_withheld(world: World, video: Record) -> bool:
    return bool(world["projects"][video["projectId"]]["status"] == WITHHELD)


def _project(
    world: World,
    choices: Choices,
    ids: Iterator[str],
    what: tuple[int, str, int],
    *,
    withheld: bool = False,
) -> None:
    number, company, videos = what
    id = next(ids)
    if choices.forms.extremes and len(world["projects"]) < 2:
        id = (NIL, MAX)[len(world["projects"])]
    statuses = ("", "🎬 in Arbeit", "active") if choices.forms.odd_words else ("active",)
    status = WITHHELD if withheld else statuses[number % len(statuses)]
    world["projects"][id] = {
        "id": id,
        "companyId": company,
        "name": f"Project {number}",
        "status": status,
        "sourceLanguage": "en",
        "createdAt": _timestamp(choices, number),
        "videoCount": videos,
        "localizationCount": videos * 2,
        "completedLocalizationCount": videos,
        "updatedAt": _timestamp(choices, number + 1),
    }
    for index in range(videos):
        _video(world, choices, ids, (index, company, id))
    for _ in range(7 if number == 1 else number % 3):
        entry = {
            "id": next(ids),
            "projectId": id,
            "status": "done",
            "createdAt": _timestamp(choices, 1),
            "updatedAt": _timestamp(choices, 2),
        }
        world["activity"][entry["id"]] = entry


def _video(world: World, choices: Choices, ids: Iterator[str], what: tuple[int, str, str]) -> None:
    index, company, project = what
    id = next(ids)
    world["videos"][id] = {
        "id": id,
        "companyId": company,
        "projectId": project,
        "name": f"Video {index}",
        "ingestionStatus": "READY",
        "transcriptReviewStatus": "",
        "voiceAssignmentStatus": "n/a",
        "durationUs": -1 if choices.forms.odd_words else 90_000_000,
        "createdAt": _timestamp(choices, index),
        "updatedAt": _timestamp(choices, index),
        "localizations": [
            {
                "id": next(ids),
                "language": language,
                "status": "1",
                "translationApprovalStatus": "-",
                "lipSyncStatus": "none",
            }
            for language in ("fr", "Deutsch")
        ],
    }


def _review(world: World, choices: Choices, ids: Iterator[str], what: tuple[int, Record]) -> None:
    number, video = what
    id = next(ids)
    approvable = number % 10 != 9
    world["reviews"][id] = {
        "id": id,
        "companyId": video["companyId"],
        "projectId": video["projectId"],
        "projectName": world["projects"][video["projectId"]]["name"],
        "subjectType": "localization",
        "subjectId": next(ids),
        "subjectRevision": choices.approving.first_revision + number % 4,
        "status": "open" if approvable else "superseded",
        "requestedAudience": "*",
        "createdAt": _timestamp(choices, number),
        "videoId": video["id"],
        "videoName": video["name"],
        "language": "fr",
        "url": f"https://example.com/r/{number}",
        "approvable": approvable,
        "approvalUnavailableReason": choices.forms.reason if approvable else "superseded",
    }
    for index in range(6 if number == 0 else number % 3):
        comment = next(ids)
        world["comments"][comment] = {
            "id": comment,
            "reviewId": id,
            "body": "Ünïcode \u0000 \ufeff",
            "status": "open",
            "startUs": index,
            "endUs": index - 1,
            "createdAt": _timestamp(choices, index),
            "replies": [
                {"id": next(ids), "body": "", "kind": "k", "createdAt": ""}
                for _ in range(index % 3)
            ],
        }


def _timestamp(choices: Choices, number: int) -> str:
    return (
        str(1_700_000_000 + number)
        if choices.forms.odd_words
        else f"2026-01-{number % 28 + 1:02d}T00:00:00Z"
    )
