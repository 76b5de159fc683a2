"""Which failures explain which others, and the fewest that explain all of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations

from conformance.contract.verdict import Level
from conformance.report.causes.failure_signature import (
    OF_GRANTS,
    REPLAYED,
    Symptom,
    Trace,
    traces,
)
from conformance.report.causes.severity import Severity
from conformance.report.causes.shared_response import (
    SHARED_RESPONSE,
    SharedResponses,
    shared_responses,
)
from conformance.report.document_types import ExchangeEntry, RequirementEntry

FOLLOWING = (
    "arguments/no-failure",
    "approval/guarded-replay",
    "approval/model",
    "read/agreement",
    "pagination/agreement",
)
"""Requirements whose failures follow from those of others: they explain none, but for replays."""

NEEDED = {
    "status": ("response/status", "arguments/no-failure"),
    "status instead": FOLLOWING,
    "listed": OF_GRANTS,
}
"""Traces that count only where one of the two requirements is among these."""

Operations = set[str | None]
Links = dict[tuple[int, int], Operations]
"""(one symptom, another): the operations on which the first explains the other."""


@dataclass(frozen=True)
class Failures:
    """All failures: the entries of the requirements, their symptoms, and which explain which.

    `shared` are the responses that different callers got.
    """

    entries: Mapping[str, RequirementEntry]
    symptoms: Sequence[Symptom]
    links: Links
    shared: SharedResponses

    def requirement(self, number: int) -> str:
        """The requirement of a symptom."""
        return self.symptoms[number].requirement

    def rank(self, number: int) -> tuple[bool, int, int]:
        """The order of symptoms that explain as much: a `must`, then the narrowest requirement."""
        id = self.requirement(number)
        entry = self.entries[id]
        breadth = len(entry["operations"]) or len(self.entries)
        return entry["level"] != Level.MUST, breadth, list(self.entries).index(id)

    def reason(self, number: int, shown: str | None) -> str | None:
        """Why a symptom fails, where that is known; `shown` is the exchange that readers see."""
        is_shared = any(map(self.shared.explain, self.symptoms[number].sightings))
        return self.shared.described(shown) if is_shared else None

    def explained(self, heads: Iterable[int], others: Iterable[int]) -> Iterator[int]:
        """The symptoms that these explain, without those that explain `others`."""
        for one, other in self.links:
            if one in heads and other not in others:
                yield other


def failures(
    entries: Mapping[str, RequirementEntry],
    symptoms: Sequence[Symptom],
    evidences: Mapping[str, ExchangeEntry],
) -> Failures:
    """The failures with their explanations; `entries` are the failed requirements."""
    left: dict[Trace, dict[int, Operations]] = {}
    evidence, responses = _shared(symptoms), shared_responses(evidences)
    for number, symptom in enumerate(symptoms):
        found = chain(traces(symptom, evidences, evidence), responses.traces(symptom.sightings))
        for trace, operation in found:
            left.setdefault(trace, {}).setdefault(number, set()).add(operation)
    links: Links = {}
    for trace, operations in left.items():
        for one, other in permutations(operations, 2):
            if trace[0] == SHARED_RESPONSE and not responses.are_shown_by(symptoms[one].sightings):
                continue
            if _explains(entries, (symptoms[one], symptoms[other]), trace):
                links.setdefault((one, other), set()).update(operations[other])
    return Failures(entries, symptoms, links, responses)


def _shared(symptoms: Sequence[Symptom]) -> frozenset[str]:
    """The exchanges that are evidence for several requirements."""
    requirements: dict[str, set[str]] = {}
    for symptom in symptoms:
        for found in symptom.sightings:
            for id in found["exchanges"]:
                requirements.setdefault(id, set()).add(symptom.requirement)
    return frozenset(id for id, some in requirements.items() if len(some) > 1)


def _explains(
    entries: Mapping[str, RequirementEntry], pair: tuple[Symptom, Symptom], trace: Trace
) -> bool:
    """Whether a trace that two symptoms share lets the first explain the second."""
    one, other = (symptom.requirement for symptom in pair)
    if one == other or (one in FOLLOWING and trace[0] != REPLAYED):
        return False
    if one.startswith("tools/") and not other.startswith("tools/"):
        return False  # A tool calls what is behind HTTP, and not the other way round.
    needed = NEEDED.get(str(trace[0]))
    if needed and one not in needed and other not in needed:
        return False
    if pair[0].gravity > pair[1].gravity:
        return False  # Whoever reads of a leak below a wrong status may widen the leak.
    return entries[one]["level"] == Level.MUST or entries[other]["level"] != Level.MUST


def heads(failures: Failures) -> list[int]:
    """Few symptoms that explain all others, the gravest first.

    In each step it is the one that explains most of the rest.
    """
    found: list[int] = []
    left = set(range(len(failures.symptoms)))
    while left:
        found.append(_best(failures, left, found))
        left = {one for one in left - set(found) if not _is_explained(failures, one, found)}
    return found


def _best(failures: Failures, left: set[int], found: Sequence[int]) -> int:
    named = {failures.requirement(head) for head in found}

    def order(one: int) -> tuple[Severity, int, bool, tuple[bool, int, int]]:
        gain = sum(len(failures.links.get((one, other), ())) for other in left)
        gravity = failures.symptoms[one].gravity
        return gravity, -gain, failures.requirement(one) not in named, failures.rank(one)

    return min(left, key=order)


def _is_explained(failures: Failures, number: int, found: Iterable[int]) -> bool:
    covered: Operations = set()
    for head in found:
        covered |= failures.links.get((head, number), set())
    return covered >= set(failures.symptoms[number].operations)
