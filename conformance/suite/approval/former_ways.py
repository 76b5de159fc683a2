"""Approved reviews, asked for once more in every way in which the run has read them before.

What serves one way of reading from a copy of its own, such as a page without arguments, or the tool
interface for another caller, may keep the state from before the approval.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import chain

from conformance.contract.verdict import NotApplicable, Violation
from conformance.http.exchange import Call, Exchange
from conformance.http.replay import Unrecorded
from conformance.rules.answer import HTTP, TOOL, Way
from conformance.rules.sighting import Sighting
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.suite.approval.review import APPROVED, keeps_status, record_of
from conformance.suite.disagreements import UNREPEATED, seen_again
from conformance.suite.lists.live import Live

RESOURCE, READER, PRIMARY = "Review", "review_get", "primary"
MOST = 80
"""Ways that are asked for."""


def require_left(context: Context, face: str) -> None:
    """Violation where a way of one interface keeps showing the state before an approval.

    NotApplicable where this process has approved nothing that it had read before.
    """
    ways = list(_ways(context, face))[:MOST]
    if not ways:
        raise NotApplicable("no review was read in this way and approved later")
    wanted = {
        fact_name("former-way", face, number): partial(_require_left, sighting)
        for number, sighting in enumerate(ways)
    }
    context.find_all(wanted)
    for name, find in wanted.items():
        context.fact(name, find)


def _ways(context: Context, face: str) -> Iterator[Sighting]:
    """One sighting of each review, by as many ways as there are, and of each way that is left.

    What puts a former state back may do so to some approvals only, such as those by tool.
    """
    by_review: dict[str, list[Sighting]] = {}
    for sighting in _former(context, face):
        by_review.setdefault(sighting.key[1], []).append(sighting)
    seen: set[object] = set()
    for sightings in by_review.values():
        chosen = next((each for each in sightings if _way(each) not in seen), sightings[0])
        seen.add(_way(chosen))
        yield chosen
    for sighting in chain.from_iterable(by_review.values()):
        if _way(sighting) not in seen:
            seen.add(_way(sighting))
            yield sighting


def _way(sighting: Sighting) -> object:
    return sighting.place, sighting.key[2:]


def _former(context: Context, face: str) -> Iterator[Sighting]:
    """The sightings of reviews from before their approval that can be asked for again."""
    begun = context.session.approvals.begun()
    approved = context.approved & begun.keys()
    for sighting in context.session.history.ways(RESOURCE, approved):
        way = sighting.answer.way
        # What is read after an approval may show any later status.
        exchange = sighting.answer.exchange
        is_before = exchange.started + exchange.elapsed <= begun[sighting.key[1]]
        is_former = is_before and sighting.record.get("status") not in (APPROVED, None)
        if way.face == face and is_former and _is_repeatable(way, context):
            yield sighting


def _is_repeatable(way: Way, context: Context) -> bool:
    """Whether the same request can be sent again: by a caller of the profile, without a cursor."""
    cursor = context.name(way.operation, "cursor") if way.operation.is_list else None
    is_known = way.caller in context.target.credentials and way.caller not in UNREPEATED
    return is_known and cursor not in way.names


def _require_left(sighting: Sighting, context: Context) -> None:
    """Each way is a fact of the run, since it takes as long as reads may lag."""
    former = sighting.record["status"]
    for seconds in (0.0, *context.lag.pauses):
        context.transport.wait(seconds)
        try:
            response, again = seen_again(sighting, context)
        except Unrecorded:  # shards that are replayed as one run have read in more ways
            return
        if again is None or again.record.get("status") != former:
            return
    assert again is not None
    if not _is_former_elsewhere(sighting, context):
        raise _violation(response, again)


def _is_former_elsewhere(sighting: Sighting, context: Context) -> bool:
    """Whether the review itself has its former state: that is no matter of a way of reading it.

    By tool, whoever asked is shown it over HTTP as well. Over HTTP, primary is shown it by its id;
    where it went back by itself after it had been shown approved, each way is as good as another.
    """
    way, id = sighting.answer.way, sighting.key[1]
    if way.face == HTTP and _has_gone_back(sighting, context):
        return False
    if (way.face, way.caller, way.operation.id) == (HTTP, PRIMARY, READER):
        return _is_former_in_a_list(sighting, context)
    caller, scheme = (way.caller, way.scheme) if way.face == TOOL else (PRIMARY, None)
    callers, call = Live(context).callers, Call(READER, {"reviewId": id})
    own = callers.credential(str(caller))
    read = callers.send(call, own, scheme, purpose="the review by its id")
    return read.status != 200 or record_of(read).get("status") == sighting.record["status"]


def _has_gone_back(sighting: Sighting, context: Context) -> bool:
    """Whether a review was shown approved, and nobody has sent anything for it but its approval."""
    resource, id, *_ = sighting.key
    if not context.session.approvals.is_left_alone(id):
        return False
    records = context.session.history.records().items()
    own = (
        variant for key, variants in records if key[:2] == (resource, id) for variant in variants
    )
    return any(each.record.get("status") == APPROVED for variant in own for each in variant.places)


def _is_former_in_a_list(sighting: Sighting, context: Context) -> bool:
    for other in context.session.history.ways(RESOURCE, {sighting.key[1]}):
        way = other.answer.way
        is_list = (way.face, way.caller) == (HTTP, PRIMARY) and way.operation.is_list
        if is_list and _is_repeatable(way, context):
            with suppress(Unrecorded):
                _, again = seen_again(other, context)
                return again is not None and again.record.get("status") == sighting.record["status"]
    return False


def _violation(response: Exchange, again: Sighting) -> Violation:
    status = again.record["status"]
    text = "after its approval the review keeps showing the status {status} here"
    place = again.answer.located(*again.path, "status")
    operation = again.answer.way.operation.id
    return Violation(
        keeps_status(status, text).at(place), exchanges=[response.id], operation=operation
    )
