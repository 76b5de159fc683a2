"""HTTP-dates (RFC 9110, 5.6.7)."""

import re
from datetime import UTC, datetime

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = f"(?P<month>{'|'.join(_MONTHS)})"
_TIME = "(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-5][0-9]|60)"
_DAY = "(?P<day>[0-9]{2})"
_YEAR = "(?P<year>[0-9]{4})"
_SHORT_YEAR = "(?P<year>[0-9]{2})"
_NAME = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_LONG_NAME = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_FORMS = (
    re.compile(f"{_NAME}, {_DAY} {_MONTH} {_YEAR} {_TIME} GMT"),
    re.compile(f"{_LONG_NAME}, {_DAY}-{_MONTH}-{_SHORT_YEAR} {_TIME} GMT"),
    re.compile(f"{_NAME} {_MONTH} (?P<day>[ 0-9][0-9]) {_TIME} {_YEAR}"),
)
"""The current form and the two obsolete ones, which recipients have to accept as well."""


def parse(text: str) -> datetime | None:
    """The moment of an HTTP-date in any of its three forms; None for other texts."""
    match = next((found for form in _FORMS if (found := form.fullmatch(text))), None)
    if match is None:
        return None
    year, day, hour, minute, second = (
        int(match[name]) for name in ("year", "day", "hour", "minute", "second")
    )
    if len(match["year"]) == 2:
        year += 2000 if year < 70 else 1900
    try:  # a leap second has no datetime
        return datetime(
            year, _MONTHS.index(match["month"]) + 1, day, hour, minute, min(second, 59), tzinfo=UTC
        )
    except ValueError:
        return None
