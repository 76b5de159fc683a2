"""Edits that make the reference respond as a vendor's product did, as far as a finding shows it.

A finding shows one response. What follows from it is a status, a header or a property; under which
condition a product responds so, and what a request has changed, does not follow, and is left to the
vendor.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformance.assurance.selftest.altered import Edit
from conformance.contract import openapi
from conformance.contract.pointer import steps
from conformance.contract.verdict import Kind, Part
from conformance.report import recorded_body
from conformance.report.document_types import ExchangeEntry, FindingEntry, LocationEntry

PERFORMED = "return self._handlers[operation.id](caller, given)"
FAILED = 'await transmit(self._response(error), send, bodiless=scope["method"] == "HEAD")'
TYPE = '        "content-type": CONTENT_TYPE,'
OF_TOOL = """\
    if result["isError"]:
        result.pop("structuredContent", None)
"""
BEFORE_SERVICE = "\n\nclass Service:\n"
BEFORE_ROUTES = "\n\ndef _routes("
"""Texts of the reference's modules that the edits replace; HTTP and tools share `service`."""

OF_BODY = '''

def _as_appealed(operation: str, data: Json) -> Json:
    """The data of these operations, as the product under appeal shows it."""
    from copy import deepcopy

    if operation not in {operations!r}:
        return data
    copy = deepcopy(data)
    places = {places}
    for step in {steps!r}:
        places = [part for place in places for part in _parts(place, step)]
    for place in places:
        if isinstance(place, dict):
            {change}
    return copy


def _parts(place: object, step: str) -> list[object]:
    if isinstance(place, list):
        return place
    return [place[step]] if isinstance(place, dict) and step in place else []
'''
RECORDS = 'copy["items"] if "items" in copy else [copy]'
PAGE = "[copy]"
OF_STATUS = '''

def _as_appealed(response: Response, scope: Scope) -> Response:
    """The error response of this operation, with the status of the product under appeal."""
    from re import fullmatch

    is_meant = scope["method"] == {method!r} and fullmatch({path!r}, scope["path"])
    if is_meant and response.status in {allowed!r}:
        return Response({status!r}, response.body, response.headers)
    return response
'''


class Underivable(ValueError):
    """A finding from which no edit follows; str() has the reason."""


@dataclass(frozen=True)
class Derived:
    """The edits, and what they do beyond the one response that the finding shows."""

    edits: tuple[Edit, ...]
    caution: str


def derive(found: FindingEntry, exchange: ExchangeEntry) -> Derived:
    """The edits that follow from a finding and one of its exchanges. Raises Underivable."""
    response, places = exchange.get("response"), list(_places(found, exchange))
    if not response or not places:
        raise Underivable("the finding has no place in this response")
    place = places[0]
    if "jsonrpc" in (exchange["request"].get("body") or {}).get("text", ""):
        return _tool_error(exchange)
    if place["part"] == Part.STATUS:
        return _status(found, exchange, response["status"])
    if place["part"] == Part.HEADER:
        return _header(place["name"], dict(map(tuple, response["headers"])))  # type: ignore[arg-type]
    return _property(found, exchange, place["name"])


def _places(found: FindingEntry, exchange: ExchangeEntry) -> Iterator[LocationEntry]:
    last = found["exchanges"][-1]["id"]
    for place in found["defect"]["where"] if "defect" in found else ():
        if (place["exchange"] or last) == exchange["id"]:
            yield place


def _status(found: FindingEntry, exchange: ExchangeEntry, status: int) -> Derived:
    """Another status than those that the reference gives: only between two errors."""
    stated = found["defect"]["values"].get("allowed", ())
    allowed = tuple(each for each in stated if isinstance(each, int) and each >= 400)
    if status < 400 or found["defect"]["kind"] == Kind.ACCEPTED or not allowed:
        raise Underivable(
            f"the product responds {status}: what it has done, or under which condition it rejects"
            " the request, does not follow from one response"
        )
    operation = openapi.load().operation(exchange["operation"])
    path = "/v1" + re.sub(r"\{[^}]*\}", "[^/]+", operation.path)
    text = OF_STATUS.format(method=operation.method, path=path, allowed=allowed, status=status)
    shown = ", ".join(map(str, allowed))
    return Derived(
        (
            Edit("app", FAILED, FAILED.replace("self._response(error)", _CALL_OF_STATUS)),
            Edit("app", BEFORE_ROUTES, text + BEFORE_ROUTES),
        ),
        f"every {shown} of {operation.id} becomes {status}, also for other reasons than the one of"
        " this exchange: narrow the edit to the condition of your product",
    )


