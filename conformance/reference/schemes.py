"""The two authentication schemes, and what is kept of their secrets ("Authentication")."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

API_KEY: Final = "api-key"
BEARER: Final = "bearer"


@dataclass(frozen=True, slots=True)
class PresentedCredentials:
    """The secrets that a request brings, each None where it brings none."""

    api_key: str | None
    bearer: str | None

    def secrets(self) -> list[tuple[str, str]]:
        """Scheme and secret of everything that was presented, the API key first."""
        both = ((API_KEY, self.api_key), (BEARER, self.bearer))
        return [(scheme, secret) for scheme, secret in both if secret is not None]


def presented_credentials(headers: Mapping[str, str]) -> PresentedCredentials:
    """The secrets that a request's headers carry; `headers` finds names in any case."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    is_bearer = scheme.lower() == "bearer"
    return PresentedCredentials(
        api_key=headers.get("x-api-key"), bearer=token.strip() if is_bearer else None
    )


def digest(secret: str) -> str:
    """What the store keeps of a secret."""
    return blake2b(secret.encode(), digest_size=32).hexdigest()
