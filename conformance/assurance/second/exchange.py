"""One recorded exchange over HTTP: who asked for what, and what came back.

Only the request as it was sent counts, never what the suite says that it was for. Bodies stay in
the recording, and are read where a ruling needs them: all of them as values would take gigabytes.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from conformance.assurance.second.contract import Operation

UNREADABLE = object()
"""The document of a body that was cut, or is nested too deeply: it may be JSON."""
NO_JSON = object()
"""The document of a body that is not JSON."""

GATEWAY = frozenset({408, 425, 499, 502, 503, 504, *range(520, 531), 598, 599})
"""Statuses of gateways in between, unless the body is an error body of the service."""

UUID = re.compile(
    "[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    "|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff",
    re.IGNORECASE,
)
LIMIT = re.compile("[1-9][0-9]?|100")
LONGEST_NUMBER = 300
"""Digits of a number that is read exactly; a longer one stays a number, which is all that counts"""

LONGEST_BODY = 8 * 1024 * 1024
MOST_VALUES = 200_000
"""A run reads no longer response, nor one of more values."""
LONGEST_CURSOR = 2_000
SHORT = 16 * 1024
"""Bytes of a line whose bodies are kept as values for a while."""


@dataclass(frozen=True)
class Caller:
    """Who has sent a request, and by which scheme; the name of the profile."""

    name: str
    scheme: str


UNKNOWN = "unknown"
"""The name of a caller whose secret was made up."""


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a message, without the spaces at its end, and its length in bytes.

    `line` is that of the recording, and `message` the part of it; the digest says which are equal.
    """

    digest: bytes
    length: int
    is_whole: bool
    line: memoryview = field(compare=False, repr=False)
    message: str = field(compare=False)

    @property
    def value(self) -> Any:
        """Its JSON value, NO_JSON or UNREADABLE."""
        if not self.is_whole:
            return UNREADABLE
        return (_short if len(self.line) <= SHORT else _long)(self)

    @property
    def content(self) -> str | bytes:
        """What was recorded of it."""
        return content(orjson.loads(self.line)[self.message]["body"])


def content(stated: Mapping[str, Any]) -> str | bytes:
    """The content of a body in a recording."""
    text: str | None = stated.get("text")
    return base64.b64decode(stated["base64"]) if text is None else text


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request to an operation, and its response.

    `subject` is the id in the path. `caller` is None without a credential. `is_plain`: one
    credential at most, no header with a meaning of its own, no parameter twice. `headers` are those
    of the response that something is stated about. The time is in seconds since the run began.
    """

    id: str
    item: str
    operation: Operation
    subject: str | None
    query: Sequence[tuple[str, str]]
    sent: Body | None
    caller: Caller | None
    is_plain: bool
    is_superseded: bool
    status: int
    headers: Mapping[str, str]
    body: Body
    began: float
    ended: float

    @property
    def document(self) -> Any:
        """The JSON value of the response, NO_JSON or UNREADABLE."""
        return self.body.value

    @property
    def data(self) -> Any:
        """The data of a success; None of anything else."""
        is_success = self.status == 200 and isinstance(self.document, dict)
        return self.document.get("data") if is_success else None

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The records that a success shows."""
        shown = [self.data]
        if self.operation.is_list:
            items = self.data.get("items") if isinstance(self.data, dict) else None
            shown = items if isinstance(items, list) else []
        return [each for each in shown if isinstance(each, dict)]

    @property
    def cursor(self) -> str | None:
        """The cursor of a page, where it has one that a URL carries."""
        found = self.data.get("nextCursor") if isinstance(self.data, dict) else None
        return found if isinstance(found, str) and len(found) <= LONGEST_CURSOR else None

    @property
    def is_success(self) -> bool:
        """Whether the request was served."""
        return 200 <= self.status < 300

    @property
    def is_json(self) -> bool:
        """Whether the media type of the response is that of JSON."""
        stated = self.headers.get("content-type", "")
        return stated.partition(";")[0].strip().lower() == "application/json"

    @property
    def is_of_gateway(self) -> bool:
        """Whether a gateway in between has responded: its body is no error body."""
        if self.status not in GATEWAY:
            return False
        is_error = self.is_json and isinstance(self.document, dict)
        return not is_error or {"code", "requestId"}.isdisjoint(self.document)

    @property
    def is_transient(self) -> bool:
        """Whether another response was due, and a gateway, a limit or an outage was in the way."""
        return self.is_superseded or self.status in {429, 500, 503, 504} or self.is_of_gateway

    @property
    def request(self) -> tuple[object, ...]:
        """What the same request of another caller has in common with this one."""
        return self.operation.id, self.subject, tuple(self.query), self.sent

    def values(self, role: str, names: Mapping[str, str]) -> list[str]:
        """The arguments with a role, by the names of the target."""
        return [value for name, value in self.query if names.get(name) == role]


def is_uuid(value: object) -> bool:
    """Whether a value is a UUID of the contract."""
    return isinstance(value, str) and UUID.fullmatch(value) is not None


@lru_cache(maxsize=200)
def _short(body: Body) -> Any:
    return _parsed(body.content)


@lru_cache(maxsize=1)
def _long(body: Body) -> Any:
    return _parsed(body.content)


def _parsed(content: str | bytes) -> Any:
    text = content.removeprefix("\ufeff") if isinstance(content, str) else content
    if len(text) > LONGEST_BODY or _marks(text) > MOST_VALUES:
        return UNREADABLE
    try:
        return json.loads(text, parse_constant=_rejected, parse_int=_whole, parse_float=_number)
    except ValueError:
        return NO_JSON
    except RecursionError:
        return UNREADABLE


def _marks(text: str | bytes) -> int:
    """At least as many as a text has JSON values, but for one."""
    counted = text.encode(errors="replace") if isinstance(text, str) else text
    return sum(map(counted.count, (b",", b"[", b"{")))


def _rejected(name: str) -> Any:
    raise ValueError(name)


def _whole(digits: str) -> int:
    return int(digits[:LONGEST_NUMBER])


def _number(text: str) -> float:
    value = float(text)
    return 2.0**1000 if value in {float("inf"), float("-inf")} else value
