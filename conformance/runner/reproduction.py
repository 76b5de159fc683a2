"""Sends the requests of failures once more, each on a fresh connection, before they are shown.

No verdict depends on it: its requests belong to a fact of their own, which no rule judges.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast
from urllib.parse import parse_qsl, urlsplit

import orjson
import pytest

from conformance.contract import api
from conformance.contract.verdict import Inconclusive
from conformance.http import serialization, trace
from conformance.http.budget import Budget
from conformance.http.exchange import FACT, Call, Exchange
from conformance.http.outgoing import authorization
from conformance.http.replay import Unrecorded, content
from conformance.http.retry import TOO_MANY_REQUESTS
from conformance.http.sending import Sending
from conformance.report import repair, reproduction
from conformance.report.condition import Rejected, Status, status_of
from conformance.report.document_types import ExchangeEntry, FindingEntry, ReproductionEntry
from conformance.report.reproduction import Outcome
from conformance.report.run import Run
from conformance.runner import examination, stated_inputs, stated_target
from conformance.runner.context import Context
from conformance.runner.recorded_headers import CREDENTIALS, NotSent, secrets
from conformance.runner.recorded_request import THROTTLED, message_of
from conformance.runner.session import Session
from conformance.target.target import Target

ITEM = f"{FACT}reproduction"
MOST_REQUESTS = 20
"""Requests of a run that repeat failures."""

ATTEMPTS = 2
"""Attempts on a fresh connection each."""

EARLIER = ("primary", "outsider", "colleague")
"""The callers whose request may have come before: all of them are served something."""

NOT_REPEATED = CREDENTIALS | trace.HEADERS | {"transfer-encoding", "content-length", "host"}
"""Headers that are made anew."""

LONGEST_BODY = 64 * 1024


def label_apart(run: Run, config: pytest.Config) -> None:
    """The same where the checks were performed by workers, with connections of its own.

    A target in this process is another one in each of them: there is nothing to repeat.
    """
    if stated_target.target_of(config) is None or not run.failures():
        return
    session = examination.opened(
        examination.subject(config),
        config.getoption("conformance_seed"),
        config.getoption("conformance_depth"),
    )
    session.limit(Budget())  # that of the run belongs to its workers
    session.open_log(stated_inputs.report_directory(config) / "exchanges-reproduction.jsonl")
    try:
        label(run, session)
    finally:
        session.close()


def label(run: Run, session: Session) -> None:
    """Send the requests of the failures of a run once more, one failure of each cause."""
    failures = run.failures()
    if not failures:
        return
    context = session.context(ITEM)
    repeater = Repeater(session, context)
    for requirement, found in failures:
        run.reproduced(requirement, found, repeater.reproduction(requirement, found))
    result = replace(context.finish(), findings=(), observations=())
    run.add(orjson.dumps(result).decode())


class Repeater:
    """Repeats the requests of failures, a bounded number in all."""

    def __init__(self, session: Session, context: Context) -> None:
        self._target = session.target
        self._context = context
        self._sent = 0

    def reproduction(self, requirement: str, found: FindingEntry) -> ReproductionEntry:
        """What becomes of a failure whose requests are sent once more."""
        # A rule violates each of its exchanges, the first of which is shown.
        steps = found["exchanges"][:1] if "responses" in found else found["exchanges"]
        reason = self._obstacle(steps)
        if reason is not None:
            return reproduction.not_repeated(reason)
        try:
            return self._repeated(requirement, found, steps)
        except Inconclusive as problem:
            return reproduction.not_repeated(self._context.redactor.text(problem.message))
        except Unrecorded:  # of an altered recording: the differences of the replay say what is
            return reproduction.not_repeated("the recording does not have its requests")

    def _obstacle(self, steps: Sequence[ExchangeEntry]) -> str | None:
        """Why the requests of a failure are not sent again; None where they are."""
        if not steps:
            return "it has no request of its own"
        for step in steps:
            reason = self._obstacle_of(step)
            if reason is not None:
                return reason
        if self._sent + ATTEMPTS * len(steps) > MOST_REQUESTS:
            return f"a run repeats {MOST_REQUESTS} requests at most"
        return None

    def _obstacle_of(self, step: ExchangeEntry) -> str | None:
        body, name = step["request"]["body"] or {}, step["credential"]
        if _approves(step):
            return "it would approve a review"
        if step["request"]["method"] not in ("GET", "HEAD") and not _is_tool_request(step):
            return "it may change something"
        if name == THROTTLED or status_of(step) == TOO_MANY_REQUESTS:
            return "it would use up the rate limit"
        if "length" in body or len(body.get("text", "")) + body.get("padding", 0) > LONGEST_BODY:
            return "its body is too long to be sent for that alone"
        if name is not None and name not in self._target.credentials:
            return "its credential was made for one request"
        try:
            secrets(step, self._target)
        except NotSent as reason:  # a second credential of nobody
            return str(reason)
        return None

    def _repeated(
        self, requirement: str, found: FindingEntry, steps: Sequence[ExchangeEntry]
    ) -> ReproductionEntry:
        ids: list[str] = []
        for attempt in range(ATTEMPTS):
            responses = self._send(steps, ids, fresh=True)
            again = self._is_seen(requirement, found, (steps, responses))
            if again is None:
                reason = _difference(steps, [self._document(each) for each in responses])
                return reproduction.entry(Outcome.NOT_COMPARED, reason=reason, exchanges=ids)
            if again and not attempt:
                return reproduction.entry(Outcome.REPRODUCED, seen=2, attempts=2, exchanges=ids)
            if again:
                return reproduction.entry(Outcome.SOMETIMES, seen=2, attempts=3, exchanges=ids)
        return self._after_another(requirement, found, (steps, ids))

    def _after_another(
        self,
        requirement: str,
        found: FindingEntry,
        known: tuple[Sequence[ExchangeEntry], list[str]],
    ) -> ReproductionEntry:
        """What becomes of it after the same request of another caller.

        With a connection for each request, what is seen then is no matter of connections: something
        that all callers share has kept the earlier response.
        """
        steps, ids = known
        callers = [name for name in EARLIER if name in self._target.credentials]
        others = [(name, True) for name in callers if name != steps[-1]["credential"]]
        for name, fresh in (*others, *((name, False) for name in callers[:1])):
            if self._sent + 1 + len(steps) > MOST_REQUESTS:
                break
            before = self._sent_by(name, steps[-1])
            self._send([before], ids, fresh=True)
            responses = self._send(steps, ids, fresh=fresh)
            if self._is_seen(requirement, found, (steps, responses)):
                outcome = Outcome.AFTER_ANOTHER if fresh else Outcome.KEPT_CONNECTION
                seen = reproduction.entry(
                    outcome, seen=2, attempts=1 + ATTEMPTS, reason=name, exchanges=ids
                )
                command = reproduction.one_by_one if fresh else reproduction.on_one_connection
                again = command((before, *steps), self._target.gateway.curl)
                return {**seen, "again": again}
        return reproduction.entry(Outcome.SOMETIMES, seen=1, attempts=1 + ATTEMPTS, exchanges=ids)

    def _sent_by(self, name: str, step: ExchangeEntry) -> ExchangeEntry:
        """The request of a step with the credential of another caller."""
        caller = self._target.credentials[name]
        scheme = step["scheme"] if step["scheme"] in caller.schemes else caller.schemes[0]
        headers = [pair for pair in step["request"]["headers"] if pair[0] not in CREDENTIALS]
        own = list(authorization(scheme, caller.variable(scheme)))
        request = {**step["request"], "headers": [*headers, own]}
        changed = {"credential": name, "scheme": scheme, "request": request}
        return cast(ExchangeEntry, {**step, **changed, "purpose": f"before: {step['purpose']}"})

    def _send(
        self, steps: Sequence[ExchangeEntry], ids: list[str], *, fresh: bool
    ) -> list[Exchange]:
        """Send the steps; their ids are added to `ids`."""
        sent = []
        for step in steps:
            sending = _sending_of(step, self._target)
            self._sent += 1
            sent.append(self._context.client.send(_call_of(step), replace(sending, fresh=fresh)))
            ids.append(sent[-1].id)
        return sent

    def _is_seen(
        self,
        requirement: str,
        found: FindingEntry,
        known: tuple[Sequence[ExchangeEntry], Sequence[Exchange]],
    ) -> bool | None:
        """Whether new responses to the steps show the failure; None where nobody can tell."""
        steps, responses = known
        fresh = [self._document(each) for each in responses]
        if repair.are_equal(found, steps, fresh):
            return True
        if "responses" in found and self._is_judged(requirement, responses):
            return True
        holds = repair.conditions(found["defect"], steps) if "defect" in found else []
        about = {condition.step for condition in holds if isinstance(condition, Status | Rejected)}
        others = [number for number in range(len(steps)) if number not in about]
        if not holds or any(status_of(steps[n]) != status_of(fresh[n]) for n in others):
            return None
        return not all(condition.holds(fresh) for condition in holds)

    def _is_judged(self, requirement: str, responses: Sequence[Exchange]) -> bool:
        """Whether a rule finds a violation of the requirement in a response."""
        checked = (replace(each, in_contract=True, judge_arguments=False) for each in responses)
        return any(
            problem.requirement == requirement
            for each in checked
            for problem in self._context.problems(each)
        )

    def _document(self, exchange: Exchange) -> ExchangeEntry:
        return cast(ExchangeEntry, serialization.document(exchange, self._context.redactor))


def _approves(step: ExchangeEntry) -> bool:
    """Whether a request would approve a review, by either interface."""
    message = message_of(step)
    return (
        step["operation"] == api.load().approval.id
        if message is None
        else message.review is not None
    )


def _is_tool_request(step: ExchangeEntry) -> bool:
    """Whether a request is a message to the tool interface that has a response."""
    message = message_of(step)
    return message is not None and not message.method.startswith("notifications/")


def _call_of(exchange: ExchangeEntry) -> Call:
    """The call of a recorded request; its URL is that of `_sending_of`."""
    body = exchange["request"]["body"]
    return Call(
        exchange["operation"],
        query=tuple(parse_qsl(urlsplit(exchange["request"]["url"]).query, keep_blank_values=True)),
        body=None if body is None else content(body),
        content_type=None,
    )


def _sending_of(exchange: ExchangeEntry, target: Target) -> Sending:
    """How a recorded request is sent again, with the credentials of the profile."""
    request, name = exchange["request"], exchange["credential"]
    headers = [(name, value) for name, value in request["headers"] if name not in NOT_REPEATED]
    sent, empty = secrets(exchange, target)
    beside = sent[1:] if name else sent
    headers += [authorization(scheme, other.secret(scheme)) for scheme, other in beside]
    return Sending(
        target.credentials[name] if name else None,
        exchange["scheme"],
        exchange["purpose"],
        (*headers, *empty),
        frozenset({"accept"} - {name for name, _ in headers}),
        in_contract=False,
        stream=["transfer-encoding", "chunked"] in request["headers"],
        method=request["method"],
        url=request["url"],
    )


def _difference(before: Sequence[ExchangeEntry], after: Sequence[ExchangeEntry]) -> str:
    """Why responses cannot be compared with those of the run."""
    for old, new in zip(before, after, strict=True):
        if status_of(old) != status_of(new):
            return f"a response with {status_of(old)} is one with {status_of(new)} now"
    return "the responses differ in more than what is wrong"
