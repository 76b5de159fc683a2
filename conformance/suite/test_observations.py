"""Observations: how a target behaves where the specification is silent (Gaps). No verdict."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers.forged_credentials import header_of, made_up
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.data_conditions import Condition, at_the_beginning, unmet
from conformance.suite.lists.live import Live
from conformance.suite.lists.order import order
from conformance.suite.lists.pagination import PAGE, Pagination
from conformance.suite.lists.parts import is_too_long, parts

FORMATS = {
    "RFC 3339, UTC": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"),
    "RFC 3339, with an offset": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d"),
    "a number of seconds or milliseconds": re.compile(r"\d+(\.\d+)?"),
}
VOCABULARIES = re.compile(
    r"status|kind|subjectType|requestedAudience|language|.*Status|sourceLanguage"
)
REASON = "approvalUnavailableReason"
MOST_VALUES = 40
OTHER_NOTATIONS = ("1e1", "10.0", " 10")
"""Notations of a limit in range of which it is open whether they are integers."""
REVIEWS = "review_list"
SORT_KEYS = ("createdAt", "updatedAt", "name", "id", "startUs")


@requirement("observe/formats")
def test_formats_and_vocabularies(operation: Operation, live: Live) -> None:
    """The formats of timestamps, and the values of the open vocabularies."""
    found: dict[str, set[str]] = {}
    (response,) = _responses(operation, live, 1)
    for record in _objects(response.data):
        strings = {name: value for name, value in record.items() if isinstance(value, str)}
        for name, value in strings.items():
            if name.endswith("At"):
                found.setdefault(f"format of {name}", set()).add(_format(value))
            elif VOCABULARIES.fullmatch(name):
                found.setdefault(f"values of {name}", set()).add(value)
        if record.get("approvable") is True:
            found.setdefault(f"{REASON} of an approvable review", set()).add(_reason(record))
    for subject, values in found.items():
        shown = sorted(values)[:MOST_VALUES]
        live.session.observe("observe/formats", f"{operation.id}: {subject}", shown)


def _reason(review: dict[str, Any]) -> str:
    """What stands in place of a reason why a review cannot be approved, where it can."""
    if REASON not in review:
        return "absent"
    return {None: "null", "": "empty"}.get(review[REASON], "a text")


def _format(value: str) -> str:
    matching = (name for name, pattern in FORMATS.items() if pattern.fullmatch(value))
    return next(matching, "another format")


def _objects(data: object) -> Iterator[dict[str, Any]]:
    """Every JSON object in the data of a response, nested ones included."""
    waiting = [data]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


@requirement("observe/extra-members")
def test_properties_beyond_the_contract(operation: Operation, live: Live) -> None:
    """Properties that the contract does not name, where it allows them."""
    named = live.session.contract.schema(operation.resource)["properties"]
    (response,) = _responses(operation, live, 1)
    records = response.items if operation.is_list else [response.data]
    names = {name for record in records if isinstance(record, dict) for name in record}
    extra = sorted(name for name in names if name not in named)
    if extra:
        live.session.observe("observe/extra-members", operation.id, extra[:MOST_VALUES])


@requirement("observe/request-ids")
def test_request_ids(operation: Operation, live: Live) -> None:
    """Whether two responses have different request ids."""
    if operation.writes:
        return
    first, second = map(_request_id, _responses(operation, live, 2))
    uniqueness = "unique" if first != second else "repeated"
    live.session.observe("observe/request-ids", operation.id, uniqueness)


def _request_id(response: Exchange) -> object:
    return response.json.get("requestId") if isinstance(response.json, dict) else None


@requirement("observe/order")
def test_order_default_and_end(operation: Operation, live: Live) -> None:
    """The apparent order of a list, its default limit, and the form of its last page."""
    call = live.call(operation)
    whole = live.paginations.read(call, PAGE)
    for name in SORT_KEYS:
        direction = order([record.get(name) for record in whole.records])
        if direction:
            subject = f"{operation.id}: order"
            live.session.observe("observe/order", subject, f"{name} {direction}")
    plain = live.callers.send(call, purpose="without a limit")
    if plain.cursor is not None:
        subject = f"{operation.id}: records of a page without a limit"
        live.session.observe("observe/order", subject, len(plain.items))
    if whole.is_whole:
        live.session.observe("observe/order", f"{operation.id}: end", _end(whole))


def _end(pagination: Pagination) -> str:
    """The form of the last page."""
    last = pagination.pages[-1]
    if not last.items:
        return "an empty page"
    return "null" if "nextCursor" in last.data else "no nextCursor"


@requirement("observe/data")
def test_what_the_data_does_not_exercise(operation: Operation, live: Live) -> None:
    """What no list of the target has, so that some defects of lists cannot show."""
    lists = [live.paginations.read(live.call(operation), PAGE).records]
    if "{" in operation.path:
        lists += [page.items for page in live.children(operation.id).values()]
    for condition in (*unmet(lists, are_below="{" in operation.path), *_unmet(operation, live)):
        subject = f"{operation.id}: {condition.lacking}"
        live.session.observe("observe/data", subject, condition.remedy)


def _unmet(operation: Operation, live: Live) -> Iterator[Condition]:
    """What the reviews that may be approved lack: clients read the first page again after it."""
    ids = {id.lower() for id in live.session.target.fixtures.approvable_reviews}
    if operation.id == REVIEWS and ids:
        beginning = at_the_beginning(ids)
        if not beginning.is_met(live.callers.baseline(Call(REVIEWS)).items):
            yield beginning


@requirement("observe/parts")
def test_lists_that_are_too_long_to_be_read_whole(operation: Operation, live: Live) -> None:
    """What was read of a list in place of all of it."""
    longest = live.paginations.read(live.call(operation), PAGE)
    if not is_too_long(longest):
        return
    shown = {"the beginning": len(longest.ids)}
    for part in parts(operation, live):
        filters = " and ".join(f"{name} {value}" for name, value in part.call.query)
        shown[filters] = len(part.ids)
    live.session.observe("observe/parts", f"{operation.id}: records that were read", shown)


@requirement("observe/cursor")
def test_a_cursor_that_was_never_issued(operation: Operation, live: Live) -> None:
    """The response to a made-up UUID as the cursor."""
    name = live.session.name(operation, "cursor")
    if name is None:
        return
    call = live.call(operation).asking(**{name: live.made_up("cursor")})
    response = live.callers.send(call, purpose="a made-up cursor")
    count = len(response.items)
    items = "1 item" if count == 1 else f"{count} items"
    live.session.observe("observe/cursor", operation.id, f"{response.describe()}, {items}")


@requirement("observe/parameters")
def test_an_unknown_query_parameter(operation: Operation, live: Live) -> None:
    """The response to a query parameter that the contract does not name, and to odd limits."""
    call = live.call(operation).asking(unknownParameter="1")
    primary = live.callers.credential("primary")
    sending = Sending(primary, purpose="an unknown parameter", in_contract=False)
    response = live.session.client.send(call, sending)
    live.session.observe("observe/parameters", operation.id, response.describe())
    for limit in OTHER_NOTATIONS if operation.is_list else ():
        written = live.callers.send(live.call(operation).asking(limit=limit))
        subject = f"{operation.id}: limit={limit!r}"
        live.session.observe("observe/parameters", subject, written.describe())


@requirement("observe/both-credentials")
def test_two_credentials_together(operation: Operation, live: Live) -> None:
    """The responses to a valid credential beside a made-up one, and to the made-up one alone."""
    primary = live.callers.credential("primary")
    for scheme in primary.schemes:
        other = "bearer" if scheme == "api-key" else "api-key"
        forged = made_up(live.session, other)
        header = header_of(other, forged.secret(other))
        purpose = f"a valid {scheme} beside a made-up {other}"
        both = Sending(primary, scheme, purpose, headers=(header,), in_contract=False)
        alone = replace(both, credential=forged, scheme=other, headers=())
        for subject, sending in ((purpose, both), (f"a made-up {other}", alone)):
            response = live.session.client.send(Call(operation.id), sending)
            live.session.observe("observe/both-credentials", subject, response.describe())


def _responses(operation: Operation, live: Live, count: int) -> list[Exchange]:
    """Successful responses to a valid call; Inconclusive without them."""
    call = live.call(operation)
    calls = [call.asking(limit=str(PAGE)) if operation.is_list else call] * count
    responses = live.callers.send_all(calls, "to be observed")
    for response in responses:
        if response.status != 200:
            raise Inconclusive(
                f"{operation.id} returned {response.describe()}", exchanges=[response.id]
            )
    return responses
