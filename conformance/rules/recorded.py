"""Recorded traffic: what shows in many exchanges, and in none alone.

Nothing can be sent again, so that nobody is blamed for what a change of the data explains.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import groupby

from conformance.contract.openapi import Contract
from conformance.http import trace
from conformance.rules import agreement, tenants, timeline, walks
from conformance.rules.agreement import Disagreement
from conformance.rules.answer import Answer
from conformance.rules.approvals import Approvals
from conformance.rules.attempt import Attempt
from conformance.rules.circumstances import Circumstances
from conformance.rules.lag import Lag
from conformance.rules.ruling import Ruling, Rulings
from conformance.rules.sighting import Sighting, sightings
from conformance.rules.suspicion import Variant

UPDATED = "updatedAt"
TURNS = 4
"""Readings that take turns between two ways, before what differs is no change of the data."""


def examine(
    answers: Iterable[Answer], attempts: Sequence[Attempt], contract: Contract, lag: Lag
) -> Rulings:
    """What the rules on walks, tenants, approvals and agreement say, one ruling of each kind.

    A recording without times, which are 0 then, is in the order in which it was recorded.
    """
    ordered = sorted(answers, key=lambda each: each.exchange.started)
    seen = [each for answer in ordered for each in sightings(answer)]
    found = walks.walks(ordered)
    yield from walks.examine(found)
    yield from _first_of_each(tenants.examine(found, seen))
    timed = [each for each in attempts if each.began]
    yield from timeline.examine(timed, seen, lag)
    known = Circumstances(timed, _of_reviews(seen), lag, caller=_with_headers)
    yield from Approvals(known).examine()
    yield from _first_of_each(_disagreements(seen, attempts, contract, lag))


def _of_reviews(seen: Iterable[Sighting]) -> list[Sighting]:
    return [each for each in seen if each.answer.way.operation.resource == timeline.REVIEW]


def _with_headers(attempt: Attempt) -> Hashable:
    """Who has sent an attempt: with other headers, it is another request."""
    headers = attempt.exchange.request.headers
    return attempt.caller, tuple(sorted(pair for pair in headers if pair[0] not in trace.HEADERS))


def _first_of_each(rulings: Rulings) -> Rulings:
    """The first violation of each requirement by each operation; a pass where there is none."""
    found: dict[tuple[str, str | None], Ruling] = {}
    for ruling in rulings:
        kept = found.setdefault((ruling.requirement, ruling.operation), ruling)
        if kept.defect is None:
            found[ruling.requirement, ruling.operation] = ruling
    yield from found.values()


def _disagreements(
    seen: Sequence[Sighting], attempts: Sequence[Attempt], contract: Contract, lag: Lag
) -> Rulings:
    """Records that keep differing, apart from reviews that somebody has tried to approve."""
    attempted = {each.review.lower() for each in attempts}
    for own in _by_record(seen):
        if own[0].key[1] in attempted:
            continue
        for suspected in agreement.disagreements(_variants(own), contract):
            if _is_lasting(suspected, own, contract, lag):
                sides = (suspected.usual, suspected.odd)
                yield Ruling(
                    suspected.requirement,
                    suspected.operation,
                    tuple(each.answer.exchange.id for each in sides),
                    suspected.defect(*sides),
                )


def _by_record(seen: Sequence[Sighting]) -> Iterator[list[Sighting]]:
    records: dict[object, list[Sighting]] = defaultdict(list)
    for each in seen:
        records[each.key].append(each)
    return iter(records.values())


def _variants(own: Sequence[Sighting]) -> list[Variant]:
    alike: dict[bytes, list[Sighting]] = defaultdict(list)
    for each in own:
        alike[each.digest].append(each)
    return [Variant(tuple(each), len(each)) for each in alike.values()]


def _is_lasting(
    suspected: Disagreement, own: Sequence[Sighting], contract: Contract, lag: Lag
) -> bool:
    """Whether no change of the record explains that two ways show it with different values.

    They take turns for longer than reads may lag, or an update of it would show.
    """
    usual, odd = suspected.usual, suspected.odd
    shown = [each for each in own if each.place in (usual.place, odd.place)]
    turns = [place for place, _ in groupby(each.place for each in shown)]
    lasts = shown[-1].answer.exchange.started - shown[0].answer.exchange.started
    is_stable = len({(each.place, each.digest) for each in shown}) == 2
    if is_stable and len(turns) >= TURNS and lasts > lag.patience:
        return True
    return _has_same_update(usual, odd) and not any(
        _is_of_state(name, usual, contract) for name in suspected.properties
    )


def _has_same_update(one: Sighting, other: Sighting) -> bool:
    updates = [each.record.get(UPDATED) for each in (one, other)]
    return updates[0] is not None and updates[0] == updates[1]


def _is_of_state(name: str, sighting: Sighting, contract: Contract) -> bool:
    """Whether a property may change without an update of its record: a state, a count, a list."""
    schema = contract.schema(sighting.answer.way.operation.resource)["properties"][name]
    is_number_of_others = name.endswith("Count")
    return "status" in name.lower() or is_number_of_others or schema.get("type") == "array"
