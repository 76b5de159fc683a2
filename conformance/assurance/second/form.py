"""The form of a response: status, media type, envelope, error body, and the records in it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from functools import cached_property
from hashlib import blake2b
from typing import Any
from urllib.parse import quote

from jsonschema import Draft202012Validator

from conformance.assurance.second.contract import Contract
from conformance.assurance.second.exchange import NO_JSON, UNREADABLE, Exchange
from conformance.assurance.second.history import History
from conformance.assurance.second.ruling import Rulings, meets, ruling

NAMES = {
    "Account": "account", "Project": "project", "Video": "video", "Localization": "localization",
    "Review": "review", "Comment": "comment", "Reply": "reply", "ActivityItem": "activity",
}  # fmt: skip
"""The area of the requirements about each kind of record."""
ASPECTS = {"required": "required", "additionalProperties": "closed", "enum": "type"}
VALUES = {
    "Uuid": "representation/uuid",
    "Cursor": "representation/uuid",
    "Count": "representation/count",
}
RESULT = "ReviewApproval"

LONGEST_VALUE, LONGEST_VALUES = 200, 800
"""Characters of a value, and of all values of a request as an address has them."""
GONE, GATEWAY_TIMEOUT = 410, 504
MOST_RECORDS, MOST_OCTETS = 20_000, 8_000_000
"""Different records that are validated, and their octets: a second for a thousand of them."""

Flaw = tuple[tuple[str, ...], str]
"""The requirements that a flaw may belong to, and its words."""


class Form:
    """The judge of the form of every response; what was seen once is not validated again."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._known: dict[tuple[str, bytes], Sequence[Flaw]] = {}
        self._octets = 0

    def rulings(self, exchange: Exchange, history: History) -> Rulings:
        """The rulings on the response to a request that the contract gives a meaning to."""
        if not history.is_known(exchange) or not _is_usual(exchange):
            return
        if exchange.is_of_gateway or exchange.status == GATEWAY_TIMEOUT:
            return
        is_documented = exchange.status in self._contract.statuses
        yield meets("response/status", exchange, is_documented, f"status {exchange.status}")
        if not is_documented:
            return
        flaw = f"the media type is {exchange.headers.get('content-type', 'absent'):.40}"
        yield meets("response/content-type", exchange, exchange.is_json, flaw)
        yield from _headers(exchange)
        if exchange.document is UNREADABLE:
            return
        is_json = exchange.document is not NO_JSON
        yield meets("response/json", exchange, is_json, "the body is not JSON")
        if is_json:
            yield from self._success(exchange) if exchange.status == 200 else _error(exchange)

    def _success(self, exchange: Exchange) -> Rulings:
        document = exchange.document
        has_data = isinstance(document, dict) and "data" in document
        yield meets("envelope/data", exchange, has_data, "a success without data")
        if isinstance(document, dict):
            name = document.get("requestId")
            is_text = isinstance(name, str)
            yield meets("envelope/request-id", exchange, is_text, "the requestId is no string")
        if not has_data:
            return
        if exchange.operation.is_list:
            yield from self._page(exchange, document["data"])
        else:
            yield from self._records(exchange, [document["data"]])

    def _page(self, exchange: Exchange, data: Any) -> Rulings:
        page = data if isinstance(data, dict) else {}
        items = page.get("items")
        has_items = isinstance(items, list)
        yield meets("page/items", exchange, has_items, "data has no array of items")
        stated = exchange.operation.page or {}
        if "nextCursor" in stated["required"] and isinstance(data, dict):
            is_there = "nextCursor" in page
            yield meets("page/next-cursor-present", exchange, is_there, "no nextCursor")
        if isinstance(data, dict):
            schema = stated["properties"]["nextCursor"]
            fits = "nextCursor" not in page or self._validator(schema).is_valid(page["nextCursor"])
            yield meets("page/next-cursor", exchange, fits, "nextCursor is no UUID, nor null")
        if isinstance(items, list):
            yield from self._records(exchange, items)

    def _records(self, exchange: Exchange, records: Sequence[Any]) -> Rulings:
        component = exchange.operation.component
        found = [self._flaws(component, each) for each in records]
        flaws = {names: flaw for each in found for names, flaw in each or ()}
        for (requirement, *others), flaw in flaws.items():
            yield ruling(requirement, exchange, flaw, *others)
        if None in found:
            return
        violated = {name for names in flaws for name in names}
        for requirement in set(_about(component, records)) - violated:
            yield ruling(requirement, exchange)

    def _flaws(self, component: str, record: Any) -> Sequence[Flaw] | None:
        """The defects of a record, one of each kind; None where it is too large to be validated."""
        text = json.dumps(record, sort_keys=True).encode()
        key = component, blake2b(text, digest_size=16).digest()
        if key not in self._known:
            self._octets += len(text)
            if len(self._known) >= MOST_RECORDS or self._octets > MOST_OCTETS:
                return None
            errors = self._validators[component].iter_errors(record)
            named = {self._named(component, each): _words(each) for each in errors}
            self._known[key] = tuple(named.items())
        return self._known[key]

    def _named(self, component: str, error: Any) -> tuple[str, ...]:
        """The requirement that a schema's rejection belongs to, and those that it may belong to."""
        if component == RESULT:
            return ("approval/result",)
        kinds = [component, *self._passed(component, error.absolute_schema_path)]
        area = next(NAMES[kind] for kind in reversed(kinds) if kind in NAMES)
        general = f"{area}/{ASPECTS.get(error.validator, 'fields')}"
        special = VALUES.get(kinds[-1])
        if special is None:
            return (general,)
        return (general, special) if error.validator == "type" else (special, general)

    def _passed(self, component: str, path: Sequence[str | int]) -> Iterator[str]:
        """The names of the schemas on the way to a keyword; the way does not name references."""
        node: Any = self._contract.schemas[component]
        for step in path:
            while "$ref" in node:
                name = node["$ref"].rpartition("/")[2]
                yield name
                node = self._contract.schemas[name]
            node = node[step]

    @cached_property
    def _validators(self) -> Mapping[str, Any]:
        return {
            name: self._validator({"$ref": f"#/components/schemas/{name}"})
            for name in (*NAMES, RESULT)
        }

    def _validator(self, schema: Mapping[str, Any]) -> Any:
        schemas = {"components": {"schemas": self._contract.schemas}}
        return Draft202012Validator({**schema, **schemas})


