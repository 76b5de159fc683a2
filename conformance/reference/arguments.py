"""Arguments of operations: presence, type and bounds ("Endpoints", "Limits").

An operation receives its arguments as one mapping of names to JSON values.
Path and query parameters are text in HTTP; `from_text` converts the integers among them.
Every other function raises InvalidArguments (422) if a value is invalid.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from conformance.reference.errors import InvalidArguments

Arguments = Mapping[str, object]

SMALLEST_LIMIT: Final = 1
LARGEST_LIMIT: Final = 100
DEFAULT_LIMIT: Final = 25
LONGEST_KEY: Final = 255
DECIMAL: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})")
UUID: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    r"|00000000-0000-0000-0000-000000000000"
    r"|ffffffff-ffff-ffff-ffff-ffffffffffff",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Page:
    """At most `limit` items, from the position of `cursor`, or from the beginning without one."""

    limit: int
    cursor: str | None


def from_text(text: str) -> int | str:
    """Return an integer if the text is its canonical decimal form, and the text otherwise."""
    return int(text) if DECIMAL.fullmatch(text) else text


def page(arguments: Arguments) -> Page:
    """The page that `limit` and `cursor` select."""
    return Page(_limit(arguments), optional_uuid(arguments, "cursor"))


def uuid(arguments: Arguments, name: str) -> str:
    """A required UUID, in lower case."""
    value = optional_uuid(arguments, name)
    if value is None:
        raise InvalidArguments(f"{name} is required.")
    return value


def optional_uuid(arguments: Arguments, name: str) -> str | None:
    """A UUID in lower case, or None if the argument is absent."""
    if name not in arguments:
        return None
    value = arguments[name]
    if not isinstance(value, str):
        raise InvalidArguments(f"{name} must be a UUID.")
    if not UUID.fullmatch(value):
        raise InvalidArguments(f"{name} must be a UUID.")
    return value.lower()


def integer(arguments: Arguments, name: str) -> int:
    """A required JSON number without a fraction: `3`, `3.0` and `3e0` are equal.

    `true` is not a number.
    """
    if name not in arguments:
        raise InvalidArguments(f"{name} is required.")
    value = arguments[name]
    if isinstance(value, bool):
        raise InvalidArguments(f"{name} must be an integer.")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, int):
        raise InvalidArguments(f"{name} must be an integer.")
    return value


def key(arguments: Arguments, name: str) -> str:
    """A required string of 1 to 255 characters."""
    if name not in arguments:
        raise InvalidArguments(f"{name} is required.")
    value = arguments[name]
    if not isinstance(value, str):
        raise InvalidArguments(f"{name} must be a string.")
    if not value:
        raise InvalidArguments(f"{name} must not be empty.")
    if len(value) > LONGEST_KEY:
        raise InvalidArguments(f"{name} must have at most {LONGEST_KEY} characters.")
    return value


def _limit(arguments: Arguments) -> int:
    """The largest number of items on the page."""
    if "limit" not in arguments:
        return DEFAULT_LIMIT
    limit = integer(arguments, "limit")
    if limit < SMALLEST_LIMIT:
        raise InvalidArguments(f"limit must be at least {SMALLEST_LIMIT}.")
    if limit > LARGEST_LIMIT:
        raise InvalidArguments(f"limit must be at most {LARGEST_LIMIT}.")
    return limit
