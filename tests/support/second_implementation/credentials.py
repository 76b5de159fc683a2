"""The credentials of a deployment."""

import uuid
from collections.abc import Iterator
from typing import Any

PERMISSIONS = (
    "account:read",
    "projects:read",
    "videos:read",
    "reviews:read",
    "reviews:approve",
    "comments:read",
    "activity:read",
)


def credentials(primary: str, outsider: str) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Scheme and secret of each credential, with its account, permissions, state and role."""
    plain = {
        "account": primary,
        "permissions": set(PERMISSIONS),
        "state": "valid",
        "role": "reviewer",
        "throttled": False,
    }
    named: dict[str, dict[str, Any]] = {
        "primary": plain,
        "expired": {**plain, "state": "expired"},
        "revoked": {**plain, "state": "revoked"},
        "outsider": {**plain, "account": outsider},
        "no-review-role": {**plain, "role": "viewer"},
        "throttled": {**plain, "throttled": True},
    }
    named |= {
        f"lacking.{permission}": {**plain, "permissions": set(PERMISSIONS) - {permission}}
        for permission in PERMISSIONS
    }
    for name, credential in named.items():
        for scheme in ("api-key", "bearer"):
            yield (scheme, secret(name, scheme)), credential


def secret(name: str, scheme: str) -> str:
    """The secret of a credential in one scheme."""
    return f"{scheme[0]}.{uuid.uuid5(uuid.NAMESPACE_DNS, f'{name} {scheme}').hex}"
