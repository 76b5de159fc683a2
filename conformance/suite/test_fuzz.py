"""Fuzzing: what schemathesis makes of the contract, sent to every operation (Endpoints, Errors).

The answers are judged by the rules on every exchange; these checks send, look for failures of the service, and make what is
found small. Of valid ids some are replaced by living ones, or a reading would never get past an absent record.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.patience import TRIES
from conformance.http.retry import is_unavailable
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.fuzzing import cases, generate
from conformance.suite.fuzzing.generate import Mode, Source
from conformance.suite.lists.live import PARENTS, Live, parameter_of
from conformance.suite.lists.parameters import try_filter

FAILURE = "500"
MOST_SMALLER = 60
"""Requests that an item spends on making its findings small."""
MOST_ALIVE = 8
ODD_KEYS = ("", " ", "a'b\"c", "Schl\u00fcssel \u65e5\u672c \U0001f511", "k" * 300)
ODD_REVISIONS = (2**31, 2**63, -(2**63) - 1, 10**30)


@requirement("arguments/accepted")
def test_generated_arguments_within_the_contract_are_accepted(
    operation: Operation, live: Live
) -> None:
    """Requests that keep to the contract."""
    Fuzz(operation, Mode.POSITIVE, live).run()


@requirement("arguments/no-failure")
def test_generated_arguments_beyond_the_contract_cause_no_failure(
    operation: Operation, live: Live
) -> None:
    """Requests that break the contract; to approve, also those that keep to it."""
    if operation.writes:
        if not live.session.target.consent.fuzz_writes:
            raise Inconclusive(
                f"fuzzing {operation.id} here has not been consented to",
                needs=("consent.fuzz-writes",),
            )
        Fuzz(operation, Mode.POSITIVE, live).run()
        _odd_approvals(operation, live)
    Fuzz(operation, Mode.NEGATIVE, live).run()
    _unissued(operation, live)


def _unissued(operation: Operation, live: Live) -> None:
    """A cursor that was never issued may be refused or find nothing; the service does not fail for it."""
    name = live.session.name(operation, "cursor")
    if name is not None:
        answer = live.callers.send(
            live.call(operation).asking(**{name: live.made_up("unissued cursor")}),
            purpose="a cursor that was never issued",
        )
        expect.that(
            answer.status != 500,
            defect(Kind.UNSORTED, answer.describe(), expected="no failure of the service"),
            answer,
        )


def _odd_approvals(operation: Operation, live: Live) -> None:
    """Strings that few keys look like, and integers that few columns hold, may be refused; the service does not fail for them."""
    id = next(iter(live.session.target.fixtures.unapprovable_reviews), live.made_up("odd approval"))
    bodies = [{"expectedSubjectRevision": 1, "idempotencyKey": key} for key in ODD_KEYS]
    bodies += [
        {"expectedSubjectRevision": revision, "idempotencyKey": live.made_up("odd revision")}
        for revision in ODD_REVISIONS
    ]
    calls = [Call(operation.id, {"reviewId": id}).carrying(body) for body in bodies]
    sending = Sending(
        live.callers.credential("primary"), None, "an odd approval", judge_arguments=False
    )
    for answer in live.session.client.send_all(calls, [sending] * len(calls)):
        expect.that(
            answer.status != 500,
            defect(Kind.UNSORTED, answer.describe(), expected="no failure of the service"),
            answer,
        )


class Fuzz:
    """The generated requests of one operation and mode, on their way to the target."""

    def __init__(self, operation: Operation, mode: Mode, live: Live) -> None:
        self._operation = operation
        self._mode = mode
        self._live = live
        self._session = live.session
        self._roles = {parameter.name: parameter.role for parameter in operation.parameters}
        self._source = Source(operation.id, mode, live.session.seed, live.session.depth.examples)
        self._answers: dict[tuple[object, ...], Exchange] = {}
        self._spare = MOST_SMALLER
        self._cursor: str | None = None

    def run(self) -> None:
        """Send everything, make what is found small, and raise Violation where the service failed."""
        self._cursor = self._live.callers.baseline(self._control).cursor
        self._learn()
        requests = generate.requests(self._source)
        covered = self._send(requests.covered, f"{self._mode} coverage")
        drawn = self._send(requests.drawn, f"{self._mode} example")
        failures = [answer for answer in (*covered, *drawn) if answer.status == 500]
        smallest = self._shrink(self._kinds(drawn) - self._kinds(covered))
        if failures:
            shown = next((answer for answer in smallest if answer.status == 500), failures[0])
            told = f"{shown.describe()}, again and again; {len(failures)} of {len(covered) + len(drawn)} requests fail"
            raise Violation(
                defect(Kind.UNSORTED, told, expected="no failure of the service"),
                exchanges=[shown.id],
            )
        self._clear([answer for answer in (*covered, *drawn) if is_unavailable(answer)])

    # --- sending ---------------------------------------------------------------------------------------------------

    def _sending(self, purpose: str) -> Sending:
        # An approval that nobody can make may be refused for that before anybody looks at its arguments.
        return Sending(
            self._live.callers.credential("primary"),
            None,
            purpose,
            judge_arguments=not self._operation.writes,
        )

    def _send(self, calls: Sequence[Call], purpose: str) -> list[Exchange]:
        aimed = {cases.key(call): call for call in map(self._aimed, calls)}
        fresh = {key: call for key, call in aimed.items() if key not in self._answers}
        answers = self._session.client.send_all(
            list(fresh.values()), [self._sending(purpose)] * len(fresh)
        )
        self._answers.update(zip(fresh, answers, strict=True))
        return answers

    def _shrink(self, kinds: set[str]) -> list[Exchange]:
        """A small request for each kind that only examples show; those of the systematic requests are small already."""
        found: list[Exchange] = []
        for kind in sorted(kinds):
            smallest = (
                None
                if kind in self._kinds(found)
                else generate.smallest(self._source, partial(self._shows, kind))
            )
            if smallest is not None:
                again = self._session.client.send(
                    self._aimed(smallest), self._sending("the smallest of its kind")
                )
                found += [again] if kind in self._kinds([again]) else []
        for answer in found:
            self._session.show(answer)
        return found

    def _shows(self, kind: str, call: Call) -> bool:
        aimed = self._aimed(call)
        key = cases.key(aimed)
        if key not in self._answers:
            if self._spare <= 0:
                raise generate.Enough
            # Trying a failure again tells nothing here; the pace, though, is only kept by who is patient.
            sending = replace(
                self._sending("a smaller request"), patient=self._session.rate is not None
            )
            self._answers[key] = answer = self._session.client.send(aimed, sending)
            self._spare -= TRIES if answer.status == 500 and sending.patient else 1
        return kind in self._kinds([self._answers[key]])

    def _kinds(self, answers: Sequence[Exchange]) -> set[str]:
        """What is wrong with answers: the requirements that they break, and whether the service failed."""
        broken = {
            judgement.requirement
            for answer in answers
            for judgement in self._session.problems(answer)
        }
        return broken | ({FAILURE} if any(answer.status == 500 for answer in answers) else set())

    def _clear(self, answers: list[Exchange]) -> None:
        """Ask once more where no answer of the target's own came: Violation where it is the request that prevents it."""
        for answer in answers[:1]:
            self._live.callers.baseline(self._control)
            again = self._session.client.send(answer.call, self._sending("once more"))
            if again.status == 429:
                expect.clear(again)
            expect.that(
                not is_unavailable(again),
                defect(
                    Kind.UNSORTED,
                    f"{again.purpose}: {again.describe()}",
                    expected="an answer of the service",
                ),
                again,
            )

    def _learn(self) -> None:
        """Find out whether the target knows the filters whose names are open, since a request with an unknown name says nothing."""
        certain = self._session.roles(self._operation)
        for role in self._operation.filters:
            name = self._session.name(self._operation, role)
            if name is not None and name not in certain:
                try_filter(self._operation, role, name, self._live)

    # --- aiming ----------------------------------------------------------------------------------------------------

    @cached_property
    def _control(self) -> Call:
        return Call("review_list") if self._operation.writes else self._live.call(self._operation)

    def _aimed(self, call: Call) -> Call:
        """The same call with the names of this target and, for part of its valid ids, those of living records."""
        path = {
            name: self._living("id", value) or value if is_uuid(value) else value
            for name, value in call.path.items()
        }
        query = [
            (
                self._session.name(self._operation, self._roles[name]),
                self._argument(name, value, call),
            )
            for name, value in call.query
        ]
        kept = tuple(
            (name, value) for name, value in query if name is not None and value is not None
        )
        return replace(call, path=path, query=kept)

    def _argument(self, name: str, value: str, call: Call) -> str | None:
        """A value for a query parameter; None where it is better left out."""
        if not is_uuid(value):
            return value
        role = self._roles[name]
        if self._mode is Mode.NEGATIVE:
            # What stands beside a wrong argument has to be right, and a made-up id or cursor may be refused in its own way.
            return self._living(role, value)
        if role == "cursor":
            # One that was never issued may be refused for itself, as an issued one may beside other arguments.
            return None if len(call.query) > 1 else self._living(role, value)
        return self._living(role, value) or value

    def _living(self, role: str, value: str) -> str | None:
        """A living value in place of a made-up one, the same each time; None for every fourth, and where there is none."""
        number = int(value.replace("-", ""), 16)
        if not self._alive[role] or (
            self._mode is Mode.POSITIVE and number % 4 == 3 and not self._operation.writes
        ):
            return None
        return self._alive[role][number // 4 % len(self._alive[role])]

    @cached_property
    def _alive(self) -> dict[str, list[str]]:
        """Living values by role. To approve there are only ids that nothing has or nobody can approve."""
        roles = ("id", "cursor", *self._operation.filters)
        found: dict[str, list[str]] = {role: [] for role in roles}
        if self._mode is Mode.POSITIVE and is_uuid(self._cursor):
            found["cursor"] = [str(self._cursor)]
        if self._operation.writes:
            made_up = [self._live.made_up(f"fuzz {number}") for number in range(2)]
            found["id"] = [*made_up, *self._session.target.fixtures.unapprovable_reviews]
        elif "{" in self._operation.path:
            parents = self._live.records(PARENTS[parameter_of(self._operation)])
            found["id"] = [
                self._control.path[parameter_of(self._operation)],
                *(listed.record["id"] for listed in parents),
            ][:MOST_ALIVE]
        else:
            with suppress(
                Inconclusive
            ):  # a list that shows no record, or none in pages of any length, can be asked for all the same
                records = [listed.record for listed in self._live.records(self._operation.id)[:1]]
                for role, member in self._operation.filters.items():
                    found[role] = [
                        record[member] for record in records if is_uuid(record.get(member))
                    ]
        return found
