"""What the rules of a run say of exchanges that nobody can repeat, as findings."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from conformance.contract import api
from conformance.contract.openapi import Contract
from conformance.contract.verdict import Finding, Verdict
from conformance.http.exchange import Exchange
from conformance.rules import answer, attempt, client, examine, recorded, requested
from conformance.rules.attempt import Attempt
from conformance.rules.client.recording import Recording
from conformance.rules.lag import Lag
from conformance.rules.ruling import Ruling


def of_target(
    exchanges: Sequence[Exchange], contract: Contract, lag: Lag | None = None
) -> Iterator[Finding]:
    """What they say of the target: of each response, and of all of them together.

    Without a profile its lag is the usual one.
    """
    for exchange in exchanges:
        yield from _of_one(exchange, contract)
    yield from _of_many(exchanges, contract, lag or Lag())


def of_client(recording: Recording) -> Iterator[Finding]:
    """What they say of whoever has sent the requests."""
    return map(_finding, client.examine(recording))


def _of_one(exchange: Exchange, contract: Contract) -> Iterator[Finding]:
    shown = answer.of(exchange, contract)
    beside = requested.examine(shown) if shown is not None else ()
    form = examine(exchange, contract) if exchange.in_contract else ()
    for judgement in chain(form, beside):
        failed = Verdict.ERROR if judgement.unsure else Verdict.FAIL
        yield Finding(
            judgement.requirement,
            Verdict.PASS if judgement.defect is None else failed,
            exchange.operation,
            judgement.problem or "",
            judgement.expected,
            exchanges=(exchange.id,),
            item=exchange.id,
            defect=judgement.defect,
        )


def _attempts(exchanges: Iterable[Exchange], contract: Contract) -> list[Attempt]:
    """The requests to approve reviews, where it is known when each of them was sent."""
    known = api.derive(contract)
    timed = (exchange for exchange in exchanges if exchange.started)
    attempts = (attempt.read(each, known.approval, known.approved_id) for each in timed)
    return [each for each in attempts if each is not None]


def _of_many(exchanges: Iterable[Exchange], contract: Contract, lag: Lag) -> Iterator[Finding]:
    """What shows in all exchanges together."""
    shown = (answer.of(each, contract) for each in exchanges)
    answers = [each for each in shown if each is not None]
    return map(_finding, recorded.examine(answers, _attempts(exchanges, contract), contract, lag))


def _finding(ruling: Ruling) -> Finding:
    return Finding(
        ruling.requirement,
        Verdict.FAIL if ruling.defect else Verdict.PASS,
        ruling.operation,
        ruling.defect.sentence if ruling.defect else "",
        ruling.defect.expected if ruling.defect else "",
        exchanges=ruling.exchanges,
        item=ruling.exchanges[-1],
        defect=ruling.defect,
    )