def _is_usual(exchange: Exchange) -> bool:
    """Whether it has no value that a server may reject with a status that is not specified."""
    sent = exchange.sent.value if exchange.sent else None
    values = [exchange.subject or "", *(value for _, value in exchange.query)]
    is_short = max(map(len, values)) <= LONGEST_VALUE
    is_short = is_short and len(quote("".join(values), safe="")) <= LONGEST_VALUES
    # How long a cursor lives is not specified.
    may_have_aged = exchange.status == GONE and any(name != "limit" for name, _ in exchange.query)
    if may_have_aged and exchange.operation.is_list:
        return False
    return is_short and sent is not NO_JSON and sent is not UNREADABLE


def _headers(exchange: Exchange) -> Rulings:
    if exchange.status == 401:
        is_named = "www-authenticate" in exchange.headers
        yield meets("authentication/challenge", exchange, is_named, "401 without WWW-Authenticate")
    if exchange.status == 429:
        delay = exchange.headers.get("retry-after", "").strip()
        yield meets("limits/retry-after", exchange, bool(delay), "429 without Retry-After")
        if delay and not _is_delay(delay):
            yield ruling("limits/retry-after-form", exchange, f"Retry-After is {delay!r:.40}")


def _is_delay(text: str) -> bool:
    try:
        return text.isdecimal() or parsedate_to_datetime(text) is not None
    except ValueError:
        return False


def _error(exchange: Exchange) -> Rulings:
    body = exchange.document
    yield meets("error/object", exchange, isinstance(body, dict), "the error body is no object")
    if not isinstance(body, dict):
        return
    for name, requirement in (("code", "error/code"), ("requestId", "error/request-id")):
        is_text = isinstance(body.get(name), str)
        yield meets(requirement, exchange, is_text, f"the error has no {name} that is a string")
    for name in ("message", "title"):
        is_text = isinstance(body.get(name, ""), str)
        yield meets(f"error/{name}", exchange, is_text, f"the {name} of the error is no string")


def _about(component: str, records: Sequence[Any]) -> Iterator[str]:
    """The requirements that records of a kind are about."""
    if not records:
        return
    if component == RESULT:
        yield "approval/result"
        return
    yield f"{NAMES[component]}/fields"
    yield "representation/uuid"
    if component in {"Account", "Project"}:
        yield f"{NAMES[component]}/required"
        yield f"{NAMES[component]}/closed"
        yield "account/type" if component == "Account" else "representation/count"
    for name, nested in (("localizations", "localization"), ("replies", "reply")):
        if any(isinstance(each, dict) and each.get(name) for each in records):
            yield f"{nested}/fields"


def _words(error: Any) -> str:
    place = "/".join(map(str, error.absolute_path)) or "the record"
    return f"{place}: {error.validator}: {error.message}"[:200]
