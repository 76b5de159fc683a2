"""Requests as the callers of the profile, and negative probes beside their baseline requests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.contract import api
from conformance.contract.verdict import (
    Inconclusive,
    Kind,
    NotApplicable,
)
from conformance.http.exchange import Call, Exchange
from conformance.http.retry import is_unavailable
from conformance.http.sending import Sending, repeated
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.suite.callers import expect
from conformance.suite.callers.needs import needed
from conformance.suite.callers.places import of_status
from conformance.target.target import Credential

DEFAULT = object()
ROUNDS = 2
"""How often a probe that gets no response of the target itself is repeated, after its baseline."""

Request = tuple[Call, Sending]


class Callers:
    """Sends requests as primary or as another caller."""

    def __init__(self, session: Context) -> None:
        self._session = session

    def credential(self, name: str) -> Credential:
        """A credential of the profile; Inconclusive where there is none."""
        credential = self._session.target.credentials.get(name)
        if credential is None:
            raise Inconclusive(
                f"no credential {name}, or none with a secret of its own",
                needs=(f"credentials.{name}",),
            )
        return credential

    def credential_with(self, name: str, scheme: str) -> Credential:
        """A credential that has this scheme; NotApplicable where it has only the other one."""
        credential = self.credential(name)
        if scheme not in credential.schemes:
            raise NotApplicable(f"{name} has no {scheme}")
        return credential

    def is_served(self, credential: Credential, scheme: str) -> bool:
        """Whether a caller gets 200 from any operation that needs no id."""
        operations = self._session.contract.operations.values()
        without_id = [each for each in operations if not each.writes and "{" not in each.path]
        return any(
            self.send(Call(each.id), credential, scheme, purpose="is it alive?").status == 200
            for each in without_id
        )

    def colleague(self, scheme: str | None = None) -> Credential:
        """Another account with primary's grant; NotApplicable where the profile names none.

        Its requirements are checked without it as well. Inconclusive unless GET /account shows
        that it is another account.
        """
        name, primary = "colleague", self.credential("primary")
        if name not in self._session.target.credentials:
            raise NotApplicable("the profile has no credential colleague")
        found = self.credential_with(name, scheme) if scheme else self.credential(name)
        ids = [self.account_id(each) for each in (primary, found)]
        if None in ids or ids[0] == ids[1]:
            raise Inconclusive(
                "colleague is not another account, as far as GET /account shows",
                needs=("credentials.colleague",),
            )
        return found

    def account_id(self, credential: Credential) -> object:
        """The id of the account of a caller, which is a fact of the run; None if it has none."""
        return self._session.fact(
            fact_name("account", credential.name), lambda own: _account_of(credential, Callers(own))
        )

    def send(
        self, call: Call, credential: Any = DEFAULT, scheme: str | None = None, *, purpose: str = ""
    ) -> Exchange:
        """Send a call: as primary by default, without a credential for None."""
        caller = self.credential("primary") if credential is DEFAULT else credential
        sending = Sending(caller, scheme, purpose or call.operation)
        return self._session.client.send(call, sending)

    def send_all(self, calls: Sequence[Call], purpose: str = "") -> list[Exchange]:
        """Send independent calls as primary, concurrently."""
        sending = Sending(self.credential("primary"), None, purpose)
        return self._session.client.send_all(calls, [sending] * len(calls))

    def send_each(self, requests: Sequence[Request]) -> list[Exchange]:
        """Send independent requests, concurrently."""
        calls = [call for call, _ in requests]
        return self._session.client.send_all(calls, [sending for _, sending in requests])

    def baseline(
        self,
        call: Call,
        credential: Any = DEFAULT,
        scheme: str | None = None,
    ) -> Exchange:
        """The request without the defect of a probe; Inconclusive unless it returns 200."""
        caller = self.credential("primary") if credential is DEFAULT else credential
        sending = Sending(caller, scheme, "the baseline request")
        response = self._session.client.send(call, sending)
        if response.status != 200:
            name = response.credential or "nobody"
            raise Inconclusive(
                f"the baseline request with {name} returned {response.describe()}",
                needs=(needed(response.status, name),),
                exchanges=[response.id],
            )
        return response

    def require_baseline(
        self, call: Call, credential: Any = DEFAULT, scheme: str | None = None
    ) -> None:
        """The baseline request has succeeded, which is a fact of the run; see `baseline`."""
        caller = self.credential("primary") if credential is DEFAULT else credential
        name = caller.name if isinstance(caller, Credential) else "nobody"
        self._session.fact(
            fact_name("baseline", call, name, scheme),
            lambda own: Callers(own).baseline(call, caller, scheme),
        )

    def probe(self, call: Call, baseline: Call, purpose: str) -> Exchange:
        """Send a call with a defect whose baseline has succeeded; see `probe_each`."""
        sending = Sending(self.credential("primary"), None, purpose)
        return self.probe_each([(call, sending)], baseline)[0]

    def probe_all(self, calls: Mapping[str, Call], baseline: Call) -> list[Exchange]:
        """Send calls with a defect each, by their purpose; see `probe_each`."""
        primary = self.credential("primary")
        requests = [(call, Sending(primary, None, purpose)) for purpose, call in calls.items()]
        return self.probe_each(requests, baseline)

    def probe_each(self, requests: Sequence[Request], baseline: Call) -> list[Exchange]:
        """Send requests with a defect each, concurrently, whose baseline has succeeded.

        Violation where a repeated probe has no response of the target, and its baseline has one.
        """
        responses = self.send_each(requests)
        pairs = zip(responses, requests, strict=True)
        return [self._own_response(response, request, baseline) for response, request in pairs]

    def _own_response(self, response: Exchange, request: Request, baseline: Call) -> Exchange:
        call, sending = request
        again = replace(sending, purpose=repeated(sending.purpose))
        for _ in range(ROUNDS):
            if not _is_unavailable(response):
                break
            self.baseline(baseline)
            response = self._session.client.send(call, again)
        if _is_unavailable(response):
            _report_unavailable(response, again.purpose)
        expect.clear(response)
        return response


def _account_of(credential: Credential, callers: Callers) -> object:
    call = Call(api.load().simplest.id)
    data = callers.send(call, credential, purpose="which account is it?").data
    return data.get("id") if isinstance(data, dict) else None


def _is_unavailable(response: Exchange) -> bool:
    """Whether a gateway responded, or nothing did; a rate limit is the response of the target."""
    return response.status != 429 and is_unavailable(response)


def _report_unavailable(response: Exchange, purpose: str) -> None:
    unavailable = of_status(
        response,
        "{request}: {response}, but the baseline request succeeds",
        expected="a response of the target",
        kind=Kind.NO_RESPONSE if response.status is None else Kind.STATUS,
        request=purpose,
    )
    expect.violated(unavailable, response)
