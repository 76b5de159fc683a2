"""The recorded exchanges of a run: who asked for what over HTTP, and what came back.

Only the request as it was sent counts, never what the suite says that it was for.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf
from typing import Any
from urllib.parse import parse_qsl

from conformance.assurance.second import contract as contracts
from conformance.assurance.second.contract import Contract, Operation

UNREADABLE = object()
"""The document of a body that was cut, or is nested too deeply: it may be JSON."""
NO_JSON = object()
"""The document of a body that is not JSON."""

NO_MEANING = frozenset({
    "accept", "accept-encoding", "content-length", "content-type", "traceparent", "user-agent",
    "x-conformance-exchange",
})  # fmt: skip
"""Headers that an ordinary request may have beside its credential."""

GATEWAY = frozenset({408, 425, 499, 502, 503, 504, *range(520, 531), 598, 599})
"""Statuses of gateways in between, unless the body is an error body of the service."""

UUID = re.compile(
    "[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    "|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff",
    re.IGNORECASE,
)
LIMIT = re.compile("[1-9][0-9]?|100")
SEGMENT = re.compile("[A-Za-z0-9_~-]+")
"""A path segment that no server reads in another way."""

LONGEST_NUMBER = 300
"""Digits of a number that is read exactly; a longer one stays a number, which is all that counts"""


class Malformed(ValueError):
    """Evidence that no run has written."""


@dataclass(frozen=True)
class Caller:
    """Who has sent a request, and by which scheme; the name of the profile."""

    name: str
    scheme: str


UNKNOWN = "unknown"
"""The name of a caller whose secret was made up."""


@dataclass(frozen=True)
class Body:
    """The content of a message, without the spaces at its end, and its length in bytes."""

    content: str | bytes
    length: int
    is_whole: bool

    @property
    def value(self) -> Any:
        """Its JSON value, NO_JSON or UNREADABLE."""
        return _parsed(self.content) if self.is_whole else UNREADABLE


@dataclass(frozen=True)
class Exchange:
    """A request to an operation, and its response.

    `subject` is the id in the path. `caller` is None without a credential. `is_plain`: one
    credential at most, no header with a meaning of its own, no parameter twice. `headers` are those
    of the response. The time is in seconds since the run began.
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
        """The cursor of a page, where it has one."""
        found = self.data.get("nextCursor") if isinstance(self.data, dict) else None
        return found if isinstance(found, str) else None

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
        is_error = self.is_json and isinstance(self.document, dict)
        is_own = is_error and not {"code", "requestId"}.isdisjoint(self.document)
        return self.status in GATEWAY and not is_own

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


@dataclass(frozen=True)
class History:
    """What a run has recorded, and the target that it was told about."""

    contract: Contract
    target: Mapping[str, Any]
    exchanges: Sequence[Exchange]
    elsewhere: Mapping[str, float]
    """When each id was first sent to another address, such as that of the tools."""

    def names(self, operation: Operation) -> Mapping[str, str]:
        """The roles of the parameters whose names are certain on this target."""
        return self._names[operation.id]

    @cached_property
    def _names(self) -> Mapping[str, Mapping[str, str]]:
        found = {}
        for operation in self.contract.operations.values():
            named = stated(operation, self.target)
            certain = {*operation.certain, *_declared(operation, self.target)}
            rejected = self._rejected(operation)
            found[operation.id] = {
                name: role for name, role in named.items() if name in certain | rejected
            }
        return found

    def _rejected(self, operation: Operation) -> set[str]:
        """The names whose malformed values the target rejects: it knows what they are."""
        return {
            name
            for each in self.exchanges
            if each.operation is operation and each.status in {400, 422}
            for name, value in each.query
            if value and not UUID.fullmatch(value) and _are_valid(each.query, name)
        }

    def is_known(self, exchange: Exchange) -> bool:
        """Whether a request is plain, and every parameter of it is known by its name."""
        return exchange.is_plain and self._names[exchange.operation.id].keys() >= {
            name for name, _ in exchange.query
        }

    @cached_property
    def served(self) -> Mapping[tuple[object, ...], frozenset[Caller]]:
        """The callers that were served by each request."""
        found: dict[tuple[object, ...], set[Caller]] = {}
        for each in self._successes:
            found.setdefault(each.request, set()).add(each.caller)
        return {request: frozenset(names) for request, names in found.items()}

    @cached_property
    def last_served(self) -> Mapping[Caller, float]:
        """When each caller was served for the last time: its credential was valid until then."""
        return {each.caller: each.began for each in self._successes}

    @cached_property
    def _successes(self) -> Sequence[Any]:
        found = (each for each in self.exchanges if each.is_plain and each.status == 200)
        return sorted(
            (each for each in found if each.caller is not None), key=lambda each: each.began
        )

    @cached_property
    def shown(self) -> Mapping[str, frozenset[str]]:
        """The ids of the records that each caller was shown, in lower case."""
        found: dict[str, set[str]] = {}
        for each in self.exchanges:
            if each.is_plain and each.operation.is_read and each.caller is not None:
                ids = (record["id"].lower() for record in each.records if is_uuid(record.get("id")))
                found.setdefault(each.caller.name, set()).update(ids)
        return {name: frozenset(ids) for name, ids in found.items()}


def read(lines: Iterable[Mapping[str, Any]], target: Mapping[str, Any]) -> History:
    """The exchanges of exchanges.jsonl with operations, over HTTP. Raises Malformed.

    `target` is the document of target.json.
    """
    known, elsewhere = contracts.load(), dict[str, float]()
    try:
        secrets = dict(_secrets(target))
        exchanges = []
        for line in lines:
            found = _exchange(line, known, target, secrets)
            if found is not None:
                exchanges.append(found)
            else:
                _note(elsewhere, line)
    except (LookupError, TypeError, AttributeError, ValueError) as problem:
        raise Malformed(f"{type(problem).__name__}: {problem}") from None
    return History(known, target, exchanges, elsewhere)


