"""What the data of a target has to have, so that certain defects of lists can show at all."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]
Records = Sequence[Record]

TIED = "createdAt"
"""The field that lists are sorted by most often."""
TEXTS = ("name", "body", "projectName", "videoName")
"""The fields that people write."""
PAGES = 20
"""Records of two pages of the shortest usual length; the third page begins after them."""


@dataclass(frozen=True)
class Condition:
    """A property of a list; `lacking` says that no list has it, and `remedy` what would."""

    is_met: Callable[[Records], bool]
    lacking: str
    remedy: str


def _has_ties(records: Records) -> bool:
    times = [record[TIED] for record in records if isinstance(record.get(TIED), str)]
    return len(set(times)) < len(times)


def _has_letters_beyond_ascii(records: Records) -> bool:
    """Whether a text has any; lists without texts that people write have no need of them."""
    texts = [str(record[name]) for record in records for name in TEXTS if name in record]
    return not texts or any(not text.isascii() for text in texts)


CONDITIONS = (
    Condition(
        _has_ties,
        f"no two records share a {TIED}",
        f"two records with one {TIED}: pages that leave out or repeat one of them",
    ),
    Condition(
        lambda records: len(records) > PAGES,
        f"no list that was read has more than {PAGES} records",
        f"a list of {PAGES + 1} records or more: third pages of 10",
    ),
    Condition(
        _has_letters_beyond_ascii,
        "no text has a letter beyond ASCII",
        "a name in another script: texts that are cut, escaped or sorted wrongly",
    ),
)

BELOW = (
    Condition(
        lambda records: not records,
        "no record has an empty list below it",
        "a record without anything below it: lists that fail where they are empty",
    ),
    Condition(
        lambda records: len(records) > 1,
        "no record has several records below it",
        "a record with two records below it: all but the first page of such a list",
    ),
)
"""Those of lists below a record."""


def at_the_beginning(ids: Collection[str]) -> Condition:
    """That a page shows one of these records, whose ids are in lower case."""
    return Condition(
        lambda records: any(str(record.get("id")).lower() in ids for record in records),
        "no review that may be approved is on the first page",
        "fixtures.approvable-reviews with one of the first page: pages that are kept",
    )


def unmet(lists: Sequence[Records], *, are_below: bool) -> Iterator[Condition]:
    """The conditions that none of these lists meets."""
    for condition in (*CONDITIONS, *BELOW) if are_below else CONDITIONS:
        if not any(condition.is_met(records) for records in lists):
            yield condition
