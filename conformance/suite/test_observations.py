"""What a target does where the specification is silent: written down, never judged (Gaps)."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers.forged_credentials import made_up
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

FORMATS = {
    "RFC 3339, UTC": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"),
    "RFC 3339, with an offset": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d"),
    "a number of seconds or milliseconds": re.compile(r"\d+(\.\d+)?"),
}
VOCABULARIES = re.compile(
    r"status|kind|subjectType|requestedAudience|language|.*Status|sourceLanguage"
)
MOST_VALUES = 40


@requirement("observe/formats")
def test_formats_and_vocabularies(operation: Operation, live: Live) -> None:
    """Which forms timestamps have, and which words stand in the open vocabularies."""
    found: dict[str, set[str]] = {}
    for record in _everything(_answer(operation, live)):
        for name, value in record.items():
            if isinstance(value, str) and name.endswith("At"):
                found.setdefault(f"format of {name}", set()).add(_format(value))
            elif isinstance(value, str) and VOCABULARIES.fullmatch(name):
                found.setdefault(f"values of {name}", set()).add(value)
    for what, values in found.items():
        _observe(live, "observe/formats", f"{operation.id}: {what}", sorted(values)[:MOST_VALUES])


@requirement("observe/extra-members")
def test_members_beyond_the_contract(operation: Operation, live: Live) -> None:
    """Members that the contract does not name, where it allows them."""
    properties = live.session.contract.schema(operation.resource)["properties"]
    answer = _answer(operation, live)
    records = (
        answer.items
        if operation.is_list
        else [answer.data]
        if isinstance(answer.data, dict)
        else []
    )
    extra = sorted({name for record in records for name in record if name not in properties})
    if extra:
        _observe(live, "observe/extra-members", operation.id, extra[:MOST_VALUES])


@requirement("observe/request-ids")
def test_request_ids(operation: Operation, live: Live) -> None:
    """Whether two answers have different request ids."""
    if operation.writes:
        return
    ids = [_request_id(answer) for answer in _answers(operation, live, 2)]
    _observe(
        live, "observe/request-ids", operation.id, "unique" if ids[0] != ids[1] else "repeated"
    )


@requirement("observe/order")
def test_order_default_and_end(operation: Operation, live: Live) -> None:
    """By what lists seem to be ordered, how long a page is without a limit, and how the last page says so."""
    call = live.call(operation)
    whole = live.walk(call, 100)
    for name in ("createdAt", "updatedAt", "name", "id", "startUs"):
        if ordered := order([record.get(name) for record in whole.records]):
            _observe(live, "observe/order", f"{operation.id}: order", f"{name} {ordered}")
    plain = live.send(call, purpose="without a limit")
    if plain.cursor is not None:
        _observe(
            live,
            "observe/order",
            f"{operation.id}: records of a page without a limit",
            len(plain.items),
        )
    if whole.is_whole:
        last = whole.pages[-1].data
        told = (
            "an empty page"
            if not whole.pages[-1].items
            else "null"
            if "nextCursor" in last
            else "no nextCursor"
        )
        _observe(live, "observe/order", f"{operation.id}: end", told)


def order(values: list[Any]) -> str | None:
    """In which order values are: none where there is but one, or where they are of several types, which is judged by the rules."""
    if {type(value) for value in values} not in ({str}, {int}) or len(set(values)) < 2:
        return None
    return (
        "ascending"
        if values == sorted(values)
        else "descending"
        if values == sorted(values, reverse=True)
        else None
    )


@requirement("observe/cursor")
def test_a_cursor_that_was_never_issued(operation: Operation, live: Live) -> None:
    """A made-up UUID in the place of a cursor."""
    name = live.session.name(operation, "cursor")
    if name is not None:
        answer = live.send(
            live.call(operation).asking(**{name: live.made_up("cursor")}),
            purpose="a made-up cursor",
        )
        _observe(
            live, "observe/cursor", operation.id, f"{answer.describe()}, {len(answer.items)} items"
        )


@requirement("observe/parameters")
def test_an_unknown_query_parameter(operation: Operation, live: Live) -> None:
    """A query parameter that the contract does not name."""
    call = live.call(operation).asking(unknownParameter="1")
    answer = live.session.client.send(
        call, Sending(live.credential("primary"), purpose="an unknown parameter", in_contract=False)
    )
    _observe(live, "observe/parameters", operation.id, answer.describe())


@requirement("observe/both-credentials")
def test_two_credentials_together(operation: Operation, live: Live) -> None:
    """A valid key beside a made-up token, and the other way round; and a made-up credential alone."""
    primary = live.credential("primary")
    for scheme in primary.schemes:
        other = "bearer" if scheme == "api-key" else "api-key"
        nobody = made_up(live.session, other)
        header = (
            ("authorization", f"Bearer {nobody.secret(other)}")
            if other == "bearer"
            else ("x-api-key", nobody.secret(other))
        )
        both = Sending(
            primary,
            scheme,
            f"a valid {scheme} beside a made-up {other}",
            headers=(header,),
            in_contract=False,
        )
        _observe(
            live,
            "observe/both-credentials",
            both.purpose,
            live.session.client.send(Call(operation.id), both).describe(),
        )
        alone = replace(both, credential=nobody, scheme=other, headers=())
        _observe(
            live,
            "observe/both-credentials",
            f"a made-up {other}",
            live.session.client.send(Call(operation.id), alone).describe(),
        )


def _answer(operation: Operation, live: Live) -> Exchange:
    return _answers(operation, live, 1)[0]


def _answers(operation: Operation, live: Live, count: int) -> list[Exchange]:
    call = live.call(operation)
    answers = live.send_all(
        [call.asking(limit="100") if operation.is_list else call] * count, "to be observed"
    )
    for answer in answers:
        if answer.status != 200:
            raise Inconclusive(
                f"{operation.id} is answered {answer.describe()}", exchanges=[answer.id]
            )
    return answers


def _everything(answer: Exchange) -> Iterable[dict[str, Any]]:
    """Every object in an answer's data, nested ones included."""
    waiting: list[Any] = [answer.data]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _format(value: str) -> str:
    return next(
        (name for name, pattern in FORMATS.items() if pattern.fullmatch(value)), "another format"
    )


def _request_id(answer: Exchange) -> object:
    return answer.json.get("requestId") if isinstance(answer.json, dict) else None


def _observe(live: Live, id: str, subject: str, value: object) -> None:
    live.session.observations.append((id, subject, value))
