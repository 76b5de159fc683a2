"""One request and its response, as the rules check it and as it is recorded."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from sys import float_info
from typing import Any

import orjson

from conformance.contract.verdict import Inconclusive
from conformance.http.budget import NEEDS
from conformance.http.packed import OptionalPackedBytes, PackedBytes
from conformance.http.recent import recent

MISSING = object()
"""The value of `Response.json` where the body is not JSON; no JSON value is identical to it."""

FACT = "fact::"
NOT_SENT = "not sent: "
"""The beginning of the failure of a request that never left."""

"""The beginning of the names of items whose exchanges belong to no check: several need them."""

AGAIN = "again after"
"""The beginning of the purpose of a repeated request."""

LONGEST_INTEGER = 20
"""Characters of the longest integer of 64 bits."""

LONGEST_CODE = 80

LONGEST_CURSOR = 4_000
"""Characters of a cursor that is followed; the contract has 36."""

PARSED = 5
"""Bytes that a parsed body takes up, for each of its text."""


_SENT = OptionalPackedBytes()


@dataclass(frozen=True)
class Call:
    """An operation with its arguments.

    `query` preserves order and repetition; `body` is sent as it is.
    """

    operation: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: tuple[tuple[str, str], ...] = ()
    body: OptionalPackedBytes = _SENT
    content_type: str | None = "application/json"

    def asking(self, **query: str | None) -> "Call":
        """The same call with query parameters set, or removed where the value is None."""
        unchanged = tuple((name, value) for name, value in self.query if name not in query)
        return replace(
            self,
            query=unchanged
            + tuple((name, value) for name, value in query.items() if value is not None),
        )

    def at(self, **path: str) -> "Call":
        """The same call with other path parameters."""
        return replace(self, path={**self.path, **path})

    def carrying(self, document: Any) -> "Call":
        """The same call with a JSON body."""
        return replace(self, body=json.dumps(document).encode())


@dataclass(frozen=True)
class Request:
    """The request as it was sent; header names are in lower case."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: OptionalPackedBytes = _SENT


@dataclass(frozen=True)
class Cut:
    """What is known of a body of which only the beginning is kept, and why it was cut.

    `length` and `sha256` are those of the part that was read; `budget` is the name of the budget.
    """

    length: int
    sha256: str
    reason: str
    budget: str


_BODY = PackedBytes()


