"""Timestamps of the dataset: seconds since 1970-01-01T00:00:00Z, and their RFC 3339 text."""

from datetime import UTC, datetime
from typing import Final

SNAPSHOT_TIME: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC).timestamp()
"""The time of the dataset: no timestamp in it is later."""

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR


def format_timestamp(timestamp: float) -> str:
    """The RFC 3339 text in UTC with milliseconds, such as `2026-02-11T14:05:09.250Z`."""
    text = datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
