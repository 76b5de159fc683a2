"""Records that a run was shown with different values, read once more before anybody is blamed."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from operator import itemgetter

from conformance.contract.verdict import Finding, Inconclusive, Verdict, Violation
from conformance.http.exchange import Exchange
from conformance.http.replay import Unrecorded
from conformance.http.sending import Sending
from conformance.rules import agreement, tool_call
from conformance.rules import answer as answers
from conformance.rules.agreement import Disagreement, Variant
from conformance.rules.answer import TOOL
from conformance.rules.sighting import Sighting, sightings
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.suite.lists.changing_lists import RESTLESS
from conformance.suite.lists.live import Live
from conformance.suite.tools.channel import Caller, Channel, Message

MOST_KINDS, MOST = 30, 120
"""Kinds of disagreements that are repeated, and disagreements of all kinds together.

Where much changes by itself, the one that keeps differing is not among the first.
"""
UNREPEATED = frozenset({"throttled"})
"""Callers who are not asked again: they have no requests to spare."""
Kind = tuple[str, ...]
"""What disagreements have in common that one defect causes."""
Named = tuple[str, Callable[[Context], "Outcome"]]
"""A fact of the run: its name, and how it is found."""
Round = tuple[Sighting, Sighting, Sighting]
"""The usual sighting, the odd one, and the usual one again."""


def confirmed(context: Context, *, is_early: bool = False) -> Iterator[Finding]:
    """What a run has seen of records that keep disagreeing, one finding of each kind.

    At the end of a narrow round, one of each kind is confirmed, and the rest at the end of the run.
    """
    differing = list(_differing(context))
    restless = set[str]().union(*(agreement.restless(each, context.contract) for each in differing))
    found = context.session.history.confirmed
    kinds = _by_kind(differing, context)
    for batch in _batches([each[:1] for each in kinds] if is_early else kinds):
        # Side by side, since each of them takes as long as a deployment may lag behind.
        left = [each for each in batch if each[0].kind not in found]
        name = "early-disagreement" if is_early else "disagreement"
        facts = [_fact(name, *each, frozenset(restless)) for each in left]
        context.find_all(dict(facts))
        for (suspected, _), fact in zip(left, facts, strict=True):
            outcome = context.fact(*fact)
            restless |= outcome.changing
            if outcome.violation is not None and suspected.kind not in found:
                found.add(suspected.kind)
                yield _finding(suspected, outcome.violation)


def _by_kind(differing: Sequence[list[Variant]], context: Context) -> list[list[Disagreement]]:
    """The disagreements of the first kinds, those first that are unlike each other."""
    kinds: dict[Kind, list[Disagreement]] = defaultdict(list)
    suspects = (agreement.disagreements(each, context.contract) for each in differing)
    for suspected in chain.from_iterable(suspects):
        kinds[suspected.kind].append(suspected)
    return [_varied(alike, context.session.seed) for alike in islice(kinds.values(), MOST_KINDS)]


def _varied(alike: Sequence[Disagreement], seed: int) -> list[Disagreement]:
    """One for each page size of the odd side, then another one, in an order by the seed."""
    turns: Counter[str | None] = Counter()
    ordered = []
    for each in random.Random(seed).sample(alike, len(alike)):
        size = each.odd.answer.way.argument("limit")
        ordered.append((turns[size], each))
        turns[size] += 1
    return [each for _, each in sorted(ordered, key=itemgetter(0))]


def _batches(kinds: Sequence[list[Disagreement]]) -> Iterator[list[tuple[Disagreement, int]]]:
    """One disagreement of each kind with its number, then two, four and so on, up to the most."""
    begin, left = 0, MOST
    while left > 0 and any(len(alike) > begin for alike in kinds):
        end = 2 * begin + 1
        batch = [
            (suspected, number)
            for alike in kinds
            for number, suspected in enumerate(alike[begin:end], begin)
        ][:left]
        yield batch
        begin, left = end, left - len(batch)


def require_agreement(usual: Exchange, odd: Exchange, id: str, context: Context) -> None:
    """Violation where two responses keep showing a record with different values."""
    shown = [each for one in (usual, odd) for each in _sightings(one, id, context)]
    variants = [Variant((each,), 1) for each in shown]
    for suspected in agreement.disagreements(variants, context.contract):
        outcome = Confirmation(context, suspected).outcome()
        if outcome.violation is not None:
            raise outcome.violation


def _sightings(exchange: Exchange, id: str, context: Context) -> Iterator[Sighting]:
    answer = answers.of(exchange, context.contract)
    shown = sightings(answer) if answer is not None else ()
    return (each for each in shown if each.key[1] == id.lower())


def seen_again(sighting: Sighting, context: Context) -> tuple[Exchange, Sighting | None]:
    """The response to the same request, to the letter, and the record as it shows it now."""
    exchange, way = sighting.answer.exchange, sighting.answer.way
    credential = context.target.credentials[str(way.caller)]
    if way.face == TOOL:
        call = tool_call.read(exchange)
        assert call is not None
        params = {"name": call.tool, "arguments": dict(call.arguments)}
        message = Message(tool_call.METHOD, params, "the record again", way.operation.id)
        response = Channel(context).send(message, Caller.of(credential, way.scheme)).exchange
    else:
        sending = Sending(credential, way.scheme, "the record again")
        response = context.client.send(exchange.call, sending)
    shown = _sightings(response, sighting.key[1], context)
    return response, next((each for each in shown if each.part == sighting.part), None)


def _fact(name: str, suspected: Disagreement, number: int, restless: frozenset[str]) -> Named:
    named = fact_name(name, *suspected.kind, number + 1)
    return named, lambda own: Confirmation(own, suspected, restless).outcome()


def _finding(suspected: Disagreement, violation: Violation) -> Finding:
    ways = (suspected.usual.answer.way, suspected.odd.answer.way)
    return Finding(
        suspected.requirement,
        Verdict.FAIL,
        violation.operation,
        violation.message,
        violation.expected,
        exchanges=violation.exchanges,
        defect=violation.defect,
        schemes=tuple(sorted({way.scheme for way in ways if way.scheme})),
        faces=tuple(sorted({way.face for way in ways})),
    )


def _differing(context: Context) -> Iterator[list[Variant]]:
    """The records that were not always shown alike, and that this run did not try to approve."""
    attempted = context.session.approvals.reviews()
    for variants in context.session.history.differing():
        resource, id, caller, _ = variants[0].places[0].key
        is_repeatable = caller in context.target.credentials and caller not in UNREPEATED
        # The id of another record may have been sent as that of a review.
        if is_repeatable and (resource != "Review" or id not in attempted):
            yield variants


@dataclass(frozen=True)
class Outcome:
    """What became of a suspicion, and the properties that changed meanwhile."""

    violation: Violation | None
    changing: frozenset[str] = frozenset()


class Confirmation:
    """Reads both sides of a disagreement again: usual, odd, usual.

    What changes by itself, in whatever record (`restless`), is read more often: it may have the
    same values several times by chance.
    """

    def __init__(
        self, context: Context, suspected: Disagreement, restless: Collection[str] = ()
    ) -> None:
        self._live = Live(context)
        self._suspected = suspected
        self._pauses = self._live.session.lag.pauses
        is_restless = not set(suspected.properties).isdisjoint(restless)
        self._rounds = RESTLESS if is_restless else len(self._pauses)

    def outcome(self) -> Outcome:
        """A violation, where both sides keep differing, and neither changes."""
        rounds: list[Round] = []
        with suppress(Inconclusive, Unrecorded):
            for number in range(self._rounds):
                rounds.append(self._both_again(number))
                stable = self._stable(rounds)
                if not stable:
                    return Outcome(None, self._changing(rounds))
            return Outcome(self._violation(rounds[-1]), self._changing(rounds))
        return Outcome(None, self._changing(rounds))

    def _stable(self, rounds: Sequence[Round]) -> set[str]:
        """The properties in which the two sides differed every time."""
        stable = set(self._suspected.properties) - self._changing(rounds)
        for before, odd, after in rounds:
            stable &= self._differing(before, odd) & self._differing(after, odd)
        return stable

    def _changing(self, rounds: Sequence[Round]) -> frozenset[str]:
        """The properties that differ between two readings of one side."""
        usual = [each for before, _, after in rounds for each in (before, after)]
        sides = (usual, [odd for _, odd, _ in rounds])
        pairs = (pair for side in sides for pair in pairwise(side))
        return frozenset().union(*(self._differing(*pair) for pair in pairs))

    def _both_again(self, number: int) -> Round:
        """Both sides once more; Inconclusive where the record is not shown again."""
        self._live.session.transport.wait(self._pauses[min(number, len(self._pauses) - 1)])
        usual, odd, again = map(self._again, (self._usual, self._odd, self._usual))
        return usual, odd, again

    @property
    def _usual(self) -> Sighting:
        return self._suspected.usual

    @property
    def _odd(self) -> Sighting:
        return self._suspected.odd

    def _differing(self, one: Sighting, other: Sighting) -> set[str]:
        return set(agreement.differing(one, other, self._live.session.contract))

    def _again(self, sighting: Sighting) -> Sighting:
        """The record, asked for as before."""
        response, again = seen_again(sighting, self._live.session)
        if again is None:
            raise Inconclusive("a record is not shown any more", exchanges=[response.id])
        return again

    def _violation(self, last: Round) -> Violation:
        usual, odd, _ = last
        return Violation(
            self._suspected.defect(usual, odd),
            exchanges=[each.answer.exchange.id for each in (usual, odd)],
            operation=self._suspected.operation,
        )