@dataclass(frozen=True)
class Response:
    """The response as received; header names are in lower case, the body is decoded.

    Where it was `cut`, the body is its beginning: it is not known whether it is JSON.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: PackedBytes = _BODY
    cut: Cut | None = None

    @property
    def length(self) -> int:
        """The bytes of the body, which is not unpacked for it."""
        return _BODY.length(self)

    @property
    def held(self) -> int:
        """The bytes that the body takes up in memory."""
        return _BODY.held(self)

    def header(self, name: str) -> str | None:
        """The first value of a header, or None."""
        return next((value for key, value in self.headers if key == name), None)

    @property
    def json(self) -> Any:
        """The parsed body, or `MISSING`, also where it was cut.

        NaN and Infinity are not JSON (RFC 8259); a byte order mark is accepted.
        """
        return self._parsed[0]

    @property
    def is_too_deep(self) -> bool:
        """Whether the body is nested too deeply to be parsed: it may be JSON all the same."""
        return self._parsed[1]

    @property
    def is_unreadable(self) -> bool:
        """Whether a rule cannot know what the body is, which is no fault of the target."""
        return self.cut is not None or self.is_too_deep

    @recent(lambda response: PARSED * response.length)
    def _parsed(self) -> tuple[Any, bool]:
        return parse(self.body) if self.cut is None else (MISSING, False)


def parse(body: bytes | str) -> tuple[Any, bool]:
    """A JSON text as a value, or `MISSING`; and whether it is nested too deeply to be parsed."""
    try:
        return orjson.loads(body), False
    except orjson.JSONDecodeError:
        return _parse_leniently(body)


def _parse_leniently(body: bytes | str) -> tuple[Any, bool]:
    # orjson rejects what RFC 8259 allows: lone surrogates, deep nesting, other encodings.
    try:
        value = json.loads(body, parse_constant=_no_constant, parse_int=_whole, parse_float=_finite)
    except ValueError:
        return MISSING, False
    except RecursionError:
        return MISSING, True
    return value, False


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _whole(digits: str) -> float:
    # orjson turns integers past 64 bits into floats; so one number is equal in both parsers.
    whole = int(digits) if len(digits) <= LONGEST_INTEGER else 2**64
    return whole if -(2**63) <= whole < 2**64 else _finite(digits)


def _finite(digits: str) -> float:
    # A number past the range of a float stays integral, which infinity is not.
    return max(-float_info.max, min(float_info.max, float(digits)))


def _word(code: str) -> str:
    # A target may send a code that is meant to fill a report, or to control a terminal.
    shown = code[:LONGEST_CODE]
    return shown if shown == code and code.isprintable() else f"{shown!r}…"


@dataclass(frozen=True)
class Exchange:
    """A call as `credential` by `scheme`, and its outcome: a response, or a `failure` to get one.

    `number` counts the exchanges of one item from 1. `started` is in seconds since the run began,
    `elapsed` in seconds. `in_contract` and `judge_arguments` are those of `Sending`. A
    `superseded` exchange was repeated: the rules check its form, not its status. `is_repeated`
    marks a repetition, `at_once` a request that was sent in the same moment as others.
    """

    item: str
    number: int
    call: Call
    purpose: str
    credential: str | None
    scheme: str | None
    request: Request
    response: Response | None = None
    failure: str | None = None
    started: float = 0.0
    elapsed: float = 0.0
    in_contract: bool = True
    judge_arguments: bool = True
    superseded: bool = False
    is_repeated: bool = False
    at_once: bool = False

    @cached_property
    def id(self) -> str:
        """The name of the exchange in reports."""
        return exchange_id(self.item, self.number)

    @property
    def operation(self) -> str:
        """The operation that was called."""
        return self.call.operation

    @property
    def was_sent(self) -> bool:
        """Whether the request left: the time of a run may end while it waits for its turn."""
        return self.failure is None or not self.failure.startswith(NOT_SENT)

    @property
    def status(self) -> int | None:
        """The status code; None without a response."""
        return self.response.status if self.response else None

    @property
    def body(self) -> bytes:
        """The body of the response, or b""; Inconclusive where it was cut."""
        if self.response is None:
            return b""
        if self.response.cut is not None:
            cut = self.response.cut
            raise Inconclusive(cut.reason, needs=(NEEDS[cut.budget],), exchanges=[self.id])
        return self.response.body

    @property
    def json(self) -> Any:
        """The parsed body of the response, or `MISSING`; Inconclusive where it was cut."""
        return self.response.json if self.response and self.body else MISSING

    @property
    def data(self) -> Any:
        """`data` of a success envelope, or `MISSING`."""
        body = self.json  # read once: a run asks tens of thousands of times
        return body.get("data", MISSING) if isinstance(body, dict) else MISSING

    @property
    def items(self) -> list[dict[str, Any]]:
        """The records of a page; empty where the response is not a page: a rule checks that."""
        data = self.data
        found = data.get("items") if isinstance(data, dict) else None
        return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []

    @property
    def cursor(self) -> str | None:
        """`nextCursor` of a page where it is a string, otherwise None; see `followed`."""
        return followed(self.data, self.id)

    def describe(self) -> str:
        """The outcome in a few words."""
        if self.response is None:
            return f"no response: {self.failure}"
        body = self.response.json
        code = body.get("code") if isinstance(body, dict) else None
        return f"{self.status} {_word(code)}" if isinstance(code, str) else str(self.status)


def followed(page: object, exchange: str) -> str | None:
    """`nextCursor` of a page where it is a string; Inconclusive where it is too long to be sent.

    Each request repeats it, as a URL, and a run remembers its requests.
    """
    found = page.get("nextCursor") if isinstance(page, dict) else None
    if not isinstance(found, str):
        return None
    if len(found) > LONGEST_CURSOR:
        reason = f"a list goes on with a cursor of {len(found):,} characters"
        raise Inconclusive(reason, needs=("cursors that fit a URL",), exchanges=[exchange])
    return found


def exchange_id(item: str, number: int) -> str:
    """The name of an exchange: its item, and its number in the item."""
    return f"{item}#{number}"
