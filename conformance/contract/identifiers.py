"""The form of an identifier ("Resources and their fields")."""

import re

from conformance.contract import openapi

UUID = re.compile(openapi.load().schema("Uuid")["pattern"])
"""To be used with `fullmatch`: Python's `$` also matches before a trailing newline."""


EXTREMES = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")
"""The UUIDs that belong to no version."""


def is_uuid(value: object) -> bool:
    """Whether a JSON value is a UUID as the specification defines it, in upper or lower case."""
    return isinstance(value, str) and UUID.fullmatch(value) is not None
