"""The timeline of a review: no read returns to the state that an approval has ended.

States and transitions: an approved review may get any further status at any time, but not that one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from conformance.contract.verdict import Kind, defect
from conformance.rules.attempt import Attempt
from conformance.rules.judgement import shown
from conformance.rules.lag import Lag
from conformance.rules.ruling import Ruling, Rulings
from conformance.rules.sighting import Sighting

STATE, APPROVED = "approval/state", "approved"
REVIEW = "Review"


def examine(attempts: Iterable[Attempt], sightings: Iterable[Sighting], lag: Lag) -> Rulings:
    """Whether the reads of each approved review show that it has left its former status.

    Reads lag behind an approval for a while; those that began later than that count.
    """
    reads = _by_review(sightings)
    approvals = (each for each in attempts if isinstance(each.data, dict))
    first: dict[str, Attempt] = {}
    for approval in sorted(approvals, key=lambda each: each.ends):
        first.setdefault(approval.review.lower(), approval)
    for review, approval in first.items():
        before = [each for each in reads.get(review, ()) if _ends(each) <= _begins(approval)]
        settled = approval.ends + lag.patience
        later = [each for each in reads.get(review, ()) if _began(each) >= settled]
        former = before[-1].record.get("status") if before else None
        if former not in (None, APPROVED) and later:
            yield _ruling(approval, former, later)


def _ruling(approval: Attempt, former: object, later: Sequence[Sighting]) -> Ruling:
    stale = next((each for each in later if each.record.get("status") == former), None)
    if stale is None:
        exchanges = (approval.exchange.id, later[-1].answer.exchange.id)
        return Ruling(STATE, approval.exchange.operation, exchanges)
    otherwise = (
        defect(
            Kind.EFFECT,
            "{seconds:.0f} seconds after its approval the review has the status {status} again",
            expected=APPROVED,
            actual=former,
            status=shown(former),
            seconds=_began(stale) - approval.ends,
        )
        .on("status")
        .at(stale.answer.located(*stale.path, "status"))
    )
    exchanges = (approval.exchange.id, stale.answer.exchange.id)
    return Ruling(STATE, approval.exchange.operation, exchanges, otherwise)


def _by_review(sightings: Iterable[Sighting]) -> Mapping[str, list[Sighting]]:
    found: dict[str, list[Sighting]] = defaultdict(list)
    for each in sightings:
        if each.answer.way.operation.resource == REVIEW:
            found[each.key[1]].append(each)
    return {id: sorted(own, key=_began) for id, own in found.items()}


def _began(sighting: Sighting) -> float:
    return sighting.answer.exchange.started


def _ends(sighting: Sighting) -> float:
    return _began(sighting) + sighting.answer.exchange.elapsed


def _begins(attempt: Attempt) -> float:
    return attempt.exchange.started
