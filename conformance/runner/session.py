"""The examination of one target in one process: it applies the rules to every exchange."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from conformance.contract import api, openapi, requirements
from conformance.contract.openapi import Contract, Operation
from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Finding
from conformance.http import proxy, secrecy, serialization
from conformance.http.budget import LOG, Budget
from conformance.http.dispatcher import Dispatcher
from conformance.http.exchange import FACT, Exchange
from conformance.http.redaction import Redactor
from conformance.http.retry import TOO_MANY_REQUESTS
from conformance.http.trace import Trace
from conformance.http.transport import Transport
from conformance.report import circumstances
from conformance.report.exchange_log import MAX_LOG, ExchangeLog
from conformance.report.gathered import BUDGET
from conformance.report.ledger import Ledger
from conformance.rules import exposure
from conformance.rules.exposure import Exposure
from conformance.runner import disk
from conformance.runner.approval_history import ApprovalHistory
from conformance.runner.context import Context
from conformance.runner.depth import Depth
from conformance.runner.facts import Facts
from conformance.runner.focus import Focus
from conformance.runner.history import History
from conformance.runner.recorded_request import THROTTLED
from conformance.runner.result import ItemResult
from conformance.target.target import Target


class Knowledge(Protocol):
    """What a target has shown, as facts of the run.

    The rules about arguments depend on it.
    """

    def is_served(self, context: Context, operation: Operation) -> bool:
        """Whether primary gets 200 from an operation."""

    def knows(self, context: Context, operation: Operation, role: str) -> bool:
        """Whether the target knows the assumed name of the query parameter of a role."""

    def owned(self, context: Context, resource: str) -> frozenset[str]:
        """The records of a resource that primary lists, by their ids in lower case."""

    def disagreements(self, context: Context, *, is_early: bool = False) -> Iterator[Finding]:
        """The records that keep being shown with different values; few where that `is_early`."""


class Nothing:
    """The knowledge about a target that is never asked."""

    def is_served(self, context: Context, operation: Operation) -> bool:  # noqa: ARG002
        """No operation is known to serve primary."""
        return False

    def knows(self, context: Context, operation: Operation, role: str) -> bool:  # noqa: ARG002
        """No assumed name is known."""
        return False

    def owned(self, context: Context, resource: str) -> frozenset[str]:  # noqa: ARG002
        """No record is known to be primary's."""
        return frozenset()

    def disagreements(
        self,
        context: Context,  # noqa: ARG002
        *,
        is_early: bool = False,  # noqa: ARG002
    ) -> Iterator[Finding]:
        """Nobody reads anything again."""
        return iter(())


