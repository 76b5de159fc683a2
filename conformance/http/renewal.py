"""Tokens that expire in the middle of a run."""

import threading

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Exchange
from conformance.http.retry import TOO_MANY_REQUESTS
from conformance.http.sending import Sending
from conformance.target.token import Token, TokenError


class Renewal:
    """Renews a token once after a 401, where the target has accepted it before.

    A request that was made before another one renewed the token gets the new one as well, also
    while the command of the token still runs.
    """

    def __init__(self) -> None:
        self._accepted: set[tuple[str, str]] = set()
        self._renewed: dict[tuple[str, str], float] = {}
        self._changing = threading.Lock()

    def is_due(self, exchange: Exchange, sending: Sending, made: float) -> bool:
        """Whether a 401 may mean that a token, accepted until now, has expired."""
        if exchange.status != 401 or sending.credential is None or exchange.scheme is None:
            return False
        key = (sending.credential.name, exchange.scheme)
        with self._changing:
            return key in self._accepted or made < self._renewed.get(key, made)

    def renew(self, exchange: Exchange, sending: Sending, made: float) -> None:
        """Get a new token. Raises Inconclusive where none is available."""
        name, scheme, token = _token(exchange, sending)
        assert token is not None
        try:
            token.renew(made)
        except TokenError as error:
            with self._changing:
                self._accepted.discard((name, scheme))
            key = f"credentials.{name}.{scheme}"
            raise Inconclusive(
                f"{name} got 401, and the command of {key} {error}",
                needs=(key,),
                exchanges=[exchange.id],
            ) from error
        with self._changing:
            # Whoever waited for the same renewal does not forget that the new one was accepted.
            if self._renewed.get((name, scheme)) != token.asked_at:
                self._renewed[name, scheme] = token.asked_at
                self._accepted.discard((name, scheme))

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