_CALL_OF_STATUS = "_as_appealed(self._response(error), scope)"


def _tool_error(exchange: ExchangeEntry) -> Derived:
    """Another error result of a tool. Data that it serves are those of HTTP: see `_property`."""
    body, id = _body(exchange), exchange["operation"]
    result = body.get("result") if isinstance(body, dict) else None
    if not isinstance(result, dict) or result.get("isError") is not True:
        raise Underivable(
            "the tool has returned no error result: appeal with an exchange over HTTP of the same"
            " requirement where there is one, since HTTP and the tools share their data"
        )
    new = f"""\
    if result["isError"] and tool.operation.id == {id!r}:
        return {result!r}
{OF_TOOL}"""
    return Derived(
        (Edit("tools", OF_TOOL, new),),
        f"every error result of the tool {id} becomes this one, also for other reasons than the one"
        " of this exchange: narrow the edit to the condition of your product",
    )


def _header(name: str, headers: dict[str, str]) -> Derived:
    """Another value of a header, or none, on every response."""
    if name == "content-type":
        new = f'        "content-type": {headers[name]!r},' if name in headers else ""
        edit = Edit("responses", TYPE, new or "        # no Content-Type")
        return Derived((edit,), "every response has this Content-Type: narrow the edit if need be")
    raise Underivable(f"the reference sets {name} in several places")


def _property(found: FindingEntry, exchange: ExchangeEntry, pointer: str) -> Derived:
    """A property that the product leaves out, adds, or gives another type or value."""
    kind, path = found["defect"]["kind"], list(steps(pointer))
    if exchange["request"]["method"] != "GET" or path[:1] != ["data"]:
        raise Underivable("the finding is not about the data of a read by HTTP")
    data = _body(exchange)
    names = found["defect"]["fields"]
    if kind == Kind.ABSENT and names:
        change = f"[place.pop(name, None) for name in {names!r}]"
    elif kind == Kind.EXTRA and names:
        path = path[:-1] if path[-1] in names else path  # the place may be that of the property
        change = f"place.update({ {name: _at(data, [*path, name]) for name in names}!r})"
    elif kind == Kind.VALUE and len(path) > 1:
        change = f"place[{path[-1]!r}] = {_at(data, path)!r}"
        path = path[:-1]
    else:
        raise Underivable(f"a defect of the kind {kind!r} is about more than one response")
    shown = _operations(exchange["operation"], of_page=_is_of_page(exchange, path))
    inside = path[3:] if path[1:2] == ["items"] else path[1:]
    places = PAGE if _is_of_page(exchange, path) else RECORDS
    text = OF_BODY.format(operations=shown, places=places, steps=inside, change=change)
    performed = PERFORMED.removeprefix("return ")
    return Derived(
        (
            Edit("service", PERFORMED, f"return _as_appealed(operation.id, {performed})"),
            Edit("service", BEFORE_SERVICE, text + BEFORE_SERVICE),
        ),
        f"everything at this place of {', '.join(shown)} is shown so, by HTTP and by the tools:"
        " narrow the edit to the condition of your product",
    )


def _is_of_page(exchange: ExchangeEntry, path: list[str]) -> bool:
    """Whether a place belongs to a page, and not to a record on it."""
    return openapi.load().operation(exchange["operation"]).is_list and path[1:2] != ["items"]


def _operations(id: str, *, of_page: bool) -> tuple[str, ...]:
    """The reads that show the same records: they have to agree."""
    contract = openapi.load()
    meant = contract.operation(id)
    reads = (each for each in contract.operations.values() if not each.writes)
    return (id,) if of_page else tuple(e.id for e in reads if e.resource == meant.resource)


def _body(exchange: ExchangeEntry) -> Any:
    return recorded_body.value(exchange.get("response"), None)


def _at(value: Any, path: list[str]) -> Any:
    try:
        for step in path:
            value = value[int(step)] if isinstance(value, list) else value[step]
    except (LookupError, TypeError, ValueError):
        raise Underivable("the recorded body has no such place") from None
    return value
