"""One exchange as the page shows it: request, response with marks, and the command to repeat it."""

from dataclasses import dataclass
from http import HTTPStatus

from markupsafe import Markup

from conformance.http import serialization
from conformance.report.causes.location import Marks
from conformance.report.document_types import BodyEntry, ExchangeEntry
from conformance.report.page.markup import markup
from conformance.report.page.survey import duration
from conformance.report.recorded_body import UNPARSED, parse, read, text_of
from conformance.report.text import command, short_with_length

LONGEST_HEADER = 300
LONGEST_URL = 1_200
LONGEST_COMMAND = 8_000
LONGEST_COPY = 6_000
"""Characters of a response that can be copied as JSON; report.json has the longer ones."""

FRAME = 1_200
"""Bytes of HTML around the texts of a pane."""

HEADER_FRAME = 40
"""Bytes of HTML around a header."""


@dataclass(frozen=True)
class Header:
    """One header; `wrong` if the finding is about it."""

    name: str
    value: str
    wrong: bool = False


@dataclass(frozen=True)
class Pane:
    """One exchange, ready to be shown.

    `status` is None without a response, `curl` is None if the command is too long for the page.
    """

    id: str
    purpose: str
    caller: str
    took: str
    method: str
    url: str
    request_headers: tuple[Header, ...]
    request_body: Markup | None
    status: str | None
    is_status_wrong: bool
    failure: str
    response_headers: tuple[Header, ...]
    response_body: Markup | None
    response_json: str | None
    curl: str | None

    @property
    def size(self) -> int:
        """About how many bytes of HTML it takes."""
        headers = (*self.request_headers, *self.response_headers)
        texts = (self.url, self.curl, self.request_body, self.response_body, self.response_json)
        in_headers = sum(len(each.name) + len(each.value) + HEADER_FRAME for each in headers)
        return FRAME + in_headers + sum(len(text or "") for text in texts)


def pane(exchange: ExchangeEntry, marks: Marks) -> Pane:
    """A recorded exchange with marks in its response."""
    request, response = exchange["request"], exchange.get("response")
    curl = command(exchange.get("curl") or serialization.curl(request))
    request_body = request["body"]
    response_body = None
    if response:
        response_body = markup(read(response), marks.places, whole=marks.body)
    return Pane(
        id=exchange["id"],
        purpose=exchange["purpose"],
        caller=_caller(exchange),
        took=duration(exchange["elapsed"]),
        method=request["method"],
        url=short_with_length(request["url"], LONGEST_URL),
        request_headers=_headers(request["headers"], None),
        request_body=None if request_body is None else markup(request_body, {}),
        status=_status(response["status"]) if response else None,
        is_status_wrong=marks.status,
        failure=short_with_length(exchange.get("failure") or "", LONGEST_HEADER),
        response_headers=_headers(response["headers"], marks.header) if response else (),
        response_body=response_body,
        response_json=_whole(read(response)) if response else None,
        curl=curl if len(curl) <= LONGEST_COMMAND else None,
    )


def _whole(body: BodyEntry) -> str | None:
    """A body that is JSON and not too long, to be copied as it was."""
    text = text_of(body) or ""
    is_short = len(text) <= LONGEST_COPY and "length" not in body
    return text if is_short and parse(text) is not UNPARSED else None


def _caller(exchange: ExchangeEntry) -> str:
    if not exchange["credential"]:
        return "without a credential"
    scheme = f" by {exchange['scheme']}" if exchange["scheme"] else ""
    return f"as {exchange['credential']}{scheme}"


def _headers(pairs: list[list[str]], wrong: str | None) -> tuple[Header, ...]:
    found = [
        Header(name, short_with_length(value, LONGEST_HEADER), name == wrong)
        for name, value in pairs
    ]
    if wrong is not None and not any(header.wrong for header in found):
        found.append(Header(wrong, "(absent)", wrong=True))
    return tuple(found)


def _status(status: int) -> str:
    known = status in set(HTTPStatus)
    return f"{status} {HTTPStatus(status).phrase}" if known else str(status)
