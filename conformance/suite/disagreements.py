"""Records that contradict each other or themselves, read once more before anybody is blamed."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, pairwise
from operator import itemgetter

from conformance.contract import api
from conformance.contract.verdict import Finding, Inconclusive, Verdict, Violation
from conformance.http.exchange import Call, Exchange
from conformance.http.replay import Unrecorded
from conformance.http.sending import Sending
from conformance.rules import agreement, relations, tool_call
from conformance.rules import answer as answers
from conformance.rules.answer import TOOL
from conformance.rules.relations import Records
from conformance.rules.sighting import Key, Sighting, sightings
from conformance.rules.suspicion import Suspicion, Variant
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.runner.history import History
from conformance.suite.lists.changing_lists import RESTLESS
from conformance.suite.lists.live import Live, reading_of
from conformance.suite.tools.channel import Caller, Channel, Message

MOST_KINDS, MOST = 30, 120
"""Kinds of suspicions that are repeated, and suspicions of all kinds together.

Where much changes by itself, the one that keeps differing is not among the first.
"""
UNREPEATED = frozenset({"throttled"})
"""Callers who are not asked again: they have no requests to spare."""
Kind = tuple[str, ...]
"""What suspicions have in common that one defect explains."""
Named = tuple[str, Callable[[Context], "Outcome"]]
"""A fact of the run: its name, and how it is found."""
Round = tuple[Sighting, Sighting, Sighting]
"""The usual sighting, the odd one, and the usual one again."""


def confirmed(context: Context, *, is_early: bool = False) -> Iterator[Finding]:
    """What a run has seen of records that keep contradicting each other, a finding of each kind.

    At the end of a narrow round, one of each kind is confirmed, and the rest at the end of the run.
    """
    records = context.session.history.records()
    differing = list(_differing(records, context))
    restless = set[str]().union(*(agreement.restless(each, context.contract) for each in differing))
    found = context.session.history.confirmed
    kinds = _by_kind(_suspicions(differing, records, context), context)
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


def _suspicions(
    differing: Sequence[Sequence[Variant]], records: Records, context: Context
) -> Iterator[Suspicion]:
    """What records contradict themselves in, then what they contradict each other in."""
    for each in differing:
        yield from agreement.disagreements(each, context.contract)
    known = {key: own for key, own in records.items() if _is_repeatable(key, context)}
    yield from relations.examine(known, context.contract)


def _by_kind(suspicions: Iterable[Suspicion], context: Context) -> list[list[Suspicion]]:
    """The suspicions of the first kinds, those first that are unlike each other."""
    kinds: dict[Kind, list[Suspicion]] = defaultdict(list)
    for suspected in suspicions:
        kinds[suspected.kind].append(suspected)
    return [_varied(alike, context.session.seed) for alike in islice(kinds.values(), MOST_KINDS)]


def _varied(alike: Sequence[Suspicion], seed: int) -> list[Suspicion]:
    """One for each page size of the odd side, then another one, in an order by the seed."""
    turns: Counter[str | None] = Counter()
    ordered = []
    for each in random.Random(seed).sample(alike, len(alike)):
        size = each.odd.answer.way.argument("limit")
        ordered.append((turns[size], each))
        turns[size] += 1
    return [each for _, each in sorted(ordered, key=itemgetter(0))]


def _batches(kinds: Sequence[list[Suspicion]]) -> Iterator[list[tuple[Suspicion, int]]]:
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
    _require_none(agreement.disagreements(variants, context.contract), context)


def require_relations(exchanges: Iterable[Exchange], context: Context) -> None:
    """Violation where records in responses keep contradicting each other."""
    seen = History()
    for answer in filter(None, (answers.of(each, context.contract) for each in exchanges)):
        seen.add(answer)
    _require_none(relations.examine(seen.records(), context.contract), context)


def _require_none(suspicions: Iterable[Suspicion], context: Context) -> None:
    for suspected in suspicions:
        outcome = Confirmation(context, suspected).outcome()
        if outcome.violation is not None:
            raise outcome.violation


def _sightings(exchange: Exchange, id: str, context: Context) -> Iterator[Sighting]:
    answer = answers.of(exchange, context.contract)
    shown = sightings(answer) if answer is not None else ()
    return (each for each in shown if each.key[1] == id.lower())


def seen_again(
    sighting: Sighting, context: Context, call: Call | None = None
) -> tuple[Exchange, Sighting | None]:
    """The response to the same request, to the letter, and the record as it shows it now.

    `call` replaces the request, and is sent over HTTP.
    """
    exchange, way = sighting.answer.exchange, sighting.answer.way
    credential = context.target.credentials[str(way.caller)]
    if call is None and way.face == TOOL:
        called = tool_call.read(exchange)
        assert called is not None
        params = {"name": called.tool, "arguments": dict(called.arguments)}
        message = Message(tool_call.METHOD, params, "the record again", way.operation.id)
        response = Channel(context).send(message, Caller.of(credential, way.scheme)).exchange
    else:
        sending = Sending(credential, way.scheme, "the record again")
        response = context.client.send(call or exchange.call, sending)
    part = 0 if call is not None else sighting.part
    shown = _sightings(response, sighting.key[1], context)
    return response, next((each for each in shown if each.part == part), None)


def _by_id(sighting: Sighting) -> Call | None:
    """The call that reads a record by its id; None where no operation does."""
    listing = api.load().lists.get(sighting.answer.way.operation.resource, "")
    return reading_of(listing, str(sighting.record["id"]))


def _fact(name: str, suspected: Suspicion, number: int, restless: frozenset[str]) -> Named:
    named = fact_name(name, *suspected.kind, number + 1)
    return named, lambda own: Confirmation(own, suspected, restless).outcome()


def _finding(suspected: Suspicion, violation: Violation) -> Finding:
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


def _differing(records: Records, context: Context) -> Iterator[Sequence[Variant]]:
    """The records that were not always shown alike, and that this run did not try to approve."""
    attempted = context.session.approvals.reviews()
    for key, variants in records.items():
        resource, id, *_ = key
        # The id of another record may have been sent as that of a review.
        is_approved = resource == "Review" and id in attempted
        if len(variants) > 1 and _is_repeatable(key, context) and not is_approved:
            yield variants


def _is_repeatable(key: Key, context: Context) -> bool:
    """Whether the caller of the profile whom a record was shown to may be asked again."""
    _, _, caller, _ = key
    return caller in context.target.credentials and caller not in UNREPEATED


@dataclass(frozen=True)
class Outcome:
    """What became of a suspicion, and the properties that changed meanwhile."""

    violation: Violation | None
    changing: frozenset[str] = frozenset()


class Confirmation:
    """Reads both sides of a contradiction again: usual, odd, usual.

    What changes by itself, in whatever record (`restless`), is read more often: it may have the
    same values several times by chance.
    """

    def __init__(
        self, context: Context, suspected: Suspicion, restless: Collection[str] = ()
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
        """The properties in which the two sides contradicted each other every time."""
        stable = self._suspected.unchanged(self._changing(rounds))
        for before, odd, after in rounds:
            stable &= self._contradicting(before, odd) & self._contradicting(after, odd)
        return stable

    def _changing(self, rounds: Sequence[Round]) -> frozenset[str]:
        """The properties that differ between two reads of one side."""
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

    def _contradicting(self, usual: Sighting, odd: Sighting) -> set[str]:
        return {*self._suspected.contradicting(usual, odd, self._live.session.contract)}

    def _differing(self, one: Sighting, other: Sighting) -> set[str]:
        return set(agreement.differing(one, other, self._live.session.contract))

    def _again(self, sighting: Sighting) -> Sighting:
        """The record, asked for as before, or by its id."""
        call = _by_id(sighting) if self._suspected.is_about_records else None
        response, again = seen_again(sighting, self._live.session, call)
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
