"""What a record states of itself, and contradicts itself in (Resources and their fields)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.pointer import Path
from conformance.contract.verdict import Defect, Kind, defect
from conformance.rules.judgement import Judgement, Judgements, body
from conformance.rules.records import REASON, Record

LANGUAGES, COUNTS, EMPTY_REASON = "read/languages", "read/counts", "read/reason"
REQUIREMENTS = frozenset({LANGUAGES, EMPTY_REASON})
"""What these rules check; of counts, a check compares the rest with a list."""

Stated = tuple[str, Defect | None]
"""A requirement that a record exercises, and how it violates it; None where it conforms."""


def examine(data: object, operation: Operation) -> Judgements:
    """The first contradiction of each requirement in the data of a success."""
    state = STATEMENTS.get(operation.resource)
    found: dict[str, Defect | None] = {}
    for path, record in _records(data, operation) if state is not None else ():
        for requirement, contradiction in state(record) if state is not None else ():
            if found.get(requirement) is None:
                found[requirement] = contradiction and contradiction.at(
                    *(body("data", *path, name) for name in contradiction.fields[:1])
                )
    yield from (Judgement(*each) for each in found.items())


def _records(data: object, operation: Operation) -> Iterator[tuple[Path, Record]]:
    page = data if isinstance(data, dict) else {}
    if not operation.is_list:
        yield (), page
        return
    items = page.get("items")
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield ("items", index), item


def _of_video(video: Record) -> Iterator[Stated]:
    """A video has one localization per target language."""
    localizations: Any = video.get("localizations")
    items = localizations if isinstance(localizations, list) else []
    shown = [each.get("language") for each in items if isinstance(each, dict)]
    languages = [each for each in shown if isinstance(each, str)]
    if not languages:
        return
    twice = defect(
        Kind.REPEATED,
        "the languages of a video are {languages}",
        expected="each language once",
        languages=", ".join(languages),
    ).on("localizations", "language")
    yield LANGUAGES, twice if len({*languages}) < len(languages) else None


def _of_project(project: Record) -> Iterator[Stated]:
    """No more localizations of a project are completed than there are."""
    done, count = project.get("completedLocalizationCount"), project.get("localizationCount")
    if isinstance(done, int) and isinstance(count, int) and done > count:
        yield (
            COUNTS,
            defect(
                Kind.VALUE,
                "a project has {count} localizations, and {done} of them completed",
                expected="at most as many completed localizations as localizations",
                actual=done,
                count=count,
                done=done,
            ).on("completedLocalizationCount", "localizationCount"),
        )


def _of_review(review: Record) -> Iterator[Stated]:
    """A review that cannot be approved has a reason that is not empty, or none."""
    if review.get("approvable") is not False:
        return
    empty = defect(
        Kind.VALUE,
        "a review that cannot be approved has an empty reason",
        expected="a reason",
        actual="",
    ).on(REASON)
    yield EMPTY_REASON, empty if review.get(REASON) == "" else None


STATEMENTS: Mapping[str, Callable[[Record], Iterator[Stated]]] = {
    "Video": _of_video,
    "Project": _of_project,
    "Review": _of_review,
}
