"""The judgements of the rules on the exchanges of one item, gathered into findings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from conformance.contract.verdict import Finding, Location, Verdict
from conformance.http.exchange import Exchange
from conformance.rules.answer import HTTP, TOOL
from conformance.rules.judgement import Judgement
from conformance.runner.result import MOST_EVIDENCE

Key = tuple[str, str, Verdict]
"""A requirement, an operation, and the verdict of the rules on the two."""

Sort = tuple[str, tuple[str, ...]]
"""What alike defects have in common: the keyword that they violate, and the wrong properties."""

MOST_SORTS = 10
"""Defects of one requirement and operation that are told apart: a target chooses their names."""

Judged = tuple[Exchange, Judgement]
"""An exchange, and the judgement of a rule on it."""


@dataclass
class _Seen:
    """What was seen of one key: in which responses, and the first few judgements of each sort."""

    responses: int = 0
    latest: str = ""
    schemes: set[str] = field(default_factory=set)
    judged: dict[Sort, list[Judged]] = field(default_factory=dict)

    def add(self, exchange: Exchange, judgement: Judgement) -> None:
        """Add a judgement; a response may be judged several times, and counts once."""
        self.responses += judgement.is_counted and exchange.id != self.latest
        self.latest = exchange.id
        if exchange.scheme:
            self.schemes.add(exchange.scheme)
        sort = _sort(judgement)
        if sort not in self.judged and len(self.judged) == MOST_SORTS:
            return
        alike = self.judged.setdefault(sort, [])
        if len(alike) < MOST_EVIDENCE:
            alike.append((exchange, judgement))


class Judgements:
    """The judgements of one item, by requirement, operation and verdict."""

    def __init__(self) -> None:
        self._seen: dict[Key, _Seen] = {}

    def add(self, exchange: Exchange, judgement: Judgement) -> None:
        """Add a judgement; of equal judgements, only the first few are stored."""
        key = (judgement.requirement, exchange.operation, _verdict(judgement))
        self._seen.setdefault(key, _Seen()).add(exchange, judgement)

    def replace(self, exchange: Exchange, violations: Iterable[Judgement]) -> None:
        """Let this exchange be the only one that is shown for these violations."""
        for judgement in violations:
            key = (judgement.requirement, exchange.operation, Verdict.FAIL)
            seen = self._seen.setdefault(key, _Seen())
            seen.judged[_sort(judgement)] = [(exchange, judgement)]

    @property
    def has_violation(self) -> bool:
        """Whether a rule was violated."""
        return any(verdict is Verdict.FAIL for _, _, verdict in self._seen)

    def findings(self, item: str) -> tuple[Finding, ...]:
        """Those of each requirement, operation and verdict, one for each sort of defect."""
        return tuple(chain.from_iterable(_findings(*each, item) for each in self._seen.items()))


def _sort(judgement: Judgement) -> Sort:
    found = judgement.defect
    return (found.keyword, found.fields) if found else ("", ())


def _findings(key: Key, seen: _Seen, item: str) -> Iterator[Finding]:
    """The first one has the number of all responses."""
    for number, judged in enumerate(seen.judged.values()):
        counted = seen if number == 0 else replace(seen, responses=0)
        yield _finding(key, counted, judged, item)


def _finding(key: Key, seen: _Seen, judged: list[Judged], item: str) -> Finding:
    requirement, operation, verdict = key
    _, first = judged[0]
    return Finding(
        requirement,
        verdict,
        operation,
        first.problem or "",
        first.expected,
        exchanges=tuple(exchange.id for exchange, _ in judged),
        item=item,
        defect=first.defect and first.defect.at(*_places(judged)),
        responses=seen.responses,
        schemes=tuple(sorted(seen.schemes)),
        faces=tuple(sorted({_face(exchange) for exchange, _ in judged})),
    )


def _face(exchange: Exchange) -> str:
    """The interface of an exchange: what is outside the HTTP contract and judged is a tool's."""
    return HTTP if exchange.in_contract else TOOL


def _verdict(judgement: Judgement) -> Verdict:
    if judgement.defect is None:
        return Verdict.PASS
    return Verdict.ERROR if judgement.unsure else Verdict.FAIL


def _places(judged: list[Judged]) -> Iterator[Location]:
    for exchange, judgement in judged:
        if judgement.defect is not None:
            yield from (replace(place, exchange=exchange.id) for place in judgement.defect.where)
