"""Secrets that live shorter than a run: a command prints them, and is run again in time."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.target import command

COMMAND_SECONDS = 60.0
"""Seconds after which a command that has not ended is stopped."""

RENEWED_AT = 0.9
"""The part of its lifetime after which a secret is replaced, so that none expires on its way."""

RETRY_SECONDS = 30.0
"""Seconds until a command that failed in the middle of a run is run again because of an age."""


class TokenError(Exception):
    """A command printed no secret; str() has the reason, without its arguments or output."""


@dataclass(frozen=True)
class TokenCommand:
    """A command that prints a secret: its arguments, run without a shell where the run began."""

    argv: tuple[str, ...]
    flaw: Callable[[str], str | None]
    """Why a text cannot be a secret, or None."""
    seconds: float = COMMAND_SECONDS

    def __call__(self) -> str:
        """The secret: standard output without blanks at its ends. Raises TokenError."""
        try:
            return self._secret(command.printed(self.argv, self.seconds))
        except command.CommandError as problem:
            raise TokenError(str(problem)) from None

    def _secret(self, output: bytes) -> str:
        try:
            secret = output.decode().strip()
        except UnicodeDecodeError:
            raise TokenError("printed something that is not UTF-8 text") from None
        if not secret:
            raise TokenError("printed nothing")
        flaw = self.flaw(secret)
        if flaw:
            raise TokenError(f"printed a secret that {flaw}")
        return secret


class Token:
    """The current secret of a source, which is run again in time; safe to use in several threads.

    `lifetime` is in seconds on the clock `now`; None: the secret does not age. `secrets` holds
    every secret that the source ever gave.
    """

    def __init__(
        self,
        source: Callable[[], str],
        lifetime: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._lifetime = lifetime
        self._now = now
        self._lock = threading.Lock()
        self._value: str | None = None
        self._asked_at = 0.0
        self._failed_at: float | None = None
        self.secrets: frozenset[str] = frozenset()

    @property
    def asked_at(self) -> float:
        """When the source was last run, on the clock `now`."""
        return self._asked_at

    def value(self) -> str:
        """The secret to send now. Raises TokenError where the source has never given one."""
        with self._lock:
            if self._value is None:
                return self._ask()
            if self._is_old() and not self._has_just_failed():
                try:
                    return self._ask()
                except TokenError:  # the old one may still be accepted; if not, `renew` raises
                    self._failed_at = self._now()
            return self._value

    def renew(self, sent_at: float) -> None:
        """Replace the secret unless it is newer than a request of then. Raises TokenError."""
        with self._lock:
            if self._value is None or self._asked_at <= sent_at:
                self._ask()

    def _ask(self) -> str:
        # The age counts from the start of the command: the time of issue is unknown.
        asked_at = self._now()
        self._value = self._source()
        self._asked_at, self._failed_at = asked_at, None
        self.secrets |= {self._value}
        return self._value

    def _is_old(self) -> bool:
        if self._lifetime is None:
            return False
        return self._now() - self._asked_at >= RENEWED_AT * self._lifetime

    def _has_just_failed(self) -> bool:
        return self._failed_at is not None and self._now() - self._failed_at < RETRY_SECONDS


def secret(
    stated: str | Mapping[str, Any] | None, flaw: Callable[[str], str | None]
) -> str | Token | None:
    """A secret as a profile states it: a text, or what a command prints."""
    if not isinstance(stated, Mapping):
        return stated
    return Token(TokenCommand(stated["command"], flaw), stated.get("lifetime"))
