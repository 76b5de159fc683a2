"""The form of an identifier ("Resources and their fields")."""

import re
from typing import Any

from conformance.contract import openapi

UUID = re.compile(openapi.load().schema("Uuid")["pattern"])
"""To be used with `fullmatch`: Python's `$` also matches before a trailing newline."""


EXTREMES = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")
"""The UUIDs that belong to no version."""


def is_uuid(value: object) -> bool:
    """Whether a JSON value is a UUID as the specification defines it, in upper or lower case."""
    return isinstance(value, str) and UUID.fullmatch(value) is not None


def alike(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, apart from the case of the letters in UUIDs."""
    return bool(_normalized(one) == _normalized(other))


def _normalized(value: Any) -> Any:
    """A value with its UUIDs in lower case."""
    if isinstance(value, dict):
        return {name: _normalized(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_normalized(item) for item in value]
    return value.lower() if is_uuid(value) else value
