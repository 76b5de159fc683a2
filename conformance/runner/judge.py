"""The rules, applied to the exchanges of one item: at once, or when it is known what they need."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from conformance.contract.openapi import Operation
from conformance.http.exchange import Exchange
from conformance.http.retry import is_unavailable
from conformance.rules import answer as answers
from conformance.rules import arguments, examine, is_too_long, own_requests, requested
from conformance.rules.answer import HTTP, Request, Way
from conformance.rules.exposure import is_of_outsider
from conformance.rules.judgement import Judgement
from conformance.runner.judgements import Judgements

if TYPE_CHECKING:
    from conformance.runner.context import Context

UNAUTHENTICATED = 401
CONFLICT = 409


class Judge:
    """Applies the rules for one item; `judged` is what they have said of its exchanges."""

    def __init__(self, context: "Context") -> None:
        self.judged = Judgements()
        self._context = context
        self._about_arguments: list[Exchange] = []
        self._waiting: list[Request] = []
        self._shown: list[Exchange] = []
        self._served: set[tuple[str, str | None]] = set()

    def judgements(self, exchange: Exchange) -> list[Judgement]:
        """What every rule of one exchange says about it, by either interface."""
        found: list[Judgement] = []
        request = answers.request(exchange, self._context.contract)
        if request is not None:
            found += [*self._at_once(request), *self._later(request)]
        return found + self._of_http(exchange)

    def problems(self, exchange: Exchange) -> list[Judgement]:
        """The violations of the rules in an exchange over HTTP."""
        found = self._of_http(exchange)
        return [each for each in found if each.defect is not None and not each.unsure]

    def _of_http(self, exchange: Exchange) -> list[Judgement]:
        if exchange.response is None or not exchange.in_contract:
            return []
        found = list(examine(exchange, self._context.contract))
        if _is_about_arguments(exchange):
            found += self._judged_arguments(exchange)
        return found

    def show(self, exchange: Exchange) -> None:
        """Let this exchange be the only one that is shown for its violations."""
        self._shown.append(exchange)

    def add(self, exchange: Exchange, request: Request | None) -> None:
        """Judge an exchange by what is known now; `request` is what it has asked for, if known."""
        for judgement in self._at_once(request) if request is not None else ():
            self.judged.add(exchange, judgement)
        if request is not None and _is_judged_later(request):
            self._waiting.append(request)
        if exchange.response is None or not exchange.in_contract:
            return
        for judgement in examine(exchange, self._context.contract):
            self.judged.add(exchange, judgement)
        if _is_about_arguments(exchange):
            self._about_arguments.append(exchange)
        if exchange.status == 200 and exchange.credential == "primary":
            self._served.add((exchange.operation, exchange.scheme))

    def settle(self) -> None:
        """Apply the rules that waited, now that everything is known that they depend on."""
        for exchange, judgement in self._delayed():
            self.judged.add(exchange, judgement)
        for exchange in self._shown:
            self.judged.replace(exchange, self.problems(exchange))
        # A fact lives as long as the run, and what it has seen takes up many times its text.
        for waiting in (self._about_arguments, self._waiting, self._shown):
            waiting.clear()

    def release(self) -> None:
        """Forget what was said, of which the result has everything."""
        self.judged = Judgements()

    def _delayed(self) -> Iterator[tuple[Exchange, Judgement]]:
        for exchange in self._about_arguments:
            yield from ((exchange, each) for each in self._judged_arguments(exchange))
        for request in self._waiting:
            yield from ((request.exchange, each) for each in self._later(request))

    # --- what was shown, beside what was asked for, and by whom ---

    def _at_once(self, request: Request) -> Iterator[Judgement]:
        """What needs no knowledge of the target beyond its profile."""
        yield from self._context.exposure.examine(request)
        answer = answers.shown(request)
        if answer is not None:
            yield from requested.examine(answer)

    def _later(self, request: Request) -> Iterator[Judgement]:
        """What depends on the records of primary, and on the names of parameters."""
        if is_of_outsider(request):
            yield from self._context.exposure.examine_outsider(request, self._owned)
        answer = answers.shown(request)
        if answer is not None and _is_filtered(answer.way):
            roles, exposure = self._context.roles(answer.way.operation), self._context.exposure
            yield from requested.examine_filters(answer, roles, exposure.cursors)

    def _owned(self, resource: str) -> frozenset[str]:
        return self._context.session.knowledge.owned(self._context, resource)

    # --- arguments ---

    def _judged_arguments(self, exchange: Exchange) -> Iterator[Judgement]:
        context = self._context
        operation = context.contract.operation(exchange.operation)
        if self._is_served(operation, exchange):
            roles, base_url = context.roles(operation), context.target.base_url
            yield from own_requests.examine(exchange, roles, context.contract, base_url)
            yield from arguments.examine(exchange, roles, context.contract)

    def _is_served(self, operation: Operation, exchange: Exchange) -> bool:
        """Whether primary gets 200 from an operation: then a rejection is about the arguments."""
        if operation.writes and exchange.status == 403:
            # The credential of this scheme may hold less than the other one of primary.
            return (operation.id, exchange.scheme) in self._served
        is_served = any(served == operation.id for served, _ in self._served)
        knowledge = self._context.session.knowledge
        return is_served or knowledge.is_served(self._context, operation)


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


def _is_judged_later(request: Request) -> bool:
    is_shown = answers.shown(request) is not None
    return is_shown and (is_of_outsider(request) or _is_filtered(request.way))


def _is_filtered(way: Way) -> bool:
    return way.face == HTTP and bool(way.operation.filters) and bool(way.arguments)