def _note(elsewhere: dict[str, float], line: Mapping[str, Any]) -> None:
    for id in UUID.findall((line["request"]["body"] or {}).get("text", "").lower()):
        elsewhere[id] = min(line["started"], elsewhere.get(id, inf))


def is_uuid(value: object) -> bool:
    """Whether a value is a UUID of the contract."""
    return isinstance(value, str) and UUID.fullmatch(value) is not None


@lru_cache(maxsize=200)
def _parsed(content: str | bytes) -> Any:
    # Not all of them are kept: as values, they take five times the memory of their texts.
    text = content.removeprefix("\ufeff") if isinstance(content, str) else content
    try:
        return json.loads(text, parse_constant=_rejected, parse_int=_whole, parse_float=_number)
    except ValueError:
        return NO_JSON
    except RecursionError:
        return UNREADABLE


def _rejected(name: str) -> Any:
    raise ValueError(name)


def _whole(digits: str) -> int:
    return int(digits[:LONGEST_NUMBER])


def _number(text: str) -> float:
    value = float(text)
    return 2.0**1000 if value in {float("inf"), float("-inf")} else value


def stated(operation: Operation, target: Mapping[str, Any]) -> dict[str, str]:
    """The roles of the parameters of an operation, by the names that the profile gives them."""
    renamed = {role: name for id, role, name, _ in target["parameters"] if id == operation.id}
    ours = {name: role for name, role in operation.roles.items() if role not in renamed}
    return ours | {name: role for role, name in renamed.items() if name is not None}


def _declared(operation: Operation, target: Mapping[str, Any]) -> Iterator[str]:
    return (name for id, _, name, said in target["parameters"] if id == operation.id and said)


def _are_valid(query: Sequence[tuple[str, str]], but: str) -> bool:
    others = [(name, value) for name, value in query if name != but]
    return len(others) == len(query) - 1 and all(
        LIMIT.fullmatch(value) if name == "limit" else is_uuid(value) for name, value in others
    )


def _secrets(target: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Caller]]:
    """The callers by the header and value that stand for their secrets."""
    for name, schemes in target["credentials"].items():
        for scheme, secret in schemes.items():
            yield _header(scheme, secret["variable"]), Caller(name, scheme)
    for scheme, variable in (("api-key", "UNKNOWN_API_KEY"), ("bearer", "UNKNOWN_BEARER")):
        yield _header(scheme, variable), Caller(UNKNOWN, scheme)


def _header(scheme: str, variable: str) -> tuple[str, str]:
    if scheme == "api-key":
        return "x-api-key", f"${variable}"
    return "authorization", f"Bearer ${variable}"


def _exchange(
    line: Mapping[str, Any],
    contract: Contract,
    target: Mapping[str, Any],
    secrets: Mapping[tuple[str, str], Caller],
) -> Exchange | None:
    """The exchange of a line; None where it is not one with an operation, or has no response."""
    request, response = line["request"], line.get("response")
    path, _, query = request["url"].partition("?")
    place = _place(contract, request["method"], path, target["base-url"])
    if place is None or response is None or "$" in request["url"]:
        return None
    operation, subject = place
    arguments = parse_qsl(query, keep_blank_values=True)
    headers = [(name, value) for name, value in request["headers"]]
    credentials = [pair for pair in headers if pair[0] in {"x-api-key", "authorization"}]
    callers = [secrets.get(pair) for pair in credentials]
    names = [name for name, _ in arguments]
    sent = request["body"] and _body(request["body"])
    is_plain = (
        len(callers) < 2
        and None not in callers
        and {name for name, _ in headers} <= NO_MEANING | {"x-api-key", "authorization"}
        and len(set(names)) == len(names)
        and _is_of_type(operation, dict(headers), has_body=sent is not None)
    )
    return Exchange(
        id=line["id"],
        item=line["item"],
        operation=operation,
        subject=subject,
        query=arguments,
        sent=sent,
        caller=callers[0] if is_plain and callers else None,
        is_plain=is_plain,
        is_superseded=line.get("superseded", False),
        status=response["status"],
        headers=dict(reversed(response["headers"])),
        body=_body(response["body"]),
        began=line["started"],
        ended=line["started"] + line["elapsed"],
    )


def _place(
    contract: Contract, method: str, path: str, base_url: str
) -> tuple[Operation, str | None] | None:
    """The operation that a path belongs to, and the id in it."""
    below = path.removeprefix(base_url)
    if below == path:
        return None
    for operation in contract.operations.values():
        match = operation.pattern.fullmatch(below)
        if match and operation.method == method:
            subject = match[1] if operation.subject else None
            return (operation, subject) if _is_clear(subject) else None
    return None


def _is_clear(subject: str | None) -> bool:
    return subject is None or SEGMENT.fullmatch(subject) is not None


def _is_of_type(operation: Operation, headers: Mapping[str, str], *, has_body: bool) -> bool:
    """Whether the media type of the request, and those that it accepts, are the usual ones."""
    wanted = headers.get("accept", "*/*") in {"*/*", "application/json"}
    return wanted and (
        headers.get("content-type") == "application/json"
        if has_body and not operation.is_read
        else not has_body and operation.is_read
    )


def _body(stated: Mapping[str, Any]) -> Body:
    sent = stated["text"].encode() if "text" in stated else base64.b64decode(stated["base64"])
    length = stated.get("length", len(sent) + stated.get("padding", 0))
    return Body(stated.get("text", sent), length, "length" not in stated)
