"""Who has sent a request: callers by their credentials, whose text is never stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from conformance.http import secrecy
from conformance.http.exchange import Request
from conformance.http.har_reader import SECRETS
from conformance.http.redaction import Redactor
from conformance.target.target import Target

SCHEMES = {"x-api-key": "api-key", "authorization": "bearer"}
"""The header of each scheme."""

Headers = tuple[tuple[str, str], ...]


@dataclass
class Senders:
    """The callers that are known by name, and those that were seen.

    `redactor` replaces every credential by the variable that stands for it, in `variables`. `seen`
    are those that no profile has.
    """

    redactor: Redactor
    variables: set[str]
    seen: set[str] = field(default_factory=set)
    _names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_target(cls, target: Target) -> "Senders":
        """The callers in a profile."""
        variables: Mapping[str, str] = target.variables
        known = {
            credential.secret(scheme): name
            for name, credential in target.credentials.items()
            for scheme in credential.schemes
        }
        names = {_digest(secret): name for secret, name in known.items()}
        redactor = Redactor(dict(variables), secrecy.SHORTEST)
        return cls(redactor, {*variables.values(), secrecy.MASK}, _names=names)

    def learn(self, headers: Headers) -> None:
        """Know the credentials of a request, so that nothing of them is written from here on."""
        for name, value in headers:
            for secret in _secrets(name, value):
                if len(secret) >= secrecy.SHORTEST and _digest(secret) not in self._names:
                    self._names[_digest(secret)] = f"caller {len(self._names) + 1}"
                    self.redactor.add(secret, secrecy.MASK)
                    self.seen.add(secret)
                    secrecy.protect({secret: secrecy.MASK})

    def of(self, headers: Headers) -> tuple[str | None, str | None]:
        """The caller of a request and the scheme; None for neither, or where nobody is known."""
        for name, value in headers:
            for secret in _secrets(name, value) if name in SCHEMES else ():
                return self._names.get(_digest(secret)), SCHEMES[name]
        return None, None

    def without_secrets(self, request: Request) -> Request:
        """The request with variables in place of credentials in its URL and its headers."""
        return replace(
            request,
            url=self.redactor.text(request.url),
            headers=self.masked(request.headers),
        )

    def masked(self, headers: Headers) -> Headers:
        """Headers with variables in place of credentials."""
        return tuple((name, self._shown(name, value)) for name, value in headers)

    def _shown(self, name: str, value: str) -> str:
        shown = self.redactor.text(value)
        if name in SECRETS - SCHEMES.keys() and value:
            return secrecy.MASK
        if name not in SECRETS or shown != value:
            return shown
        scheme, _, rest = value.rpartition(" ")
        return f"{scheme} {secrecy.MASK}".strip() if rest.strip() else value


def _secrets(name: str, value: str) -> tuple[str, ...]:
    """The credential in a header; that of Authorization is behind its scheme."""
    if name not in SECRETS:
        return ()
    secret = value.strip().rpartition(" ")[2]
    return (secret,) if secret else ()


def _digest(secret: str) -> str:
    return blake2b(secret.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
