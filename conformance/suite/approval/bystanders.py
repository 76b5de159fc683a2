"""Which other reviews to watch during an approval, and which review to approve first."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from conformance.http.exchange import Exchange
from conformance.suite.approval.review import APPROVED, Record, Review, identified

DIVERSITY = ("subjectType", "companyId")
"""Properties in which a second trial had better differ from the first."""
TIES = ("subjectId", "videoId", "projectId")
"""Properties that tie reviews together, the closest first."""
GROUPS = ("companyId", "subjectType", "language", "requestedAudience", "projectName", "videoName")
"""Properties that reviews without a tie may have in common."""
STATE = ("status", "approvable")
MOST_RELATED = 4
MOST_COUNTED = 9
WEIGHT_OF_DIFFERENCE = 100


def worth(records: Sequence[Record], unlike: Review | None) -> Callable[[Record], int]:
    """How much a trial of a review shows.

    More where it differs from that of an earlier trial, and where related reviews are pending.
    After an earlier one, most at revision 0: some parsers take it for an absent one.
    """
    earlier = {} if unlike is None else unlike.record
    pending = [record for record in records if record.get("status") != APPROVED]
    related = {tie: _counted(tie, pending) for tie in TIES}

    def value(record: Record) -> int:
        shared = [name for name in DIVERSITY if name in earlier and name in record]
        differences = len([name for name in shared if earlier[name] != record[name]])
        relations = sum(
            min(counts[str(record.get(tie))], MOST_COUNTED) for tie, counts in related.items()
        )
        is_falsy = bool(earlier) and record.get("subjectRevision") == 0
        return WEIGHT_OF_DIFFERENCE * (differences + is_falsy * (len(DIVERSITY) + 1)) + relations

    return value


def likeness(own: Record, other: Record, records: Sequence[Record]) -> Callable[[Record], int]:
    """How much a review is to another one, in the same state, what `own` is to `other`.

    0 where no other one has the closest tie of these two to it.
    """
    tie = _tie(own, other)
    if tie is None:
        return lambda _: 0
    same = [each for each in records if all(each.get(name) == other.get(name) for name in STATE)]

    def value(record: Record) -> int:
        tied = [
            each
            for each in same
            if each.get(tie) == record.get(tie) and each["id"] != record.get("id")
        ]
        alike = _in_common(own, record)
        return max((alike + _in_common(other, each) + 1 for each in tied), default=0)

    return value


def is_tied(one: Record, other: Record) -> bool:
    """Whether two reviews share what ties reviews together."""
    return _tie(one, other) is not None


def _tie(own: Record, other: Record) -> str | None:
    return next((tie for tie in TIES if tie in own and own[tie] == other.get(tie)), None)


def _in_common(one: Record, other: Record) -> int:
    """In how many properties of a group two reviews agree."""
    return len([name for name in GROUPS if name in one and one[name] == other.get(name)])


def pending_beside(records: Sequence[Record]) -> Callable[[Record], int]:
    """How many pending reviews are next to a review in the list."""
    pending = [record.get("status", APPROVED) != APPROVED for record in records]
    beside = [sum(pending[max(place - 1, 0) : place + 2]) for place in range(len(records))]
    numbers = {record["id"].lower(): number for record, number in zip(records, beside, strict=True)}
    return lambda record: numbers.get(str(record.get("id")).lower(), 0)


def _counted(name: str, records: Sequence[Record]) -> Counter[str]:
    return Counter(record[name] for record in records if isinstance(record.get(name), str))


def bystanders(review: Review, records: Sequence[Record], pool: Sequence[str]) -> list[str]:
    """The ids of other reviews to watch.

    They are the next of the pool, those beside the review in the list, related ones, and both ends.
    """
    found = dict.fromkeys(
        [
            *pool[:1],
            *_beside(review, records),
            *list(_related(review, records))[:MOST_RELATED],
            *(record["id"] for record in (*records[:1], *records[-1:])),
        ]
    )
    return [id for id in found if id.lower() != review.id.lower()]


def are_unrelated(one: Record, other: Record) -> bool:
    """Whether two reviews show what ties reviews together, and share nothing of it."""
    shown = all(isinstance(record.get(tie), str) for record in (one, other) for tie in TIES)
    return shown and all(one[tie] != other[tie] for tie in TIES)


def shares_as_much(one: Record, other: Record, third: Record) -> bool:
    """Whether a third review has all that two others have in common, and the state of the first."""
    common = [name for name in GROUPS if name in one and one[name] == other.get(name)]
    state = [name for name in STATE if name in one]
    return all(third.get(name) == one[name] for name in (*common, *state))


def _beside(review: Review, records: Sequence[Record]) -> list[str]:
    ids = [record["id"] for record in records]
    lower = [id.lower() for id in ids]
    index = lower.index(review.id.lower()) if review.id.lower() in lower else 0
    return ids[max(index - 1, 0) : index + 2]


def _related(review: Review, records: Sequence[Record]) -> Iterator[str]:
    for tie in TIES:
        for record in records:
            is_pending = record.get("status") != APPROVED
            is_another = record["id"].lower() != review.id.lower()
            is_tied = tie in review.record and record.get(tie) == review.record[tie]
            if is_pending and is_another and is_tied:
                yield record["id"]


def newly_approved(before: Exchange, after: Exchange) -> list[str]:
    """The ids of the reviews that became approved from one read of a page to the next."""
    pending = {
        item["id"] for item in identified(before) if item.get("status", APPROVED) != APPROVED
    }
    approved = [item["id"] for item in identified(after) if item.get("status") == APPROVED]
    return [id for id in approved if id in pending]
