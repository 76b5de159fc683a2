"""Calls of a target by the callers that its profile knows, each probe beside its control."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, Violation, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.retry import is_unavailable
from conformance.http.sending import Sending
from conformance.runner.session import Session
from conformance.suite.callers import expect
from conformance.target.target import Credential

DEFAULT = object()
ROUNDS = 2
"""How often a call that brings no answer of the target's own is sent again, each time after its control."""


class Callers:
    """Sends as primary, or as anybody else; controls that have succeeded are remembered."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._controlled: set[tuple[object, ...]] = set()

    def credential(self, name: str) -> Credential:
        """A credential of the profile; Inconclusive where there is none."""
        found = self.session.target.credentials.get(name)
        if found is None:
            raise Inconclusive(
                f"no credential {name}, or none with a secret of its own",
                needs=(f"credentials.{name}",),
            )
        return found

    def by(self, name: str, scheme: str) -> Credential:
        """A credential that has this scheme; NotApplicable where it has only the other one."""
        found = self.credential(name)
        if scheme not in found.schemes:
            raise NotApplicable(f"{name} has no {scheme}")
        return found

    def is_alive(self, credential: Credential, scheme: str) -> bool:
        """Whether a caller is served anything at all, so that it is neither dead nor made up."""
        simple = [
            each
            for each in self.session.contract.operations.values()
            if not each.writes and "{" not in each.path
        ]
        return any(
            self.send(Call(each.id), credential, scheme, purpose="is it alive?").status == 200
            for each in simple
        )

    def send(
        self, call: Call, credential: Any = DEFAULT, scheme: str | None = None, *, purpose: str = ""
    ) -> Exchange:
        """Make a call, as primary if nobody is named and without a credential for None."""
        who = self.credential("primary") if credential is DEFAULT else credential
        return self.session.client.send(call, Sending(who, scheme, purpose))

    def send_all(self, calls: Sequence[Call], purpose: str = "") -> list[Exchange]:
        """Make many calls as primary, as many at once as the transport likes."""
        sending = Sending(self.credential("primary"), None, purpose)
        return self.session.client.send_all(calls, [sending] * len(calls))

    def send_each(self, requests: Sequence[tuple[Call, Sending]]) -> list[Exchange]:
        """Make many calls, each in its own way, as many at once as the transport likes."""
        return self.session.client.send_all(
            [call for call, _ in requests], [sending for _, sending in requests]
        )

    def control(
        self,
        call: Call,
        credential: Any = DEFAULT,
        scheme: str | None = None,
        *,
        probes_liveness: bool = False,
    ) -> Exchange:
        """The request that succeeds without the defect that a probe will add; Inconclusive where it does not."""
        who = self.credential("primary") if credential is DEFAULT else credential
        answer = self.session.client.send(
            call, Sending(who, scheme, "control", probes_liveness=probes_liveness)
        )
        if answer.status != 200:
            name = answer.credential or "nobody"
            raise Inconclusive(
                f"the control as {name} is answered {answer.describe()}",
                needs=(f"credentials.{name}",),
                exchanges=[answer.id],
            )
        return answer

    def controlled(self, call: Call, credential: Any = DEFAULT, scheme: str | None = None) -> None:
        """See to it that a request has succeeded once; see `control`."""
        who = credential.name if isinstance(credential, Credential) else ""
        key = (call.operation, tuple(call.path.items()), call.query, who, scheme)
        if key not in self._controlled:
            self.control(call, credential, scheme)
            self._controlled.add(key)

    def probe(self, call: Call, control: Call, purpose: str) -> Exchange:
        """Send a defective call whose control has succeeded.

        Where only the defective one brings a gateway's answer or none at all, that is the target's answer to the defect.
        """
        return self.probe_each(
            [(call, Sending(self.credential("primary"), None, purpose))], control
        )[0]

    def probe_all(self, calls: Mapping[str, Call], control: Call) -> list[Exchange]:
        """Send many defective calls, by what each is for, as many at once as the transport likes; see `probe`."""
        primary = self.credential("primary")
        return self.probe_each(
            [(call, Sending(primary, None, purpose)) for purpose, call in calls.items()], control
        )

    def probe_each(self, requests: Sequence[tuple[Call, Sending]], control: Call) -> list[Exchange]:
        """Send many defective calls, each in its own way, as many at once as the transport likes; see `probe`."""
        answers = self.send_each(requests)
        return [
            self._own(answer, request, control)
            for answer, request in zip(answers, requests, strict=True)
        ]

    def _own(self, answer: Exchange, request: tuple[Call, Sending], control: Call) -> Exchange:
        """The target's own answer to a defective call; Violation where it goes on having none, while it has one for the control."""
        call, sending = request
        again = replace(sending, purpose=f"{sending.purpose}, once more")
        for _ in range(ROUNDS):
            if answer.status == 429 or not is_unavailable(answer):
                break
            self.control(control, probes_liveness=True)
            answer = self.session.client.send(call, again)
        if answer.status != 429 and is_unavailable(answer):
            raise Violation(
                defect(
                    Kind.UNSORTED, f"{again.purpose}: {answer.describe()}", expected="an answer"
                ),
                exchanges=[answer.id],
            )
        expect.clear(answer)
        return answer
