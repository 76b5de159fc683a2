"""What a process has seen of the records of a target, whichever item has asked for them."""

import threading
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conformance.contract.verdict import Finding
from conformance.http.exchange import FACT
from conformance.rules import issued, timeline
from conformance.rules.answer import HTTP, Answer
from conformance.rules.issued import Issue
from conformance.rules.lag import Lag
from conformance.rules.records import Record
from conformance.rules.sighting import Key, Place, Sighting, sightings
from conformance.rules.suspicion import Variant
from conformance.runner.result import ItemResult

if TYPE_CHECKING:
    from conformance.runner.context import Context
    from conformance.runner.session import Session

ITEM = f"{FACT}history"
"""What shows at the end of a run."""

MOST_RECORDS = 10_000
"""Records that are remembered; a target may show others with each response."""

MOST_CURSORS = 100_000
"""Cursors that are remembered; a deep run may read pages for hours."""

MOST_VARIANTS = 30
"""Variants of one record; with more, it changes with each response, and nobody can compare it."""


@dataclass
class _Seen:
    """One of equal sightings for each place, by place, and the number of all of them.

    They share their record, which takes up most of the memory of a run. `latest` is the last one
    over HTTP of this run.
    """

    record: Record
    chosen: dict[Place, Sighting] = field(default_factory=dict)
    count: int = 0
    latest: Sighting | None = None

    def add(self, sighting: Sighting) -> Sighting:
        """Count a sighting; the one that is stored is the same in every schedule."""
        sighting = replace(sighting, record=self.record)
        kept = self.chosen.setdefault(sighting.place, sighting)
        if sighting.answer.exchange.id < kept.answer.exchange.id:
            self.chosen[sighting.place] = sighting
        self.count += 1
        return sighting

    def merge(self, other: "_Seen") -> None:
        """Count what another history has seen of the same."""
        for sighting in other.chosen.values():
            self.add(sighting)
        self.count += other.count - len(other.chosen)


class History:
    """The sightings of every record, of which equal ones are counted, and kept once.

    `is_reading` while only checks that read are performed: what others see beside approvals depends
    on the schedule. `round` is that of the run. `confirmed` are the kinds of disagreements that
    keep being seen, and `early` what the reads of a narrow round show together, by its item.
    `cursors` are those that were issued.
    """

    def __init__(self) -> None:
        self.is_reading = True
        self.round = 0
        self.confirmed: set[tuple[str, ...]] = set()
        self.early: dict[str, tuple[Finding, ...]] = {}
        self.cursors: dict[str, frozenset[Issue]] = {}
        self._records: dict[Key, dict[bytes, _Seen]] = {}
        self._ways: dict[tuple[Key, Place], tuple[int, str, Sighting]] = {}
        self._adding = threading.Lock()

    def add(self, answer: Answer) -> None:
        """Remember the records that a response shows, and its cursor."""
        with self._adding:
            if len(self.cursors) < MOST_CURSORS:
                issued.add(answer, self.cursors)
        for sighting in sightings(answer):
            digest = sighting.digest
            with self._adding:
                if len(self._records) >= MOST_RECORDS and sighting.key not in self._records:
                    continue
                variants = self._records.setdefault(sighting.key, {})
                if digest not in variants and len(variants) <= MOST_VARIANTS:
                    variants[digest] = _Seen(sighting.record)
                seen = variants.get(digest)
                kept = seen.add(sighting) if seen is not None else sighting
                if seen is not None and sighting.answer.way.face == HTTP:
                    seen.latest = max(seen.latest or kept, kept, key=_began)
                if self.is_reading:
                    self._keep_way(kept)

    def _keep_way(self, sighting: Sighting) -> None:
        """Keep the first of a way: what is read in a later round may be approved by then."""
        way, found = (sighting.key, sighting.place), (self.round, sighting.answer.exchange.id)
        if way not in self._ways or found < self._ways[way][:2]:
            self._ways[way] = *found, sighting

    def adopt(self, other: "History") -> None:
        """Take what another run has seen on a target that responds to it in the same way.

        Its clock was another one: what it has read counts as read before this run.
        """
        for *_, sighting in other._ways.values():
            self._keep_way(_at_the_beginning(sighting))
        for key, variants in other._records.items():
            own = self._records.setdefault(key, {})
            for digest, seen in variants.items():
                own.setdefault(digest, _Seen(seen.record)).merge(seen)

    def ways(self, resource: str, ids: Collection[str]) -> list[Sighting]:
        """One sighting of each of some records, by their ids in lower case, for each place.

        Only what checks that read have asked for, and in the same order in every schedule: those
        with the fewest arguments first, which are what a reader understands best.
        """
        found = (each for (key, _), (*_, each) in self._ways.items() if key[0] == resource)
        own = (each for each in found if each.key[1] in ids)
        return sorted(own, key=_plainness)

    def latest(self, resource: str) -> list[Sighting]:
        """The last sighting over HTTP of each variant of the records of a resource."""
        own = (
            seen
            for key, all in self._records.items()
            if key[0] == resource
            for seen in all.values()
        )
        return [seen.latest for seen in own if seen.latest is not None]

    def records(self) -> dict[Key, list[Variant]]:
        """The variants of each record, in the same order in every schedule."""
        return {
            key: [Variant(_places(seen), seen.count) for _, seen in sorted(own.items())]
            for key in sorted(self._records, key=repr)
            if len(own := self._records[key]) <= MOST_VARIANTS
        }


def _at_the_beginning(sighting: Sighting) -> Sighting:
    exchange = replace(sighting.answer.exchange, started=0.0, elapsed=0.0)
    return replace(sighting, answer=replace(sighting.answer, exchange=exchange))


def _began(sighting: Sighting) -> tuple[float, str]:
    return sighting.answer.exchange.started, sighting.answer.exchange.id


def _plainness(sighting: Sighting) -> tuple[int, str]:
    return len(sighting.answer.way.names), sighting.answer.exchange.id


def _places(seen: _Seen) -> tuple[Sighting, ...]:
    return tuple(seen.chosen[place] for place in sorted(seen.chosen))


def item_of(depth: str) -> str:
    """The name of what shows after the reads of a narrow round."""
    return f"{ITEM}[{depth}]"


def examine_early(context: "Context") -> None:
    """What shows in the first reads: it has to be said before a run of many requests is over."""
    known = context.session.knowledge
    found = tuple(known.disagreements(context, is_early=True))
    context.session.history.early[context.item] = found


def _reads(session: "Session") -> list[Sighting]:
    """What was read of reviews before an approval, and the last of each state that was read."""
    reviews = session.approvals.reviews()
    first = session.history.ways(timeline.REVIEW, reviews)
    return [each for each in first if each.answer.way.face == HTTP] + [
        each for each in session.history.latest(timeline.REVIEW) if each.key[1] in reviews
    ]


def results(session: "Session", *, is_cut: bool = False) -> list[ItemResult]:
    """What shows in all that a process has sent, and in no exchange alone.

    Where the run was cut, nothing more is sent to look into what is suspected.
    """
    found = [
        session.approvals.result(session.redactor, _reads(session), Lag(session.target.limits.lag))
    ]
    if not is_cut:
        context = session.context(ITEM)
        own = context.finish(tuple(session.knowledge.disagreements(context)))
        found += [own if own.findings else None, *session.results_of_facts(context)]
    return [each for each in found if each is not None]
