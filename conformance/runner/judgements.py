"""The judgements of the rules on the exchanges of one item, gathered into findings."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.contract.verdict import Finding, Location, Verdict
from conformance.http.exchange import Exchange
from conformance.rules.judgement import Judgement
from conformance.runner.result import MOST_EVIDENCE

Key = tuple[str, str, Verdict]
"""A requirement, an operation, and the verdict of the rules on the two."""

Sighting = tuple[Exchange, Judgement]
"""An exchange, and the judgement of a rule on it."""


class Judgements:
    """The judgements of one item, by requirement, operation and verdict."""

    def __init__(self) -> None:
        self._sightings: dict[Key, list[Sighting]] = {}
        self._counts: Counter[Key] = Counter()
        self._schemes: dict[Key, set[str]] = {}

    def add(self, exchange: Exchange, judgement: Judgement) -> None:
        """Add a judgement; of equal judgements, only the first few are stored."""
        key = (judgement.requirement, exchange.operation, _verdict(judgement))
        self._counts[key] += 1
        seen = self._sightings.setdefault(key, [])
        if exchange.scheme:
            self._schemes.setdefault(key, set()).add(exchange.scheme)
        if len(seen) < MOST_EVIDENCE:
            seen.append((exchange, judgement))

    def replace(self, exchange: Exchange, violations: Iterable[Judgement]) -> None:
        """Let this exchange be the only one that is shown for these violations."""
        for judgement in violations:
            key = (judgement.requirement, exchange.operation, Verdict.FAIL)
            self._sightings[key] = [(exchange, judgement)]

    def findings(self, item: str) -> tuple[Finding, ...]:
        """One finding for each requirement, operation and verdict."""
        return tuple(
            replace(
                _finding(key, seen, item),
                responses=self._counts[key],
                schemes=tuple(sorted(self._schemes.get(key, ()))),
            )
            for key, seen in self._sightings.items()
        )


def _finding(key: Key, sightings: list[Sighting], item: str) -> Finding:
    requirement, operation, verdict = key
    _, first = sightings[0]
    return Finding(
        requirement,
        verdict,
        operation,
        first.problem or "",
        first.expected,
        exchanges=tuple(exchange.id for exchange, _ in sightings),
        item=item,
        defect=first.defect and first.defect.at(*_places(sightings)),
        faces=("http",),
    )


def _verdict(judgement: Judgement) -> Verdict:
    if judgement.defect is None:
        return Verdict.PASS
    return Verdict.ERROR if judgement.unsure else Verdict.FAIL


def _places(sightings: list[Sighting]) -> Iterator[Location]:
    for exchange, judgement in sightings:
        if judgement.defect is not None:
            yield from (replace(place, exchange=exchange.id) for place in judgement.defect.where)
