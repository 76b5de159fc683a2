"""One request and what came back, as it is judged and as it is kept."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from sys import float_info
from typing import Any

import orjson

MISSING = object()
"""What `Response.json` is where the body is no JSON text; no JSON value is identical to it."""

AGAIN = "again after"
"""How the purpose begins of a request that was made before, and failed or was throttled."""

LONGEST_INTEGER = 20
"""Characters of the longest integer that has 64 bits."""

LONGEST_CODE = 80


@dataclass(frozen=True)
class Call:
    """What a check asks for: an operation with its arguments. `query` keeps order and repetition; a `body` is sent as it stands."""

    operation: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str | None = "application/json"

    def asking(self, **query: str | None) -> "Call":
        """The same call with query parameters set, or taken away where the value is None."""
        kept = tuple((name, value) for name, value in self.query if name not in query)
        return replace(
            self,
            query=kept + tuple((name, value) for name, value in query.items() if value is not None),
        )

    def at(self, **path: str) -> "Call":
        """The same call with other path parameters."""
        return replace(self, path={**self.path, **path})

    def carrying(self, document: Any) -> "Call":
        """The same call with a JSON body."""
        return replace(self, body=json.dumps(document).encode())


@dataclass(frozen=True)
class Request:
    """The request as it went out; header names in lower case."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None = None


@dataclass(frozen=True)
class Response:
    """The response as it came in; header names in lower case, the body decoded from its content coding."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """The first value of a header, or None."""
        return next((value for key, value in self.headers if key == name), None)

    @property
    def json(self) -> Any:
        """The parsed body, or `MISSING`. NaN and Infinity are no JSON (RFC 8259); a byte order mark is let pass."""
        return self._parsed[0]

    @property
    def is_too_deep(self) -> bool:
        """Whether the body is nested too deeply to be read: then nobody can say that it is no JSON."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[Any, bool]:
        return parse(self.body)


def parse(body: bytes | str) -> tuple[Any, bool]:
    """A JSON text as a value, or `MISSING`, and whether it is nested too deeply to be read; numbers are read alike wherever they stand."""
    try:
        return orjson.loads(body), False
    except orjson.JSONDecodeError:
        return _parse_leniently(body)


def _parse_leniently(body: bytes | str) -> tuple[Any, bool]:
    # orjson is stricter than RFC 8259: it refuses lone surrogates, deep nesting and other encodings than UTF-8.
    try:
        return json.loads(
            body, parse_constant=_no_constant, parse_int=_whole, parse_float=_finite
        ), False
    except ValueError:
        return MISSING, False
    except RecursionError:
        return MISSING, True


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def _whole(digits: str) -> float:
    # Beyond 64 bits orjson makes a float of an integer; the same number in two spellings has to stay the same.
    whole = int(digits) if len(digits) <= LONGEST_INTEGER else 2**64
    return whole if -(2**63) <= whole < 2**64 else _finite(digits)


def _finite(digits: str) -> float:
    # A number beyond the range of a float is as whole as the largest one within it, and infinity is not.
    return max(-float_info.max, min(float_info.max, float(digits)))


def _word(code: str) -> str:
    # A code that a target made up for a reader's screen, or to fill a report, is cut and escaped.
    shown = code[:LONGEST_CODE]
    return shown if shown == code and code.isprintable() else f"{shown!r}…"


@dataclass(frozen=True)
class Exchange:
    """A call, made as `credential` by `scheme`, and its outcome: a response, or the `failure` of the connection.

    `number` counts the exchanges of one item from 1; with the item's id it names the exchange. `started` and `elapsed`
    are seconds since the run began. `in_contract` is false for requests outside the contract, which are recorded but not judged.
    `judge_arguments` is false where more than its arguments may speak against a request: the answer to them is not judged.
    `superseded` exchanges were tried again: their form is judged, their status is not.
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

    @cached_property
    def id(self) -> str:
        """The name of the exchange in reports: the item and the number in it."""
        return exchange_id(self.item, self.number)

    @property
    def operation(self) -> str:
        """The operation that was called."""
        return self.call.operation

    @property
    def status(self) -> int | None:
        """The status code, or None where no response came."""
        return self.response.status if self.response else None

    @property
    def json(self) -> Any:
        """The parsed body of the response, or `MISSING`."""
        return self.response.json if self.response else MISSING

    @cached_property
    def data(self) -> Any:
        """`data` of a success envelope, or `MISSING`."""
        return self.json.get("data", MISSING) if isinstance(self.json, dict) else MISSING

    @cached_property
    def items(self) -> list[dict[str, Any]]:
        """The records of a page; empty where the answer is no page, since its form is judged elsewhere."""
        found = self.data.get("items") if isinstance(self.data, dict) else None
        return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []

    @property
    def cursor(self) -> str | None:
        """`nextCursor` of a page where it is a string, otherwise None."""
        found = self.data.get("nextCursor") if isinstance(self.data, dict) else None
        return found if isinstance(found, str) else None

    def describe(self) -> str:
        """What came, in a few words."""
        if self.response is None:
            return f"no response: {self.failure}"
        code = self.json.get("code") if isinstance(self.json, dict) else None
        return f"{self.status} {_word(code)}" if isinstance(code, str) else str(self.status)


def exchange_id(item: str, number: int) -> str:
    """The name of an exchange: the item of the run that caused it, and its number in it."""
    return f"{item}#{number}"
