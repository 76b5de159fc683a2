"""Which functions of the reference each check and fact reaches, measured on the original.

A check that never reaches an edited function sends and gets what it does on the original, unless
it reads what an approval has changed. So a trial need not perform it; and a fact of this kind need
not be found again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import unquote

import httpx

from conformance.assurance.selftest import altered, checks
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.checks import Performed, Seen
from conformance.http.trace import EXCHANGE
from conformance.http.transport import Transport
from conformance.rules.answer import Answer
from conformance.runner import examination
from conformance.runner.context import Context
from conformance.runner.facts import Fact
from conformance.runner.history import History
from conformance.runner.scheduling import Stage

BEFORE = ""
"""The owner of what is reached while the reference is made, before any request."""


@dataclass(frozen=True)
class Plan:
    """The checks that a trial performs, by name, and what the others find without it.

    `facts` are the names of those that the trial takes from the original. `owners` are the items
    that sent nothing in the trial: what they have seen was seen on the original.
    """

    checks: frozenset[str]
    known: frozenset[Seen]
    facts: frozenset[str]
    owners: frozenset[str]


@dataclass(frozen=True)
class Reach:
    """The original reference, as every check has found it.

    `functions` has the functions that each check or fact has reached by its own requests, `facts`
    what was found, `histories` what each item has seen; `reviews` were to be approved.
    """

    performed: Performed
    functions: Mapping[str, frozenset[str]]
    facts: Mapping[str, Fact]
    histories: Mapping[str, History]
    reviews: frozenset[str]

    def plan(self, edits: Sequence[Edit]) -> Plan:
        """What has to be performed with these edits."""
        changed = altered.changed(edits)
        needed = self._needed(changed)
        others = self.performed.facts.keys() - needed
        owners = others.union(*(self.performed.facts[name] for name in others))
        seen = self.performed.seen
        known = frozenset().union(*(seen.get(owner, ()) for owner in owners))
        facts = self._unchanged(changed)
        taken = {self.facts[name].context.item for name in facts}
        performed = needed.union(*(self.performed.facts[name] for name in needed)) - taken
        return Plan(needed, known, facts, frozenset(self.histories) - performed)

    def history(self, owners: Iterable[str]) -> History:
        """What these items have seen together."""
        merged = History()
        for owner in sorted(owners):
            merged.adopt(self.histories[owner])
        return merged

    def _needed(self, changed: frozenset[str] | None) -> frozenset[str]:
        """The checks that may come to another result."""
        if changed is None or changed & self._always:
            return frozenset(self.performed.facts)
        reaching = frozenset(name for name, found in self._reached.items() if changed & found)
        # An approval that goes otherwise changes what is read after it.
        return reaching | self._early | self._late if reaching & self._late else reaching

    def _unchanged(self, changed: frozenset[str] | None) -> frozenset[str]:
        """The facts that are the same all the same.

        Those that were found after approvals depend on them.
        """
        if changed is None or changed & self._always:
            return frozenset()
        found = self._reached_by_facts.items()
        return frozenset(name for name, reached in found if not changed & reached)

    @cached_property
    def _late(self) -> frozenset[str]:
        """The checks that are performed when reviews have been approved."""
        every = checks.collected()
        return frozenset(check.name for check in every if check.task.stage >= Stage.APPROVES)

    @cached_property
    def _early(self) -> frozenset[str]:
        """The checks that are the first to need what late ones need and a trial cannot take.

        It matters whether a fact was found before or after the approvals.
        """
        first: dict[str, str] = {}
        for check in sorted(checks.collected(), key=lambda check: check.task.stage):
            first = dict.fromkeys(self.performed.facts[check.name], check.name) | first
        taken = {self.facts[name].context.item for name in self._reached_by_facts}
        needed = frozenset().union(*(self.performed.facts[check] for check in self._late))
        return frozenset(first[fact] for fact in needed - taken)

    @cached_property
    def _reached_by_facts(self) -> dict[str, frozenset[str]]:
        """The functions that each fact reaches that changes nothing, and comes before approvals.

        Itself, or by another fact that it needs.
        """
        early = self.performed.facts.keys() - self._late
        before = frozenset().union(*(self.performed.facts[check] for check in early))
        return {
            name: self._reached_from(fact.context)
            for name, fact in self.facts.items()
            if fact.context.item in before and _only_reads(fact.context)
        }

    def _reached_from(self, context: Context) -> frozenset[str]:
        owners = (context, *(fact.context for fact in context.facts()))
        return frozenset().union(*(self.functions.get(owner.item, ()) for owner in owners))

    @cached_property
    def _always(self) -> frozenset[str]:
        return self.functions[BEFORE] | altered.cached_functions()

    @cached_property
    def _reached(self) -> dict[str, frozenset[str]]:
        """The functions that each check reaches, itself or by a fact that it needs."""
        return {
            check: frozenset().union(*(self.functions.get(owner, ()) for owner in (check, *facts)))
            for check, facts in self.performed.facts.items()
        }


class HistoryByItem(History):
    """The sightings of each item as well, which a trial takes one by one."""

    def __init__(self) -> None:
        super().__init__()
        self.items: dict[str, History] = defaultdict(History)

    def add(self, answer: Answer) -> None:
        """Remember the records that a response shows."""
        super().add(answer)
        own = self.items[answer.exchange.item]
        own.is_reading = self.is_reading
        own.add(answer)


class Probe:
    """Notes which functions of an instrumented reference each exchange reaches."""

    def __init__(self) -> None:
        self._reached: set[str] = set()
        self._functions: dict[str, set[str]] = defaultdict(set)

    def note(self, function: str) -> None:
        """Note that a function is called."""
        self._reached.add(function)

    def attribute(self, owner: str) -> None:
        """Attribute what was called since the last time to a check or fact."""
        self._functions[owner] |= self._reached
        self._reached.clear()

    def functions(self) -> dict[str, frozenset[str]]:
        """The functions by the check or fact that has reached them."""
        return {owner: frozenset(found) for owner, found in self._functions.items()}


class ProbedTransport(httpx.BaseTransport):
    """Tells a probe which exchange a request belongs to: those of a traced run say so."""

    def __init__(self, transport: Transport, probe: Probe) -> None:
        self.concurrency = transport.concurrency
        self._transport, self._probe = transport, probe

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        try:
            return self._transport.handle_request(request)
        finally:
            self._probe.attribute(_owner(request))

    def wait(self, seconds: float, since: float | None = None, /) -> None:
        """Let time pass."""
        self._transport.wait(seconds, since)

    def abort(self) -> None:
        """Let nobody wait any more."""
        self._transport.abort()

    def close(self) -> None:
        """Close the transport."""
        self._transport.close()


def measured(seed: int, depth: str) -> Reach:
    """Perform every check on the original reference, and note what it reaches."""
    probe = Probe()
    subject = examination.in_process(altered.load((), probe.note))
    probe.attribute(BEFORE)
    transport = ProbedTransport(subject.transport, probe)
    session = examination.opened(replace(subject, transport=transport, traced=True), seed, depth)
    history = session.history = HistoryByItem()
    try:
        performed = checks.performed(session, checks.collected())
    finally:
        session.close()
    reviews = session.approvals.reviews()
    facts = dict(session.facts.items())
    return Reach(performed, probe.functions(), facts, history.items, reviews)


def _only_reads(context: Context) -> bool:
    """Whether a fact has sent something, and no approval, and so have those that it needs.

    One that sends nothing, such as the reviews that are left, may change during a run.
    """
    contexts = (context, *(fact.context for fact in context.facts()))
    sent = [each.all_exchanges() for each in contexts]
    approval = context.api.approval.id
    return all(sent) and all(each.operation != approval for each in sent[0])


def _owner(request: httpx.Request) -> str:
    return unquote(request.headers.get(EXCHANGE, BEFORE)).rpartition("#")[0]
