"""Transient errors, and how long to wait after them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.http.retry import is_from_gateway, is_transient, is_unavailable, retry_after

NOW = "Fri, 20 Nov 2026 12:00:00 GMT"


def exchange(status: int | None) -> Exchange:
    """An exchange with this status, or without a response."""
    response = None if status is None else Response(status, ())
    return Exchange(
        "item", 1, Call("account_get"), "", None, None, Request("GET", "", ()), response
    )


@pytest.mark.parametrize(
    ("status", "transient", "unavailable"),
    [
        (None, True, True),
        (200, False, False),
        (404, False, False),
        (429, False, True),
        (500, True, False),
        (501, False, False),
        (502, True, True),
        (503, True, True),
        (504, True, True),
        (505, False, False),
        (407, False, False),
        (408, True, True),
        (425, True, True),
        (499, True, True),
        (519, False, False),
        (520, True, True),
        (530, True, True),
        (531, False, False),
        (598, True, True),
        (599, True, True),
    ],
)
def test_transient_and_unavailable_statuses(
    status: int | None, transient: bool, unavailable: bool
) -> None:
    """A 500 is transient, and counts if it persists; a 429 is repeated."""
    assert (is_transient(exchange(status)), is_unavailable(exchange(status))) == (
        transient,
        unavailable,
    )


@pytest.mark.parametrize("status", [408, 425, 499, 520, 530, 598, 599])
@pytest.mark.parametrize("name", ["code", "requestId"])
def test_a_status_with_an_error_body_is_not_from_a_gateway(status: int, name: str) -> None:
    """A gateway does not know the properties of the error body."""
    headers = (("content-type", "application/json"),)
    own = Response(status, headers, f'{{"{name}": "x"}}'.encode())
    other = Response(status, headers, b'{"message": "Try again"}')
    assert [is_from_gateway(own), is_from_gateway(other)] == [False, True]


def seconds(value: str | None, **headers: Any) -> float | None:
    """The waiting time for a response with this Retry-After."""
    stated = {} if value is None else {"retry-after": value}
    return retry_after(Response(429, tuple({**stated, **headers}.items())))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        ("0", 0.0),
        ("7", 7.0),
        (" 007 ", 7.0),
        ("1000000000", 1e9),
        ("1000000001", 1e9),
        ("9" * 5000, 1e9),
        ("-1", None),
        ("+1", None),
        ("1.5", None),
        ("1e3", None),
        ("1 s", None),
        ("soon", None),
        ("٣", None),
        ("²", None),
    ],
)
def test_seconds_are_plain_digits(value: str | None, expected: float | None) -> None:
    """delay-seconds of RFC 9110; a very large value means for ever."""
    assert seconds(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        "Fri, 20 Nov 2026 12:00:30 GMT",
        "Friday, 20-Nov-26 12:00:30 GMT",
        "Fri Nov 20 12:00:30 2026",
        "Mon, 20 Nov 2026 12:00:30 GMT",
        " Fri, 20 Nov 2026 12:00:30 GMT ",
    ],
)
def test_a_date_counts_from_the_targets_own_clock(value: str) -> None:
    """All three date formats of RFC 9110 are accepted; the day of the week is ignored."""
    assert seconds(value, date=NOW) == 30.0


@pytest.mark.parametrize(("ours", "expected"), [(0, 30.0), (20, 10.0), (40, 1.0)])
def test_without_the_targets_clock_a_date_counts_from_ours(ours: int, expected: float) -> None:
    """A date that has passed on this machine is one of another clock, and takes a second."""
    response = Response(429, (("retry-after", "Fri, 20 Nov 2026 12:00:30 GMT"),))
    assert retry_after(response, datetime(2026, 11, 20, 12, 0, ours, tzinfo=UTC)) == expected


@pytest.mark.parametrize(
    ("value", "date", "expected"),
    [
        ("Fri, 20 Nov 2026 11:59:59 GMT", NOW, 0.0),
        (NOW, NOW, 0.0),
        (NOW, None, 1.0),
        (NOW, "yesterday", 1.0),
        ("Sat, 21 Nov 2026 12:00:00 GMT", NOW, 86400.0),
        ("Sun Nov  8 12:00:00 2026", "Sun, 08 Nov 2026 11:00:00 GMT", 3600.0),
        ("Fri, 20 Nov 2026 12:00:60 GMT", NOW, 59.0),
        ("Thursday, 31-Dec-69 23:59:59 GMT", "Tue, 31 Dec 2069 23:59:00 GMT", 59.0),
        ("Thursday, 01-Jan-70 00:00:01 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", 1.0),
    ],
)
def test_a_date_in_the_past_or_without_the_time_of_the_target(
    value: str, date: str | None, expected: float
) -> None:
    """Never negative; one second without a Date header; two-digit years are supported."""
    assert seconds(value, **({} if date is None else {"date": date})) == expected


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-20T12:00:30Z",
        "Fri, 20 Nov 2026 12:00:30 +0000",
        "Fri, 20 Nov 2026 12:00:30 UTC",
        "Fri, 20 Nov 2026 12:00:30",
        "Fri, 20 Nov 26 12:00:30 GMT",
        "Fri, 2 Nov 2026 12:00:30 GMT",
        "20 Nov 2026 12:00:30 GMT",
        "Fri, 20 Foo 2026 12:00:30 GMT",
        "Fri, 31 Nov 2026 12:00:30 GMT",
        "Fri, 20 Nov 2026 24:00:30 GMT",
        "Fri, 20 Nov 2026 12:60:30 GMT",
        "Fri, 20 Nov 2026 12:00:61 GMT",
        "Fri, 00 Nov 2026 12:00:30 GMT",
        "Fri, 20 Nov 0000 12:00:30 GMT",
        "Fri Nov 20 12:00:30 2026 GMT",
        "Friday, 20-Nov-2026 12:00:30 GMT",
        "Fri, 20 Nov 2026 12:00:30 GMT; later",
        ",",
        "1, 2",
    ],
)
def test_other_values_of_retry_after_are_invalid(value: str) -> None:
    """Dates of other standards are examples."""
    assert seconds(value, date=NOW) is None
