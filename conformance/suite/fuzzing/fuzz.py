"""Generated requests of one operation, sent to the target, and the smallest that show a defect."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Defect, Kind
from conformance.http.exchange import Call, Exchange
from conformance.http.patience import TRIES
from conformance.http.retry import is_unavailable
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.places import of_status
from conformance.suite.fuzzing import cases, generate
from conformance.suite.fuzzing.generate import Mode, Requests, Source
from conformance.suite.fuzzing.substitution import MAX_IDS, Substitution
from conformance.suite.lists.live import Live

FAILURE = "500"
"""The symptom of a failed service, beside the ids of violated requirements."""
MAX_SMALLER = 60
"""Requests for making the findings of one item small."""

RequestSource = Callable[[Source], Requests]


@dataclass
class Progress:
    """What the requests of one operation and mode have shown in all rounds.

    `sent` has the digests of those that were sent, `symptoms` what they have shown.
    """

    sent: set[bytes] = field(default_factory=set)
    symptoms: set[str] = field(default_factory=set)


class Fuzz:
    """Sends the generated requests of one operation and mode."""

    def __init__(
        self, operation: Operation, mode: Mode, live: Live, request_source: RequestSource
    ) -> None:
        self._operation = operation
        self._mode = mode
        self._live = live
        self._session = live.session
        self._request_source = request_source
        self._source = Source(operation.id, mode, live.session.seed, live.session.depth.examples)
        self._responses: dict[tuple[object, ...], Exchange] = {}
        self._smaller_left = MAX_SMALLER

    def run(self) -> None:
        """Send all requests and shrink what they find; Violation where the service failed."""
        cursor = self._live.callers.baseline(self._baseline).cursor
        substitution = self._substitution(cursor, MAX_IDS)
        requests = self._request_source(self._source)
        shared = self._session.share(requests.covered, self._operation.id)
        covered = self._send(map(substitution.apply, shared), f"{self._mode} coverage")
        drawn = self._send(map(substitution.apply, requests.drawn), f"{self._mode} example")
        smallest = self._shrunk(self.symptoms(drawn) - self.symptoms(covered), substitution)
        self._check_served(smallest, (*covered, *drawn))

    def go_on(self, number: int, progress: Progress) -> None:
        """Send the requests of a round that were not sent before; shrink what is new in them.

        The target may have changed since the run began: nothing is sent unless it still serves the
        records and the filters of the requests. Violation where the service failed.
        """
        substitution = self._renewed()
        if substitution is None:
            return
        if not progress.sent:
            requests = self._request_source(self._source)
            known = map(substitution.apply, (*requests.covered, *requests.drawn))
            progress.sent.update(map(cases.digest, known))
        self._source = replace(self._source, number=self._session.depth.round, round=number)
        fitted = map(substitution.apply, generate.drawn(self._source))
        fresh = {cases.digest(call): call for call in fitted}
        calls = [call for digest, call in fresh.items() if digest not in progress.sent]
        progress.sent.update(fresh)
        responses = self._send(calls, f"{self._mode} example of round {number}")
        symptoms = self.symptoms(responses) - progress.symptoms
        progress.symptoms |= symptoms
        self._check_served(self._shrunk(symptoms, substitution), responses)

    def _renewed(self) -> Substitution | None:
        """The substitution with a new cursor; None where its values are not served any more."""
        first = self._control(self._baseline)
        # A request with one wrong argument may get 404 where its record was deleted meanwhile.
        most_ids = 1 if self._mode is Mode.NEGATIVE else MAX_IDS
        substitution = self._substitution(first.cursor, most_ids)
        filtered = substitution.filtered
        controls = [first] if filtered == self._baseline else [first, self._control(filtered)]
        return substitution if all(each.status == 200 for each in controls) else None

    def _control(self, call: Call) -> Exchange:
        """The response to a baseline request; Inconclusive where the target does not respond."""
        response = self._live.callers.send(call, purpose="the baseline request")
        expect.clear(response)
        return response

    def _substitution(self, cursor: str | None, most_ids: int) -> Substitution:
        return Substitution(
            self._operation, self._mode, self._live, self._baseline, cursor, most_ids
        )

    @cached_property
    def _baseline(self) -> Call:
        return Call("review_list") if self._operation.writes else self._live.call(self._operation)

    def _sending(self, purpose: str) -> Sending:
        # An approval may be rejected for its review before its arguments are looked at.
        primary = self._live.callers.credential("primary")
        return Sending(primary, None, purpose, judge_arguments=not self._operation.writes)

    def _send(self, calls: Iterable[Call], purpose: str) -> list[Exchange]:
        """The responses to the calls that were not sent before."""
        keyed = {cases.key(call): call for call in calls}
        fresh = {key: call for key, call in keyed.items() if key not in self._responses}
        sendings = [self._sending(purpose)] * len(fresh)
        responses = self._session.client.send_all(list(fresh.values()), sendings)
        self._responses.update(zip(fresh, responses, strict=True))
        return responses

    def symptoms(self, responses: Sequence[Exchange]) -> set[str]:
        """The requirements that responses violate, and FAILURE where the service failed."""
        violated = {
            judgement.requirement
            for response in responses
            for judgement in self._session.problems(response)
        }
        has_failed = any(response.status == 500 for response in responses)
        return violated | ({FAILURE} if has_failed else set())

    def _shrunk(self, symptoms: set[str], substitution: Substitution) -> list[Exchange]:
        """The response to a smallest request for each symptom that only examples show.

        The systematic requests are small already.
        """
        found: list[Exchange] = []
        for symptom in sorted(symptoms):
            if symptom in self.symptoms(found):
                continue
            shows = partial(self._shows, symptom, substitution)
            smallest = generate.smallest(self._source, shows)
            if smallest is None:
                continue
            sending = self._sending("the smallest of its kind")
            again = self._session.client.send(substitution.apply(smallest), sending)
            found += [again] if symptom in self.symptoms([again]) else []
        for response in found:
            self._session.show(response)
        return found

    def _shows(self, symptom: str, substitution: Substitution, call: Call) -> bool:
        """Whether the response to a call has a symptom; Enough when no request is left."""
        fitted = substitution.apply(call)
        key = cases.key(fitted)
        if key not in self._responses:
            if self._smaller_left <= 0:
                raise generate.Enough
            self._responses[key] = self._send_smaller(fitted)
        return symptom in self.symptoms([self._responses[key]])

    def _send_smaller(self, call: Call) -> Exchange:
        # Failures need no repetition here, but only a patient call observes the request rate.
        is_patient = self._session.rate is not None
        sending = replace(self._sending("a smaller request"), patient=is_patient)
        response = self._session.client.send(call, sending)
        self._smaller_left -= TRIES if response.status == 500 and is_patient else 1
        return response

    def _check_served(self, smallest: Sequence[Exchange], sent: Sequence[Exchange]) -> None:
        """Violation where the service failed."""
        for response in (each for each in (*smallest, *sent) if each.status == 500):
            expect.violated(failure(response), response)
        self._check_responded([each for each in sent if is_unavailable(each)])

    def _check_responded(self, unavailable: list[Exchange]) -> None:
        """Violation where a repeated request gets no response of the target's own.

        The baseline request shows that the target is available.
        """
        for response in unavailable[:1]:
            self._live.callers.baseline(self._baseline)
            again = self._session.client.send(response.call, self._sending("once more"))
            if again.status == 429:
                expect.clear(again)
            violation = of_status(
                again,
                "the service does not respond to a request: {response}",
                expected="a response of the service",
                kind=Kind.NO_RESPONSE,
            )
            expect.that(not is_unavailable(again), violation, again)


def failure(response: Exchange) -> Defect:
    """The defect of a service that fails for a request."""
    return of_status(
        response,
        "the service fails: {response}",
        expected="a response without a failure of the service",
        excluded=[500],
    )
