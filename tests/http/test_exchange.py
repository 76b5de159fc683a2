"""Calls that checks ask for, and what answers say."""

import sys
from typing import Any

import pytest

from conformance.http.exchange import MISSING, Call, Exchange, Request, Response, parse

DEEP = 200_000


def exchange(body: bytes | None = b"{}", status: int = 200, **members: Any) -> Exchange:
    """An exchange whose response has this body; None for no response."""
    response = None if body is None else Response(status, (), body)
    made = {
        "item": "item",
        "number": 3,
        "call": Call("account_get"),
        "purpose": "",
        "credential": None,
        "scheme": None,
    }
    return Exchange(**{**made, "request": Request("GET", "", ()), "response": response, **members})


def test_asking_sets_and_takes_away_query_parameters() -> None:
    """Earlier parameters of the same name are replaced; the original call stays."""
    call = Call("video_list", query=(("a", "1"), ("b", "2"), ("a", "3")))
    assert call.asking(a="4").query == (("b", "2"), ("a", "4"))
    assert call.asking(a=None, c="").query == (("b", "2"), ("c", ""))
    assert call.asking().query == call.query


def test_a_call_can_be_moved_and_given_a_body() -> None:
    """Other path parameters beside those that it has; JSON as a body."""
    call = Call("video_get", {"videoId": "1"})
    assert call.at(videoId="2", x="3").path == {"videoId": "2", "x": "3"}
    assert call.carrying({"a": [1, None]}).body == b'{"a": [1, null]}'
    assert (call.path, call.body, call.query, call.content_type) == (
        {"videoId": "1"},
        None,
        (),
        "application/json",
    )


def test_the_first_of_several_headers_counts() -> None:
    """And none is None."""
    response = Response(200, (("a", "1"), ("b", "2"), ("b", "3")))
    assert (response.header("b"), response.header("c"), response.body) == ("2", None, b"")


@pytest.mark.parametrize(
    ("body", "parsed"),
    [
        (b'{"a":1,"a":2}', {"a": 2}),
        (b"\xef\xbb\xbf[1]", [1]),
        ('{"a":"ü"}'.encode("utf-16"), {"a": "ü"}),
        ("[true]".encode("utf-16-le"), [True]),
        ("[null]".encode("utf-32-be"), [None]),
        (b" 1.0 ", 1.0),
        (b"1e3", 1000.0),
        (b"1e400", sys.float_info.max),
        (b"-0", 0),
        (b"9" * 30, 1e30),
        (b'["\\ud800", ' + b"9" * 308 + b"]", ["\ud800", float("9" * 308)]),
        (b'["\\ud800", ' + b"9" * 309 + b"]", ["\ud800", sys.float_info.max]),
        (b"-" + b"9" * 10_000, -sys.float_info.max),
        (b'"\\ud800"', "\ud800"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b"[" * 500 + b"]" * 500, None),
    ],
)
def test_json_is_read_as_widely_as_it_may_be_written(body: bytes, parsed: Any) -> None:
    """Marks of order, other encodings of Unicode, numbers of any size, lone surrogates, nesting."""
    response = Response(200, (), body)
    assert response.json is not MISSING
    assert not response.is_too_deep
    assert parsed is None or (response.json == parsed and type(response.json) is type(parsed))


@pytest.mark.parametrize(
    "body",
    [
        *(
            b"",
            b" ",
            b"NaN",
            b"[-Infinity]",
            b"[Infinity]",
            b"{",
            b"{} {}",
            b"\xef\xbb\xbf" * 2 + b"{}",
        ),
        *(b'"\xff"', b"'a'", b"[1,]", b'"\1"', b"\xff"),
    ],
)
def test_everything_else_is_no_json(body: bytes) -> None:
    """Python's own extensions among it."""
    response = Response(200, (), body)
    assert response.json is MISSING
    assert not response.is_too_deep


def test_json_that_is_nested_too_deeply_is_not_read() -> None:
    """Which is another thing than being no JSON."""
    response = Response(200, (), b"[" * DEEP + b"]" * DEEP)
    assert response.json is MISSING
    assert response.is_too_deep


def test_a_body_is_parsed_once() -> None:
    """The same object each time."""
    response = Response(200, (), b"[]")
    assert response.json is response.json


def test_an_exchange_has_the_name_of_its_item_and_number() -> None:
    """In reports; and the operation of its call."""
    assert (exchange().id, exchange().operation, exchange().status, exchange(None).status) == (
        "item#3",
        "account_get",
        200,
        None,
    )


@pytest.mark.parametrize(
    ("body", "json", "data"),
    [
        (None, MISSING, MISSING),
        (b"", MISSING, MISSING),
        (b"[]", [], MISSING),
        (b"{}", {}, MISSING),
        (b'{"data": null}', {"data": None}, None),
        (b'{"data": 0}', {"data": 0}, 0),
    ],
)
def test_data_is_that_of_the_envelope(body: bytes | None, json: Any, data: Any) -> None:
    """Missing where there is no such thing, null where it is null."""
    each = exchange(body)
    assert (each.json == json, each.data == data) == (True, True)


@pytest.mark.parametrize(
    ("body", "items", "cursor"),
    [
        (None, [], None),
        (b'{"data": []}', [], None),
        (b'{"data": {}}', [], None),
        (b'{"data": {"items": {}, "nextCursor": null}}', [], None),
        (b'{"data": {"items": [1, {"a": 1}, null, {}], "nextCursor": ""}}', [{"a": 1}, {}], ""),
        (b'{"data": {"items": [], "nextCursor": 7}}', [], None),
        (b'{"data": {"nextCursor": "x"}}', [], "x"),
    ],
)
def test_a_page_shows_its_records_and_its_cursor(
    body: bytes | None, items: list[Any], cursor: str | None
) -> None:
    """Whatever is none is left to the rules."""
    each = exchange(body)
    assert (each.items, each.cursor) == (items, cursor)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"[]", "404"),
        (b'{"code": 3}', "404"),
        (b'{"code": "gone"}', "404 gone"),
        (b'{"code": "' + b"x" * 80 + b'"}', "404 " + "x" * 80),
        (b'{"code": "' + b"x" * 81 + b'"}', f"404 '{'x' * 80}'…"),
        (b'{"code": "\\u001b[2J"}', "404 '\\x1b[2J'…"),
        (b'{"code": "\\ud800"}', "404 '\\ud800'…"),
    ],
)
def test_a_response_is_described_in_a_few_words(body: bytes, text: str) -> None:
    """The code of an error, if it is one that a reader's screen can bear."""
    assert exchange(body, 404).describe() == text


def test_an_exchange_is_an_ordinary_one_unless_told_otherwise() -> None:
    """Judged in all that it is, and not tried again."""
    assert (exchange().in_contract, exchange().judge_arguments, exchange().superseded) == (
        True,
        True,
        False,
    )


def test_no_response_is_told_with_its_reason() -> None:
    """The failure of the connection."""
    assert (
        exchange(None, failure="ReadTimeout: late").describe() == "no response: ReadTimeout: late"
    )


def test_a_number_is_the_same_whoever_reads_it() -> None:
    """Behind a byte order mark another reader is at work, which keeps integers of any size."""
    assert (
        Response(200, (), b"\xef\xbb\xbf[18446744073709551616]").json
        == Response(200, (), b"[18446744073709551616]").json
    )
    assert type(parse("[18446744073709551616]\n")[0][0]) is type(
        parse(b"\xef\xbb\xbf[18446744073709551616]")[0][0]
    )
