"""What a verified certificate is worth on a day: active, then expired; or revoked."""

from datetime import date

ACTIVE, EXPIRED, REVOKED = "active", "expired", "revoked"


def of(expires: str, day: date, revoked: str | None = None) -> str:
    """The state of a certificate; it holds up to and including its last day."""
    if revoked is not None:
        return REVOKED
    return EXPIRED if date.fromisoformat(expires) < day else ACTIVE
