"""Tokens that expire in the middle of a run."""

import threading

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Exchange
from conformance.http.retry import TOO_MANY_REQUESTS
from conformance.http.sending import Sending
from conformance.target.token import Token, TokenError


class Renewal:
    """Renews a token once after a 401, where the target has accepted it before.

    A request that was sent before another one renewed the token gets the new one as well.
    """

    def __init__(self) -> None:
        self._accepted: set[tuple[str, str]] = set()
        self._renewed: dict[tuple[str, str], float] = {}
        self._changing = threading.Lock()

    def is_due(self, exchange: Exchange, sending: Sending, sent_at: float) -> bool:
        """Whether a 401 may mean that a token, accepted until now, has expired."""
        if exchange.status != 401 or sending.credential is None or exchange.scheme is None:
            return False
        key = (sending.credential.name, exchange.scheme)
        with self._changing:
            return key in self._accepted or sent_at < self._renewed.get(key, sent_at)

    def renew(self, exchange: Exchange, sending: Sending, sent_at: float) -> None:
        """Get a new token. Raises Inconclusive where none is available."""
        name, scheme, token = _token(exchange, sending)
        assert token is not None
        with self._changing:
            self._accepted.discard((name, scheme))
        try:
            token.renew(sent_at)
        except TokenError as error:
            key = f"credentials.{name}.{scheme}"
            raise Inconclusive(
                f"{name} got 401, and the command of {key} {error}",
                needs=(key,),
                exchanges=[exchange.id],
            ) from error
        with self._changing:
            self._renewed[name, scheme] = token.asked_at

    def note(self, exchange: Exchange, sending: Sending) -> None:
        """Remember that a token was accepted: a response that is about something else shows it."""
        name, scheme, token = _token(exchange, sending)
        if token is None or exchange.status is None:
            return
        is_about_it = exchange.status in {401, TOO_MANY_REQUESTS}
        if exchange.status < 500 and not is_about_it:
            with self._changing:
                self._accepted.add((name, scheme))


def _token(exchange: Exchange, sending: Sending) -> tuple[str, str, Token | None]:
    """The credential, the scheme and the token of a request; no token where the secret stays."""
    if sending.credential is None or exchange.scheme is None:
        return "", "", None
    credential = sending.credential
    return credential.name, exchange.scheme, credential.token(exchange.scheme)