@dataclass
class Session:
    """The state of the examination of one target by one process.

    `rate` is in requests per second, `connections` the number of requests that may be under way
    at once; None: no limit. `provisioned` are the reviews that the provision command made in the
    run that is replayed.

    `approved` are the ids, in lower case, of reviews whose approval got 200. `knowledge` says what
    the target has shown. `spent` are the reviews, and `found` the numbers of times that facts were
    found, in the run that is resumed.

    `focus` is what a narrowed run looks at; None: whole classes.

    `logged` counts the exchanges in the log, and `responding` is the sum of their seconds.
    """

    target: Target
    transport: Transport
    seed: int
    depth: Depth
    rate: float | None = None
    connections: int | None = None
    contract: Contract = field(default_factory=openapi.load)
    catalogue: Mapping[str, Requirement] = field(default_factory=requirements.load)
    approved: set[str] = field(default_factory=set)
    knowledge: Knowledge = field(default_factory=Nothing)
    log: ExchangeLog | None = None
    budget: Budget = field(default_factory=Budget)
    provisioned: tuple[str, ...] | None = None
    traced: bool = False
    ledger: Ledger | None = None
    spent: frozenset[str] = frozenset()
    found: Mapping[str, int] = field(default_factory=dict)
    focus: Focus | None = None

    def __post_init__(self) -> None:
        # A profile that contradicts itself has a slip in it: what needs it becomes inconclusive.
        self.target = self.target.credible()
        secrets = {**self.target.variables, **proxy.secrets()}
        self.redactor = Redactor(secrets, is_late=self._is_late)
        secrecy.protect(secrets)
        self.api = api.derive(self.contract)
        self.facts = Facts(self._fact_context)
        self.approvals = ApprovalHistory(self.api)
        self.history = History()
        grant = exposure.grant_of(self.target.fixtures)
        self.exposure = Exposure(self.contract, grant, self.history.cursors)
        self._reported: set[str] = set()
        self.logged, self.responding = 0, 0.0
        self._rejected = 0
        self._writing = threading.Lock()
        self.dispatcher = Dispatcher(
            self.target.base_url,
            self.contract,
            self.transport,
            self.redactor,
            self.rate,
            self.connections,
            budget=self.budget,
            trace=Trace(self.seed) if self.traced else None,
            gateway=self.target.gateway,
        )

    def open_log(self, path: Path, most: int = MAX_LOG) -> None:
        """Write every exchange to a file of JSON lines of at most so many bytes."""
        try:
            self.log = ExchangeLog(path, most)
        except OSError as problem:
            disk.unwritable(path.parent, problem)
        self.ledger = Ledger(path.parent)

    def write_ahead(self, review: str, attempt: dict[str, Any]) -> None:
        """Write down that a review may be approved now."""
        if self.ledger is None:
            return
        try:
            self.ledger.write(review, attempt)
        except OSError as problem:
            disk.unwritable(self.ledger.directory, problem)

    @property
    def is_ending(self) -> bool:
        """Whether nothing more can be sent: what needs a request now is not checked."""
        is_gone = self.dispatcher.absence.is_gone
        return self.budget.is_used_up or is_gone or self.dispatcher.is_stopped.is_set()

    def _is_late(self) -> bool:
        return self.budget.is_over or secrecy.is_hurried()

    def limit(self, budget: Budget) -> None:
        """Let the run use no more than this from here on."""
        self.budget = self.dispatcher.budget = budget

    def forget_data(self) -> None:
        """Find what shows data anew from here on, under another name."""
        names = [f"{FACT}{name}" for name in self.facts.forget_data()]
        self.found = {**self.found, **{name: self.found.get(name, 0) + 1 for name in names}}

    def notes(self) -> Iterator[tuple[str, str, Any]]:
        """What the budgets have cut, and what the run has met, since this was asked last time."""
        absence, pace = self.dispatcher.absence, self.dispatcher.pace
        with self._writing:
            cut, self.budget.cut = self.budget.cut, {}
            rejected, self._rejected = self._rejected, 0
            periods, absence.periods = absence.periods, []
        for name, number in cut.items():
            yield BUDGET, name, number
        if rejected:
            yield circumstances.REJECTED, "", rejected
            if pace.found is not None:
                yield circumstances.RATE, "", round(pace.found, 2)
        for period in periods:
            yield circumstances.ABSENCE, str(period.since), period.seconds

    def close(self) -> None:
        """Close the connections and the log."""
        self.dispatcher.close()
        self.transport.close()
        if self.log:
            self.log.close()
        if self.ledger:
            self.ledger.close()

    def write(self, exchange: Exchange) -> None:
        """Write one exchange to the log, if there is one."""
        if exchange.status == TOO_MANY_REQUESTS and exchange.credential != THROTTLED:
            with self._writing:
                self._rejected += 1
        if self.log is None:
            return
        with self._writing:
            # One at a time: the copies of a large body that it takes are not those of all threads.
            document = serialization.document(exchange, self.redactor)
            self.logged += 1
            self.responding += exchange.elapsed
            try:
                is_whole = self.log.write(document)
            except OSError as problem:
                disk.unwritable(self.log.directory, problem)
            if not is_whole:
                self.budget.note(LOG)

    def results_of_facts(self, context: Context) -> Iterator[ItemResult]:
        """The results of the facts that an item needed and no item before it, in this process."""
        for fact in self.unreported_facts(context):
            result = fact.finish()
            if result.exchanges or result.observations:
                yield result

    def unreported_facts(self, context: Context) -> Iterator[Context]:
        """The contexts of the facts that an item needed, and that nobody was given before."""
        for fact in context.facts():
            if fact.context.item not in self._reported:
                self._reported.add(fact.context.item)
                yield fact.context

    def context(self, item: str) -> Context:
        """The context of a check."""
        return Context(self, item)

    def _fact_context(self, item: str) -> Context:
        times = self.found.get(item, 0)
        # Checks that were finished before show what was found then, under the plain name.
        return Context(self, again(item, times) if times else item)


def again(item: str, times: int) -> str:
    """The name of a fact that is found once more, where it was found so many times before."""
    return f"{item}, again" if times == 1 else f"{item}, again {times}"
