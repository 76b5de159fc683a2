"""What a verified certificate is worth on a day: not yet valid, active, expired; or revoked."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

EARLY, ACTIVE, EXPIRED, REVOKED = "early", "active", "expired", "revoked"


def of(claims: Mapping[str, Any], day: date, revoked: str | None = None) -> str:
    """The state of a certificate; it holds from the day of its run up to and including its last."""
    if revoked is not None:
        return REVOKED
    if datetime.fromisoformat(claims["started"]).date() > day:
        return EARLY
    expires = claims["expires"]
    return EXPIRED if date.fromisoformat(expires) < day else ACTIVE
