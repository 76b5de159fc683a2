"""What is certain of attempts to approve reviews, in whatever order they took effect."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from conformance.rules.attempt import TOOL, Attempt, is_late
from conformance.rules.lag import Lag
from conformance.rules.sighting import Sighting

REVISION = "subjectRevision"
CONFLICT = 409
OPEN = frozenset({401, 403, 404, 429})
"""Statuses that a replay may get for another reason.

The credential has expired, the review has moved out of reach, or the rate limit is exceeded.
"""
OPEN_IN_OTHER_CASE = frozenset({400, 422})
"""Statuses for an id that a target may take in the letter case alone in which it shows it."""


@dataclass(frozen=True)
class Circumstances:
    """All attempts, in any order, and the reads of reviews; `caller` tells whose key each has."""

    attempts: Sequence[Attempt]
    reads: Sequence[Sighting] = ()
    lag: Lag = field(default_factory=Lag)
    caller: Callable[[Attempt], Hashable] = lambda attempt: attempt.caller

    @cached_property
    def by_key(self) -> Mapping[Hashable, list[Attempt]]:
        """The attempts by their callers and keys, in the order in which they were sent."""
        found: dict[Hashable, list[Attempt]] = defaultdict(list)
        for each in sorted(self.attempts, key=lambda each: (each.began, each.exchange.id)):
            if each.key is not None:
                found[self.caller(each), each.key].append(each)
        return found

    def is_of_tools(self, attempt: Attempt) -> bool:
        """Whether an attempt is by tool, or its key has made an approval there first."""
        return TOOL in (attempt.face, self._first_faces.get(str(attempt.key)))

    @cached_property
    def _first_faces(self) -> Mapping[str, str]:
        """The interface of the first approval with each key, whoever has sent it."""
        found: dict[str, str] = {}
        for each in sorted(self.attempts, key=lambda each: each.began):
            if each.has_result:
                found.setdefault(str(each.key), each.face)
        return found

    @cached_property
    def _by_review(self) -> Mapping[str, list[Attempt]]:
        found: dict[str, list[Attempt]] = defaultdict(list)
        for each in self.attempts:
            found[each.review.lower()].append(each)
        return found

    def with_key_of(self, attempt: Attempt) -> list[Attempt]:
        """The approvals with the key of an attempt, while that key is stored."""
        own = self.by_key[self.caller(attempt), attempt.key]
        approvals = (each for each in own if each.has_result and each is not attempt)
        stored = (each for each in approvals if not is_late(attempt.exchange, each.exchange))
        return [each for each in stored if not self._is_again(each)]

    def _is_again(self, approval: Attempt) -> bool:
        """Whether its review was approved before, by another key: it need not store its own."""
        others = self._by_review[approval.review.lower()]
        return any(
            each.has_result and each.key != approval.key and each.ends <= approval.began
            for each in others
        )

    def is_approved_by(self, attempt: Attempt) -> bool:
        """Whether another approval of its review began before an attempt had ended."""
        others = self._by_review[attempt.review.lower()]
        return any(
            each.has_result and each is not attempt and each.began < attempt.ends for each in others
        )

    def is_open(self, attempt: Attempt, approval: Attempt) -> bool:
        """Whether the rejection of a replay may be about something else."""
        exchange, review = attempt.exchange, self._by_review[attempt.review.lower()]
        response = exchange.response
        if response is None or response.is_unreadable or exchange.superseded or exchange.at_once:
            return True
        if attempt.face == TOOL or exchange.status in OPEN:
            return True  # an error by tool has no status: the review may be out of reach by now
        if exchange.call.body != approval.exchange.call.body:
            return True  # blanks may make a body too large, for example
        if attempt.review != approval.review and not self._takes_other_letters(attempt):
            return True
        return any(attempt.overlaps(each) for each in review if each is not attempt)

    def _takes_other_letters(self, attempt: Attempt) -> bool:
        """Whether a replay with its id in other letters is known to be no other request.

        Its form may be rejected all the same.
        """
        return attempt.exchange.status not in OPEN_IN_OTHER_CASE and any(
            each.has_result and other.subject == each.subject and other.review != each.review
            for each in self.attempts
            if each.key is not None and self.caller(each) == self.caller(attempt)
            for other in self.with_key_of(each)
        )

    def around(self, attempt: Attempt) -> list[Sighting]:
        """The last read of its review before an attempt, and the first that no longer lags.

        Both are by its caller.
        """
        settled = attempt.ends + self.lag.patience
        # Whether it can be approved may depend on the caller.
        key = attempt.review.lower(), attempt.exchange.credential, attempt.exchange.scheme
        own = [each for each in self.reads if each.key[1:] == key]
        before = [each for each in own if _ended(each) <= attempt.began]
        after = [each for each in own if _began(each) >= settled]
        is_known = bool(before and after)
        return [max(before, key=_ended), min(after, key=_began)] if is_known else []

    def is_stale(self, attempt: Attempt) -> bool:
        """Whether the revision that was sent lies beside all that its review had meanwhile.

        The review was not approved before: a success could repeat what nobody has recorded.
        """
        around = self.around(attempt)
        if not around or not _is_approvable(around[0]):
            return False
        revisions = [each.record.get(REVISION) for each in around]
        known = [each for each in revisions if isinstance(each, int | float)]
        sent = attempt.body[0] if attempt.body else 0
        return len(known) > 1 and not min(known) <= sent <= max(known)

    def is_unexplained(self, attempt: Attempt) -> bool:
        """Whether nothing explains a conflict, nor the conflict of another key.

        One key alone may have been used before the first request that is known.
        """
        others = self._by_review[attempt.review.lower()]
        conflicts = (each for each in others if each.exchange.status == CONFLICT)
        is_again = any(each.key != attempt.key and self._is_right(each) for each in conflicts)
        return is_again and self._is_right(attempt)

    def _is_right(self, attempt: Attempt) -> bool:
        """Whether its review could be approved at this revision, before and afterwards.

        No other attempt was under way, or may have the key.
        """
        around, sent = self.around(attempt), attempt.body and attempt.body[0]
        if not around or not all(_is_approvable(each) for each in around):
            return False
        states = [(each.record.get("status"), each.record.get(REVISION)) for each in around]
        others = [each for each in self.attempts if each is not attempt]
        return (
            states[0] == states[1]
            and states[0][1] == sent
            and not any(attempt.overlaps(each) for each in others)
            and not any(each.key in (None, attempt.key) for each in others)
        )


def _began(sighting: Sighting) -> float:
    return sighting.answer.exchange.started


def _ended(sighting: Sighting) -> float:
    return _began(sighting) + sighting.answer.exchange.elapsed


def _is_approvable(sighting: Sighting) -> bool:
    return sighting.record.get("approvable") is True
