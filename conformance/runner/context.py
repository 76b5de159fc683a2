"""The context of one item: what a check, or a fact, sends and finds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Finding
from conformance.http.client import Client
from conformance.http.exchange import FACT, Exchange
from conformance.http.retry import is_unavailable
from conformance.report.gathered import LEDGER
from conformance.rules import answer as answers
from conformance.rules import arguments, examine, is_too_long, own_requests, requested
from conformance.rules.answer import HTTP, Request, Way
from conformance.rules.exposure import Exposure, is_of_outsider
from conformance.rules.judgement import Judgement
from conformance.rules.lag import Lag
from conformance.runner.facts import PREFLIGHT, Fact
from conformance.runner.focus import Focus
from conformance.runner.judgements import Judgements
from conformance.runner.result import ItemResult, based_on, documents, observed, redacted, traffic

if TYPE_CHECKING:
    from conformance.runner.session import Session

UNAUTHENTICATED = 401
CONFLICT = 409
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
        self._judgements = Judgements()
        self._about_arguments: list[Exchange] = []
        self._waiting: list[Request] = []
        self._shown: list[Exchange] = []
        self._needed: dict[str, Fact] = {}
        self._parts: dict[str, Fact] = {}
        self._served: set[tuple[str, str | None]] = set()
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
            self._judgements.add(shown, Judgement(id))

    # --- rules -------------------------------------------------------------------------------

    def judgements(self, exchange: Exchange) -> list[Judgement]:
        """What every rule of one exchange says about it, by either interface."""
        found: list[Judgement] = []
        request = answers.request(exchange, self.contract)
        if request is not None:
            found += [*self._at_once(request), *self._later(request)]
        if exchange.response is None or not exchange.in_contract:
            return found
        found += examine(exchange, self.contract)
        if _is_about_arguments(exchange):
            found += self._judged_arguments(exchange)
        return found

    def problems(self, exchange: Exchange) -> list[Judgement]:
        """The violations of the rules in an exchange."""
        if exchange.response is None or not exchange.in_contract:
            return []
        found = list(examine(exchange, self.contract))
        if _is_about_arguments(exchange):
            found += self._judged_arguments(exchange)
        return [each for each in found if each.defect is not None and not each.unsure]

    def show(self, exchange: Exchange) -> None:
        """Let this exchange of the item be the only one that is shown for its violations."""
        self._shown.append(exchange)

    def _keep(self, exchange: Exchange) -> None:
        """Record an exchange, and apply the rules to it; what never left is none."""
        if not exchange.was_sent:
            return
        self._exchanges[exchange.id] = exchange
        self.session.write(exchange)
        if exchange.operation == self.api.approval.id:
            self.session.approvals.add(exchange)
        self._look_at(answers.request(exchange, self.contract))
        if exchange.response is None or not exchange.in_contract:
            return
        for judgement in examine(exchange, self.contract):
            self._judgements.add(exchange, judgement)
        if _is_about_arguments(exchange):
            self._about_arguments.append(exchange)
        if exchange.status == 200:
            self._learn(exchange)

    def _look_at(self, request: Request | None) -> None:
        """Judge what was shown beside what was asked for, and by whom."""
        if request is None:
            return
        for judgement in self._at_once(request):
            self._judgements.add(request.exchange, judgement)
        answer = answers.shown(request)
        if answer is not None:
            self.session.history.add(answer)
            if is_of_outsider(request) or _is_filtered(answer.way):
                self._waiting.append(request)

    def _at_once(self, request: Request) -> Iterator[Judgement]:
        """What needs no knowledge of the target beyond its profile."""
        yield from self.exposure.examine(request)
        answer = answers.shown(request)
        if answer is not None:
            yield from requested.examine(answer)

    def _later(self, request: Request) -> Iterator[Judgement]:
        """What depends on the records of primary, and on the names of parameters."""
        if is_of_outsider(request):
            yield from self.exposure.examine_outsider(request, self._owned)
        answer = answers.shown(request)
        if answer is not None and _is_filtered(answer.way):
            roles = self.roles(answer.way.operation)
            yield from requested.examine_filters(answer, roles, self.session.history.cursors)

    def _owned(self, resource: str) -> frozenset[str]:
        return self.session.knowledge.owned(self, resource)

    def _learn(self, exchange: Exchange) -> None:
        """Remember what a success shows."""
        if exchange.credential == "primary":
            self._served.add((exchange.operation, exchange.scheme))
        if exchange.operation == self.api.approval.id:
            self.approved.add(exchange.call.path[self.api.approved_id].lower())

    def _judged_arguments(self, exchange: Exchange) -> Iterator[Judgement]:
        operation = self.contract.operation(exchange.operation)
        if self._is_served(operation, exchange):
            roles = self.roles(operation)
            base_url = self.target.base_url
            yield from own_requests.examine(exchange, roles, self.contract, base_url)
            yield from arguments.examine(exchange, roles, self.contract)

    def _is_served(self, operation: Operation, exchange: Exchange) -> bool:
        """Whether primary gets 200 from an operation: then a rejection is about the arguments."""
        if operation.writes and exchange.status == 403:
            # The credential of this scheme may hold less than the other one of primary.
            return (operation.id, exchange.scheme) in self._served
        is_served = any(served == operation.id for served, _ in self._served)
        return is_served or self.session.knowledge.is_served(self, operation)

    # --- the end -----------------------------------------------------------------------------

    def settle(self) -> None:
        """Apply the rules about arguments, now that everything is known that they depend on."""
        if self._is_settled:
            return
        self._is_settled = True
        for exchange, judgement in self._delayed():
            self._judgements.add(exchange, judgement)
        for exchange in self._shown:
            self._judgements.replace(exchange, self.problems(exchange))
        # A fact lives as long as the run, and what it has seen takes up many times its text.
        for waiting in (self._about_arguments, self._waiting, self._shown):
            waiting.clear()
        self._is_finished = not self.session.is_ending

    def _delayed(self) -> Iterator[tuple[Exchange, Judgement]]:
        for exchange in self._about_arguments:
            yield from ((exchange, each) for each in self._judged_arguments(exchange))
        for request in self._waiting:
            yield from ((request.exchange, each) for each in self._later(request))

    def finish(self, findings: tuple[Finding, ...] = ()) -> ItemResult:
        """The result of the item: its own findings, and those of the rules on its exchanges."""
        self.settle()
        own = (based_on(finding, self._basis()) for finding in findings)
        found = (*own, *self._judgements.findings(self.item))
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
            yield from (each.item for each in contexts if each._judgements.has_violation)

    def release(self) -> None:
        """Forget the exchanges, of which the result has everything; what it needed is kept."""
        self._exchanges.clear()
        self._judgements = Judgements()

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


def _is_about_arguments(exchange: Exchange) -> bool:
    """Whether a response may be about the arguments: primary's, and not about the credential."""
    # The failed attempt before a repeated one may have used up its key.
    is_about_key = exchange.is_repeated and exchange.status == CONFLICT
    return (
        exchange.credential == "primary"
        and not is_about_key
        and exchange.judge_arguments
        and not exchange.superseded
        and exchange.status != UNAUTHENTICATED
        and not is_unavailable(exchange)
        and not is_too_long(exchange)
    )


def _is_filtered(way: Way) -> bool:
    return way.face == HTTP and bool(way.operation.filters) and bool(way.arguments)
