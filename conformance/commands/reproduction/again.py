"""Whether a failure of a report is still there, decided by what has found it.

A rule judges the responses to the same requests once more; a check is performed once more. So a
replay says what the next run says, and nothing is expected of a response but what the contract
states. What was shown by neither is compared with what has to hold (report/repair.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.assurance.selftest import checks
from conformance.assurance.selftest.checks import Check
from conformance.contract.quantity import quantity
from conformance.contract.verdict import Finding, Inconclusive, Verdict, Violation
from conformance.http.budget import Budget
from conformance.http.exchange import Exchange
from conformance.http.transport import Transport
from conformance.report import reproduction
from conformance.report.condition import Rejected, Status, status_of
from conformance.report.document_types import (
    ExchangeEntry,
    FindingEntry,
    Report,
    RequirementEntry,
)
from conformance.report.repair import conditions
from conformance.rules import agreement, approvals, relations
from conformance.rules import answer as answers
from conformance.rules.sighting import sightings
from conformance.runner import examination, items
from conformance.runner.context import Context
from conformance.runner.examination import Subject
from conformance.runner.resending import Recorded, Resender
from conformance.suite import disagreements, wiring
from conformance.target.target import Target

FIXED, FAILING, DIFFERS = "FIXED", "STILL FAILING", "DIFFERS"
UNCHECKED, UNSENT = "NOT CHECKED", "NOT SENT"

MOST_CHECKS = 2
"""Checks that are performed again for one failure: many may have shown it."""

OF_RECORDS = frozenset({*agreement.REQUIREMENTS, *relations.REQUIREMENTS})
"""What the rules on all records that a run was shown have found, if it is no check."""

Failure = tuple[RequirementEntry, FindingEntry]


@dataclass(frozen=True)
class Outcome:
    """What became of a failure, in a word, and the reason."""

    word: str
    detail: str


class Replay:
    """Decides the failures of a report again at a target.

    Consents and limits are those of the target. Raises no exception of the target's making.
    """

    def __init__(self, report: Report, target: Target, transport: Transport) -> None:
        suite = report["suite"]
        approved = {entry["review"].lower() for entry in report["ledger"]}
        recorded = Recorded(report["target"]["base-url"], suite["seed"], approved)
        self._resender = Resender(target, transport, recorded)
        self._session = examination.opened(
            Subject(target, transport), suite["seed"], suite["depth"]
        )
        stated = target.limits
        budget = Budget(requests=stated.max_requests, seconds=stated.max_time, owner="replay")
        self._session.limit(budget)
        self._performed: dict[str, tuple[Finding, ...]] = {}
        wiring.prepare(self._session)

    def close(self) -> None:
        """End the threads that send, and close the connections."""
        self._resender.close()
        self._session.close()

    def outcome(self, failure: Failure) -> Outcome:
        """What became of a failure."""
        entry, found = failure
        self._resender.begin(f"replay::{entry['id']}[{found['operation'] or ''}]")
        try:
            outcome = self._decided(failure)
        except Inconclusive as problem:
            return Outcome(UNCHECKED, problem.message)
        again = found.get("reproduction")
        if outcome.word != FIXED or again is None or again["outcome"] not in reproduction.RARE:
            return outcome
        return Outcome(FIXED, f"{outcome.detail}; before: {reproduction.described(again)}")

    def _decided(self, failure: Failure) -> Outcome:
        entry, found = failure
        is_of_rule = "responses" in found or entry["id"] in OF_RECORDS
        obstacle = self._obstacle(found)
        fresh = self._sent(found) if is_of_rule and obstacle is None else []
        outcome = self._by_rule(failure, fresh) or self._by_check(failure)
        if outcome is None and obstacle is not None:
            return Outcome(UNSENT, obstacle)
        return outcome or self._by_conditions(found, fresh or self._sent(found))

    def _obstacle(self, found: FindingEntry) -> str | None:
        """Why the requests of a failure are not sent again; None where they may be."""
        reasons = map(self._resender.obstacle, found["exchanges"])
        return next((reason for reason in reasons if reason is not None), None)

    def _sent(self, found: FindingEntry) -> list[Exchange]:
        return [self._resender.send(step) for step in found["exchanges"]]

    # --- rules ---------------------------------------------------------------------------------

    def _by_rule(self, failure: Failure, fresh: Sequence[Exchange]) -> Outcome | None:
        """What the rule says of the new responses; None where they do not exercise it."""
        entry, found = failure
        context = self._session.context("replay")
        if "responses" in found:
            every = (each for exchange in fresh for each in context.judgements(exchange))
            judged = [each.problem for each in every if each.requirement == entry["id"]]
        elif entry["id"] in relations.REQUIREMENTS:
            judged = list(_contradictions(fresh, context))
        else:
            judged = list(_disagreements(fresh, context))
        wrong = [problem for problem in judged if problem is not None]
        if wrong:
            return Outcome(FAILING, wrong[0])
        return Outcome(FIXED, f"the response is {fresh[-1].describe()}") if judged else None

    # --- checks --------------------------------------------------------------------------------

    def _by_check(self, failure: Failure) -> Outcome | None:
        """What the checks say that have found it; None where there are none."""
        entry, found = failure
        chosen = list(_checks_of(failure))[:MOST_CHECKS]
        if not chosen:
            return None
        seen = [each for check in chosen for each in self._findings(check)]
        own = [each for each in seen if each.requirement == entry["id"]]
        failed = [each for each in own if each.verdict is Verdict.FAIL]
        again = [each for each in failed if each.operation == found["operation"]]
        if again:
            return Outcome(FAILING, again[0].message)
        ends = [self._performed[check.name][0] for check in chosen]
        unknown = [each for each in ends if each.verdict not in (Verdict.PASS, Verdict.FAIL)]
        if unknown:
            return Outcome(UNCHECKED, unknown[0].message)
        if any(items.looks_back(check.item) for check in chosen):
            command = f"conformance run --class {entry['class']}"
            return Outcome(UNCHECKED, f"it shows in what a whole run has sent: {command}")
        return Outcome(FIXED, f"{quantity(len(chosen), 'check')} performed again")

    def _findings(self, check: Check) -> tuple[Finding, ...]:
        """What a check finds, its own end first, and what the rules find in its exchanges."""
        if check.name not in self._performed:
            [(_, outcome)] = checks.outcomes(self._session, [check])
            own = items.findings(check.requirement, check.operation, outcome.problems)
            contexts = [fact.context for fact in outcome.context.facts()]
            results = [outcome.context.finish(own), *(each.finish() for each in contexts)]
            if check.requirement in (*approvals.OVER_HTTP, approvals.BY_TOOL):
                history = self._session.approvals.result(self._session.redactor)
                results += [history] if history is not None else []
            self._performed[check.name] = tuple(
                found for result in results for found in result.findings
            )
        return self._performed[check.name]

    # --- everything else -----------------------------------------------------------------------

    def _by_conditions(self, found: FindingEntry, fresh: Sequence[Exchange]) -> Outcome:
        """Whether what has to hold of the responses does."""
        steps, after = found["exchanges"], [self._resender.document(each) for each in fresh]
        holds = conditions(found["defect"], steps) if "defect" in found else []
        about = {condition.step for condition in holds if isinstance(condition, Status | Rejected)}
        for number, (old, new) in enumerate(zip(steps, after, strict=True)):
            if number not in about and status_of(old) != status_of(new):
                return Outcome(DIFFERS, f"{old['purpose']} was {_shown(old)}, is {_shown(new)}")
        if not holds:
            return Outcome(DIFFERS, "its responses cannot be compared one by one; run it again")
        if all(condition.holds(after) for condition in holds):
            return Outcome(FIXED, f"the response is {_shown(after[-1])}")
        return Outcome(FAILING, found["message"])


def _checks_of(failure: Failure) -> Iterator[Check]:
    """The checks that have shown a failure; where a fact has, those of its requirement."""
    entry, found = failure
    every = {check.name: check for check in checks.collected()}
    named = [every[name] for name in (*found["items"], *found.get("checks", ())) if name in every]
    if named:
        yield from named
        return
    for check in every.values():
        if check.requirement == entry["id"] and check.operation == found["operation"]:
            yield check


def _disagreements(fresh: Sequence[Exchange], context: Context) -> Iterator[str | None]:
    """What two responses keep disagreeing in, for each record that both show; None for nothing."""
    if len(fresh) != 2:
        return
    usual, odd = fresh
    for id in sorted(_ids(usual, context) & _ids(odd, context)):
        try:
            disagreements.require_agreement(usual, odd, id, context)
            yield None
        except Violation as violation:
            yield violation.message


def _contradictions(fresh: Sequence[Exchange], context: Context) -> Iterator[str | None]:
    """What the records of responses keep contradicting each other in; None for nothing."""
    try:
        disagreements.require_relations(fresh, context)
    except Violation as violation:
        yield violation.message
    else:
        yield from [None] if all(answers.of(each, context.contract) for each in fresh) else []


def _ids(exchange: Exchange, context: Context) -> set[str]:
    """The ids of the records that a response shows."""
    answer = answers.of(exchange, context.contract)
    return {each.key[1] for each in sightings(answer)} if answer is not None else set()


def _shown(exchange: ExchangeEntry) -> str:
    status = status_of(exchange)
    return str(status) if status is not None else f"no response ({exchange.get('failure')})"
