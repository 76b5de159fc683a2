"""The judgements of the rules on the exchanges of one item, gathered into findings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from conformance.contract.verdict import Finding, Location, Verdict
from conformance.http.exchange import Exchange
from conformance.rules.answer import HTTP, TOOL
from conformance.rules.judgement import Judgement
from conformance.runner.result import MOST_EVIDENCE

Key = tuple[str, str, Verdict]
"""A requirement, an operation, and the verdict of the rules on the two."""

Judged = tuple[Exchange, Judgement]
"""An exchange, and the judgement of a rule on it."""


@dataclass
class _Seen:
    """What was seen of one key: how often, by which schemes, and the first few judgements."""

    responses: int = 0
    schemes: set[str] = field(default_factory=set)
    judged: list[Judged] = field(default_factory=list)


class Judgements:
    """The judgements of one item, by requirement, operation and verdict."""

    def __init__(self) -> None:
        self._seen: dict[Key, _Seen] = {}

    def add(self, exchange: Exchange, judgement: Judgement) -> None:
        """Add a judgement; of equal judgements, only the first few are stored."""
        seen = self._of((judgement.requirement, exchange.operation, _verdict(judgement)))
        seen.responses += 1
        if exchange.scheme:
            seen.schemes.add(exchange.scheme)
        if len(seen.judged) < MOST_EVIDENCE:
            seen.judged.append((exchange, judgement))

    def replace(self, exchange: Exchange, violations: Iterable[Judgement]) -> None:
        """Let this exchange be the only one that is shown for these violations."""
        for judgement in violations:
            key = (judgement.requirement, exchange.operation, Verdict.FAIL)
            self._of(key).judged = [(exchange, judgement)]

    @property
    def has_violation(self) -> bool:
        """Whether a rule was violated."""
        return any(verdict is Verdict.FAIL for _, _, verdict in self._seen)

    def findings(self, item: str) -> tuple[Finding, ...]:
        """One finding for each requirement, operation and verdict."""
        return tuple(_finding(key, seen, item) for key, seen in self._seen.items())

    def _of(self, key: Key) -> _Seen:
        seen = self._seen.get(key)
        if seen is None:
            seen = self._seen[key] = _Seen()
        return seen


def _finding(key: Key, seen: _Seen, item: str) -> Finding:
    requirement, operation, verdict = key
    _, first = seen.judged[0]
    return Finding(
        requirement,
        verdict,
        operation,
        first.problem or "",
        first.expected,
        exchanges=tuple(exchange.id for exchange, _ in seen.judged),
        item=item,
        defect=first.defect and first.defect.at(*_places(seen.judged)),
        responses=seen.responses,
        schemes=tuple(sorted(seen.schemes)),
        faces=tuple(sorted({_face(exchange) for exchange, _ in seen.judged})),
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
