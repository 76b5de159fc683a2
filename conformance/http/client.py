"""The client of one item: it sends calls as a credential, and repeats transient errors."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from conformance.contract import api
from conformance.contract.verdict import Inconclusive
from conformance.http.dispatcher import Dispatcher, Request, Sent
from conformance.http.exchange import AGAIN, Call, Exchange
from conformance.http.patience import Attempts
from conformance.http.retry import is_lost
from conformance.http.sending import Sending

PROBE = "whether the target responds"
UNAUTHORIZED, FORBIDDEN = 401, 403


class Log(Protocol):
    """Receives every exchange of an item."""

    def __call__(self, exchange: Exchange, /) -> None:
        """Record one exchange."""


@dataclass
class Client:
    """Sends the calls of one item of a run.

    Its exchanges are numbered from 1 in the order in which they were requested, also where they are
    under way at once, so that a run can be repeated against its recording.
    """

    dispatcher: Dispatcher
    item: str
    log: Log
    _number: int = field(default=0, init=False)

    def send(self, call: Call, sending: Sending) -> Exchange:
        """Make one call; returns the last exchange after all repetitions.

        Raises Inconclusive where the target no longer responds.
        """
        self.dispatcher.check_present()
        return self.settled(self.dispatcher.send(self.request(call, sending)), sending)

    def send_all(
        self, calls: Sequence[Call], sendings: Sequence[Sending], *, together: bool = False
    ) -> list[Exchange]:
        """Make many calls, side by side; `together` starts all of them in the same moment.

        No more requests are under way at once than the profile allows; `together` then starts so
        many at a time. Raises Inconclusive where the target no longer responds.
        """
        calls_of = [(self, *each) for each in zip(calls, sendings, strict=True)]
        return send_all(calls_of, together=together)

    def request(self, call: Call, sending: Sending) -> Request:
        """The next request of the item."""
        self.dispatcher.budget.spend()
        self._number += 1
        return Request(self.item, self._number, call, sending)

    def settled(self, first: Sent, sending: Sending) -> Exchange:
        """The last exchange after all repetitions, by the other scheme where one is rejected."""
        last = self._repeated(first, sending)
        other = _other_scheme(last, sending)
        if other is None:
            return last
        purpose = f"by the other scheme: {sending.purpose}"
        again = replace(sending, scheme=other, purpose=purpose)
        return self._repeated(self.dispatcher.send(self.request(last.call, again)), again)

    def _repeated(self, sent: Sent, sending: Sending) -> Exchange:
        """The last exchange after all repetitions; every one is recorded.

        The time that the run has waited since it was sent counts for it as well.
        """
        shared = self.dispatcher
        attempts = Attempts(shared.waiting)
        was_lost = False
        while True:
            exchange = sent.exchange
            if shared.renewal.is_due(exchange, sending, sent.made):
                sent = self._with_new_token(sent, sending)
                continue
            pause = attempts.pause(exchange) if sending.patient else None
            if pause is None:
                if was_lost or not self._is_back(exchange, sending):
                    break
                # It may have been lost because the target was away: it is made once more, with as
                # many tries, since what comes back may stumble at first.
                was_lost, pause, attempts = True, 0.0, Attempts(shared.waiting)
            self.log(replace(exchange, superseded=True))
            shared.waiting.wait(pause, sent.since)
            sent = self._again(exchange, sending)
        shared.renewal.note(exchange, sending)
        is_open = exchange.status == FORBIDDEN and _other_scheme(exchange, sending) is not None
        self.log(replace(exchange, superseded=True) if is_open else exchange)
        return exchange

    def _is_back(self, exchange: Exchange, sending: Sending) -> bool:
        """Whether a call was lost, and the target responds now, be it after a while."""
        if not sending.patient or not is_lost(exchange):
            return False
        # Some caller may always get a 503: the target is there where it was there before.
        known = self.dispatcher.absence.responded_to or sending
        probing = Sending(known.credential, known.scheme, PROBE, in_contract=False)
        try:
            return self.dispatcher.absence.is_back(lambda: self._probe(probing))
        except Inconclusive:
            self.log(exchange)
            raise

    def _probe(self, sending: Sending) -> Exchange:
        """One simple request, which shows whether the target responds."""
        call = Call(api.derive(self.dispatcher.contract).simplest.id)
        exchange = self.dispatcher.send(self.request(call, sending)).exchange
        self.log(exchange)
        return exchange

    def _with_new_token(self, sent: Sent, sending: Sending) -> Sent:
        exchange = sent.exchange
        try:
            self.dispatcher.renewal.renew(exchange, sending, sent.made)
        except Inconclusive:
            self.log(exchange)
            raise
        self.log(replace(exchange, superseded=True))
        again = replace(sending, scheme=exchange.scheme)
        return self._again(exchange, again, ", with a new token")

    def _again(self, exchange: Exchange, sending: Sending, how: str = "") -> Sent:
        purpose = f"{AGAIN} #{exchange.number}{how}: {sending.purpose}"
        request = self.request(exchange.call, replace(sending, purpose=purpose))
        repeated = self.dispatcher.send(request)
        return repeated._replace(exchange=replace(repeated.exchange, is_repeated=True))


def _other_scheme(response: Exchange, sending: Sending) -> str | None:
    """The scheme to send a request by once more, where any would do and this one is rejected.

    Each scheme has a requirement of its own; every other check needs one that works. A token may
    have fewer permissions than a key; what writes is not sent again for that.
    """
    schemes = sending.credential.schemes if sending.credential else ()
    others = (scheme for scheme in schemes if scheme != response.scheme)
    is_read = response.request.method == "GET"
    is_rejected = response.status == UNAUTHORIZED or (response.status == FORBIDDEN and is_read)
    return next(others, None) if is_rejected and sending.scheme is None else None


def send_all(
    calls: Sequence[tuple[Client, Call, Sending]], *, together: bool = False
) -> list[Exchange]:
    """Make calls of one or several items side by side; see `Client.send_all`."""
    if not calls:
        return []
    shared = calls[0][0].dispatcher
    shared.check_present()
    requests = [client.request(call, sending) for client, call, sending in calls]
    sent = shared.send_in_the_same_moment(requests) if together else shared.send_all(requests)
    # Every exchange is recorded before the first problem of any of them ends the check.
    exchanges: list[Exchange] = []
    problems: list[Inconclusive] = []
    for each, (client, _, sending) in zip(sent, calls, strict=True):
        try:
            exchanges.append(client.settled(each, sending))
        except Inconclusive as problem:
            problems.append(problem)
    if problems:
        raise problems[0]
    return exchanges
