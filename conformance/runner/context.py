"""The context of one item: what a check, or a fact, sends and finds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Finding
from conformance.http.client import Client
from conformance.http.exchange import FACT, Exchange
from conformance.report.gathered import LEDGER
from conformance.rules import answer as answers
from conformance.rules.exposure import Exposure
from conformance.rules.judgement import Judgement
from conformance.rules.lag import Lag
from conformance.runner.facts import PREFLIGHT, Fact
from conformance.runner.focus import Focus
from conformance.runner.judge import Judge
from conformance.runner.result import ItemResult, based_on, documents, observed, redacted, traffic

if TYPE_CHECKING:
    from conformance.runner.session import Session

Value = TypeVar("Value")


class Context:
    """The requests of one item, what the rules say about them, and what the item observes.

    `observations` are (requirement, subject, value). `client` sends the requests of the item.
    """

    def __init__(self, session: "Session", item: str) -> None:
        self.session = session
        self.item = item
        self.target = session.target
        self.transport = session.transport
        self.seed = session.seed
        self.depth = session.depth
        self.rate = session.rate
        self.connections = session.connections
        self.contract = session.contract
        self.api = session.api
        self.redactor = session.redactor
        self.provisioned = session.provisioned
        self.approved = session.approved
        self.client = Client(session.dispatcher, item, self._keep)
        self.observations: list[tuple[str, str, Any]] = []
        self._exchanges: dict[str, Exchange] = {}
        self._judge = Judge(self)
        self._needed: dict[str, Fact] = {}
        self._parts: dict[str, Fact] = {}
        self._is_settled = False
        self._is_finished = True

    @property
    def focus(self) -> Focus | None:
        """What a narrowed run looks at; None in another one."""
        return self.session.focus

    def some(self, values: Sequence[Value]) -> Sequence[Value]:
        """As many of some values as the depth of the run allows, the first ones."""
        return values[: self.depth.few]

    def share(self, values: Sequence[Value], operation: str) -> Sequence[Value]:
        """Those of some values that one operation gets at the depth of the run.

        They are the first one, and other ones than the operations beside it get.
        """
        most = self.depth.shared
        if most is None or len(values) <= most:
            return values
        first, *others = values
        turn = [*self.contract.operations].index(operation) * (most - 1) % len(others)
        return [first, *[*others[turn:], *others[:turn]][: most - 1]]

    @property
    def exposure(self) -> Exposure:
        """What judges whether callers are shown what they may not read."""
        return self.session.exposure

    @property
    def lag(self) -> Lag:
        """How long what the target shows may lag."""
        return Lag(self.target.limits.lag)

    def wait_after(self, response: Exchange, seconds: float) -> None:
        """Let time pass until so many seconds after a response."""
        arrived = self.session.dispatcher.origin + response.started + response.elapsed
        self.transport.wait(seconds, arrived)

    # --- facts -------------------------------------------------------------------------------

    def fact(self, name: str, compute: Callable[["Context"], Value]) -> Value:
        """A fact of the run: computed once, by the first item that needs it."""
        fact = self.session.facts.found(name, compute)
        self._needed[name] = fact
        return cast("Value", fact.value())

    def find_all(self, wanted: Mapping[str, Callable[["Context"], object]]) -> None:
        """Find the parts of this item, each a fact, side by side where the transport allows it."""
        facts = self.session.facts
        facts.find_all(wanted, self.session.dispatcher.concurrency)
        self._parts |= {name: facts[name] for name in wanted}
        self._needed |= self._parts

    def claim(self, name: str) -> Fact | None:
        """A new fact, for this item to find; None where another one has found it, or does."""
        claimed = self.session.facts.claim(name)
        self._needed[name] = self.session.facts[name]
        return claimed

    def facts(self) -> list[Fact]:
        """The facts that this item needed, and those that these needed, each once.

        The rules have been applied to their exchanges.
        """
        known = self.session.facts
        first = [known[PREFLIGHT]] if PREFLIGHT in known else []
        facts: dict[str, Fact] = {}
        needed = [*first, *self._needed.values()]
        for fact in needed:
            if fact.context.item not in facts:
                facts[fact.context.item] = fact
                fact.apply_rules()
                needed += fact.context._needed.values()
        return list(facts.values())

    # --- query parameters --------------------------------------------------------------------

    def name(self, operation: Operation, role: str) -> str | None:
        """The name of the query parameter of a role on this target; None where there is none."""
        stated = self.target.parameters.get((operation.id, role))
        if stated is not None:
            return stated.name
        parameter = operation.parameter(role)
        return parameter.name if parameter else None

    def roles(self, operation: Operation) -> dict[str, str]:
        """The query parameters whose names are certain on this target, with their roles."""
        certain = {}
        for role in operation.query_roles:
            name = self.name(operation, role)
            if name is not None and self._is_certain(operation, role):
                certain[name] = role
        return certain

    def _is_certain(self, operation: Operation, role: str) -> bool:
        stated = self.target.parameters.get((operation.id, role))
        if stated is None or stated.declared:
            return True
        return self.session.knowledge.knows(self, operation, role)

    # --- approvals ---------------------------------------------------------------------------

    @property
    def spent(self) -> frozenset[str]:
        """The reviews, in lower case, that the resumed run may have approved."""
        return self.session.spent

    def enter(self, review: str, revision: int, key: str) -> None:
        """Write into the ledger that a review may be approved now, before the request is sent."""
        attempt = {"key": key, "revision": revision}
        self.session.write_ahead(review, attempt)
        self.observations.append((LEDGER, review, attempt))

    # --- observations ------------------------------------------------------------------------

    def observe(self, id: str, subject: str, value: object, shown: Exchange | None = None) -> None:
        """Say what was seen of a point that the contract leaves open; the exchange exercised it."""
        self.observations.append((id, subject, value))
        if shown is not None:
            self._judge.judged.add(shown, Judgement(id))

    # --- rules -------------------------------------------------------------------------------

    def judgements(self, exchange: Exchange) -> list[Judgement]:
        """What every rule of one exchange says about it, by either interface."""
        return self._judge.judgements(exchange)

    def problems(self, exchange: Exchange) -> list[Judgement]:
        """The violations of the rules in an exchange over HTTP."""
        return self._judge.problems(exchange)

    def show(self, exchange: Exchange) -> None:
        """Let this exchange of the item be the only one that is shown for its violations."""
        self._judge.show(exchange)

    def _keep(self, exchange: Exchange) -> None:
        """Record an exchange, and apply the rules to it; what never left is none."""
        if not exchange.was_sent:
            return
        self._exchanges[exchange.id] = exchange
        self.session.write(exchange)
        if exchange.operation == self.api.approval.id:
            self.session.approvals.add(exchange)
        request = answers.request(exchange, self.contract)
        self._judge.add(exchange, request)
        answer = answers.shown(request)
        if answer is not None:
            self.session.history.add(answer)
        is_approval = exchange.in_contract and exchange.operation == self.api.approval.id
        if is_approval and exchange.status == 200:
            self.approved.add(exchange.call.path[self.api.approved_id].lower())

    # --- the end -----------------------------------------------------------------------------

    def settle(self) -> None:
        """Apply the rules that waited, now that everything is known that they depend on."""
        if self._is_settled:
            return
        self._is_settled = True
        self._judge.settle()
        self._is_finished = not self.session.is_ending

    def finish(self, findings: tuple[Finding, ...] = ()) -> ItemResult:
        """The result of the item: its own findings, and those of the rules on its exchanges."""
        self.settle()
        own = (based_on(finding, self._basis()) for finding in findings)
        found = (*own, *self._judge.judged.findings(self.item))
        clean = tuple(redacted(finding, self.item, self.redactor) for finding in found)
        methods, elapsed = traffic(self._exchanges.values())
        return ItemResult(
            item=self.item,
            findings=clean,
            observations=tuple(
                (id, self.redactor.text(subject), observed(value, self.redactor))
                for id, subject, value in self.observations
            )
            + tuple(self.session.notes()),
            evidence=documents(clean, self._exchange, self.redactor),
            exchanges=len(self._exchanges),
            methods=methods,
            elapsed=elapsed,
            started=tuple(round(each.started, 6) for each in self._exchanges.values()),
            is_finished=self._is_finished,
            flawed=tuple(self._flawed()),
        )

    def _flawed(self) -> Iterator[str]:
        """The facts that a check needed, and in which the rules have found a violation."""
        if not self.item.startswith(FACT):
            contexts = (fact.context for fact in self.facts())
            yield from (each.item for each in contexts if each._judge.judged.has_violation)

    def release(self) -> None:
        """Forget the exchanges, of which the result has everything; what it needed is kept."""
        self._exchanges.clear()
        self._judge.release()

    def all_exchanges(self) -> list[Exchange]:
        """The exchanges of the item, and of the facts that it needed."""
        contexts = [self, *(fact.context for fact in self.facts())]
        return [exchange for each in contexts for exchange in each._exchanges.values()]

    def _basis(self) -> list[Exchange]:
        """The exchanges of the item and its parts; those of all facts that it needed if none."""
        own = [self, *(fact.context for fact in self._parts.values())]
        has_own = any(each._exchanges for each in own)
        contexts = own if has_own else [fact.context for fact in self.facts()]
        return [exchange for each in contexts for exchange in each._exchanges.values()]

    def _exchange(self, id: str) -> Exchange | None:
        """An exchange of this item, or of a fact that it needed."""
        contexts = (self, *(fact.context for fact in self.facts()))
        return next((each._exchanges[id] for each in contexts if id in each._exchanges), None)
