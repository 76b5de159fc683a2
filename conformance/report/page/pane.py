"""One exchange as it is shown: the request beside the response, with the wrong spot marked and the command that sends it again."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from markupsafe import Markup

from conformance.http import serialization
from conformance.report.causes.location import Spot
from conformance.report.page import listing
from conformance.report.page.survey import duration
from conformance.report.page.text import command, short

LONGEST_HEADER = 300
LONGEST_URL = 1_200
LONGEST_COMMAND = 8_000
SMALLEST = 1_200
"""Bytes of HTML around the texts of a pane."""


@dataclass(frozen=True)
class Header:
    """One header; `wrong` where the finding speaks of it."""

    name: str
    value: str
    wrong: bool = False


@dataclass(frozen=True)
class Pane:
    """One exchange, ready to be shown; `status` is None where no response came, `curl` where the command is too long for a page."""

    id: str
    purpose: str
    caller: str
    took: str
    method: str
    url: str
    sent_headers: tuple[Header, ...]
    sent: Markup | None
    status: str | None
    is_status_wrong: bool
    failure: str
    headers: tuple[Header, ...]
    came: Markup | None
    curl: str | None

    @property
    def size(self) -> int:
        """About how many bytes of HTML it takes."""
        headers = sum(
            len(header.name) + len(header.value) + 40
            for header in (*self.sent_headers, *self.headers)
        )
        return (
            SMALLEST
            + headers
            + len(self.url)
            + len(self.curl or "")
            + len(self.sent or "")
            + len(self.came or "")
        )


def pane(exchange: Mapping[str, Any], spot: Spot) -> Pane:
    """A recorded exchange (see evidence) as it is shown, with `spot` marked in its response."""
    request, response = exchange["request"], exchange.get("response")
    curl = command(exchange.get("curl") or serialization.curl(request))
    return Pane(
        id=exchange["id"],
        purpose=exchange["purpose"],
        caller=_caller(exchange),
        took=duration(exchange["elapsed"]),
        method=request["method"],
        url=short(request["url"], LONGEST_URL),
        sent_headers=_headers(request["headers"], None),
        sent=None if request["body"] is None else listing.markup(request["body"], {}),
        status=_status(response["status"]) if response else None,
        is_status_wrong=spot.status,
        failure=short(exchange.get("failure") or "", LONGEST_HEADER),
        headers=_headers(response["headers"], spot.header) if response else (),
        came=listing.markup(response["body"], spot.marks, whole=spot.body) if response else None,
        curl=curl if len(curl) <= LONGEST_COMMAND else None,
    )


def _caller(exchange: Mapping[str, Any]) -> str:
    if not exchange["credential"]:
        return "without a credential"
    return (
        f"as {exchange['credential']} by {exchange['scheme']}"
        if exchange["scheme"]
        else f"as {exchange['credential']}"
    )


def _headers(pairs: list[list[str]], wrong: str | None) -> tuple[Header, ...]:
    found = tuple(
        Header(name, short(value, LONGEST_HEADER), name == wrong) for name, value in pairs
    )
    absent = wrong is not None and not any(header.wrong for header in found)
    return (*found, Header(str(wrong), "(absent)", wrong=True)) if absent else found


def _status(status: int) -> str:
    known = status in set(HTTPStatus)
    return f"{status} {HTTPStatus(status).phrase}" if known else str(status)
