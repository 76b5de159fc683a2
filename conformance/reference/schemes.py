"""The two authentication schemes, and the digests of secrets ("Authentication")."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

API_KEY: Final = "api-key"
BEARER: Final = "bearer"


@dataclass(frozen=True, slots=True)
class PresentedCredentials:
    """The secrets of a request; None for a scheme that it does not use."""

    api_key: str | None
    bearer: str | None

    def secrets(self) -> list[tuple[str, str]]:
        """Scheme and secret of each presented credential, the API key first."""
        both = ((API_KEY, self.api_key), (BEARER, self.bearer))
        return [(scheme, secret) for scheme, secret in both if secret is not None]


def presented_credentials(headers: Mapping[str, str]) -> PresentedCredentials:
    """The secrets in the headers of a request; `headers` must be case-insensitive."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    is_bearer = scheme.lower() == "bearer"
    return PresentedCredentials(
        api_key=headers.get("x-api-key"), bearer=token.strip() if is_bearer else None
    )


def digest(secret: str) -> str:
    """The digest of a secret, by which the store finds it."""
    return blake2b(secret.encode(), digest_size=32).hexdigest()
