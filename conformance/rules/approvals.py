"""A model of approvals: whether any order explains the responses to all that were sent.

What was sent with one key, by one caller, overlaps or not, over HTTP or by tool, in a run or in
recorded traffic. An attempt that no order explains violates the requirement that it is about
(States and transitions).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import MISSING
from conformance.rules.attempt import Attempt, is_same_result
from conformance.rules.circumstances import CONFLICT, Circumstances
from conformance.rules.judgement import STATUS_LINE, body, shown
from conformance.rules.linearization import Timed, unexplained
from conformance.rules.ruling import Ruling, Rulings

REPLAY, AT_ONCE = "approval/replay", "approval/one-key-at-once"
OTHER_REVISION, OTHER_REVIEW = "approval/key-other-revision", "approval/key-other-review"
STALE, SUCCESS = "approval/stale-revision", "approval/success"
BY_TOOL = "tools/approval"
OVER_HTTP = (REPLAY, AT_ONCE, OTHER_REVISION, OTHER_REVIEW, STALE, SUCCESS)

Made = frozenset[str]
"""A state of the model: the approvals made with a key so far, by the ids of their exchanges."""


@dataclass(frozen=True)
class Approvals:
    """The attempts whose responses are to be explained, and what is certain of them."""

    known: Circumstances

    def examine(self) -> Rulings:
        """Whether an order explains the responses to the attempts with each key.

        Of one that was never answered, nobody knows whether it took effect.
        """
        for own in self.known.by_key.values():
            timed = [Timed(each, each.began, each.ends) for each in own if each.ends < inf]
            wrong = [each.exchange.id for each in unexplained(timed, Made(), self._step)]
            for each in own:
                yield from self._rulings(each, is_wrong=each.exchange.id in wrong)

    # --- the model -----------------------------------------------------------------------------

    def _step(self, made: Made, attempt: Attempt) -> list[Made]:
        """What may be made after an attempt with its response; [] where it is not allowed."""
        used = [each for each in self.known.with_key_of(attempt) if each.exchange.id in made]
        if attempt.has_result:
            is_allowed = self._may_succeed(attempt, used)
            return [made | {attempt.exchange.id}] if is_allowed else []
        return [made] if attempt.data is not MISSING or self._may_fail(attempt, used) else []

    def _may_succeed(self, attempt: Attempt, used: Sequence[Attempt]) -> bool:
        own = [each for each in used if each.is_of_same_review(attempt)]
        if own:
            return all(each.body == attempt.body and _is_same(each, attempt) for each in own)
        beside = (each for each in self.known.with_key_of(attempt) if each.began < attempt.ends)
        if any(_has_result_of_other(attempt, each) for each in beside):
            return False
        return self.known.is_approved_by(attempt) or not self.known.is_stale(attempt)

    def _may_fail(self, attempt: Attempt, used: Sequence[Attempt]) -> bool:
        replayed = [each for each in used if each.subject == attempt.subject]
        if replayed:
            return self.known.is_open(attempt, replayed[0])
        if used or attempt.exchange.status != CONFLICT:
            return True
        return self.known.is_approved_by(attempt) or not self.known.is_unexplained(attempt)

    # --- what is said of an attempt ------------------------------------------------------------

    def _rulings(self, attempt: Attempt, *, is_wrong: bool) -> Rulings:
        """What an attempt exercises, and violates where no order explains it."""
        about, approval = self._about(attempt, is_wrong=is_wrong)
        if not is_wrong and not self._is_exercised(attempt, about, approval):
            return
        around = [each.answer.exchange for each in self.known.around(attempt)]
        beside = [approval.exchange] if approval is not None else around
        exchanges = sorted([*beside, attempt.exchange], key=lambda each: each.started)
        yield Ruling(
            BY_TOOL if self.known.is_of_tools(attempt) else about,
            attempt.exchange.operation,
            tuple(each.id for each in exchanges),
            _defect(about, attempt, approval) if is_wrong else None,
        )

    def _about(self, attempt: Attempt, *, is_wrong: bool) -> tuple[str, Attempt | None]:
        """The requirement that an attempt exercises, and the approval whose key it has."""
        used = [each for each in self.known.with_key_of(attempt) if each.began < attempt.ends]
        own = [each for each in used if each.is_of_same_review(attempt)]
        same = [each for each in own if each.body == attempt.body]
        if is_wrong and attempt.has_result:
            if foreign := [each for each in used if _has_result_of_other(attempt, each)]:
                return OTHER_REVIEW, foreign[0]
            # What it repeats does not contradict it.
            same = [each for each in same if not _is_same(each, attempt)]
        if ended := [each for each in same if each.ends <= attempt.began]:
            spelt = [each for each in ended if each.review == attempt.review]
            return REPLAY, (spelt or ended)[0]
        if same:
            return AT_ONCE, same[0]
        if used:
            return (OTHER_REVISION, own[0]) if own else (OTHER_REVIEW, used[0])
        is_about_revision = is_wrong if attempt.has_result else self.known.is_stale(attempt)
        return STALE if is_about_revision else SUCCESS, None

    def _is_exercised(self, attempt: Attempt, about: str, approval: Attempt | None) -> bool:
        if approval is None:
            return attempt.has_result or (about == STALE and attempt.exchange.status == CONFLICT)
        if about == REPLAY and not attempt.has_result:
            return not self.known.is_open(attempt, approval)
        return attempt.has_result or attempt.exchange.status == CONFLICT


def _is_same(one: Attempt, other: Attempt) -> bool:
    return is_same_result(one.data, other.data)


def _has_result_of_other(attempt: Attempt, other: Attempt) -> bool:
    """Whether a result is that of another review, by its id."""
    is_other = not attempt.is_of_same_review(other)
    return is_other and str(attempt.data.get("id")).lower() == other.review.lower()


RETURNED: Mapping[str, str] = {
    REPLAY: "the replay of an approval that had succeeded returned {response}",
    AT_ONCE: "one approval, sent several times at once, returned another result: {response}",
    OTHER_REVISION: "a used key with another revision returned {response}",
    OTHER_REVIEW: "a used key for another review returned the result of the first one",
    STALE: "an approval at revision {revision}, which the review never had, returned {response}",
    SUCCESS: "an approval at revision {revision}, which the review kept, returned {response}",
}
EXPECTED: Mapping[str, str] = {
    REPLAY: "200 with the same data",
    AT_ONCE: "200 with the same data, or 409",
    OTHER_REVISION: "409",
    OTHER_REVIEW: "409, or 200 with the result of that review",
    STALE: "409",
    SUCCESS: "200",
}


def _defect(about: str, attempt: Attempt, approval: Attempt | None) -> Defect:
    """What is wrong with the response to an attempt."""
    is_other_result = about == REPLAY and attempt.has_result
    if is_other_result and approval is not None:
        return defect(
            Kind.DIFFERENCE,
            "the replay of an approval returned another result: {result}",
            expected=shown(approval.data),
            actual=attempt.data,
            result=shown(attempt.data),
        ).at(body("data"))
    return defect(
        Kind.STATUS,
        RETURNED[about],
        expected=EXPECTED[about],
        actual=attempt.exchange.status,
        response=attempt.exchange.describe(),
        revision=attempt.body and attempt.body[0],
    ).at(STATUS_LINE)
