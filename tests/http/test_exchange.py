"""Calls of checks, and what their responses contain."""

import sys
from typing import Any

import pytest

from conformance.http.exchange import MISSING, Call, Exchange, Request, Response, parse

DEEP = 200_000


def exchange(body: bytes | None = b"{}", status: int = 200, **fields: Any) -> Exchange:
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
    return Exchange(**{**made, "request": Request("GET", "", ()), "response": response, **fields})


def test_asking_sets_and_removes_query_parameters() -> None:
    """Earlier parameters with the same name are replaced; the original call does not change."""
    call = Call("video_list", query=(("a", "1"), ("b", "2"), ("a", "3")))
    assert call.asking(a="4").query == (("b", "2"), ("a", "4"))
    assert call.asking(a=None, c="").query == (("b", "2"), ("c", ""))
    assert call.asking().query == call.query


def test_a_call_can_be_copied_with_path_parameters_and_a_body() -> None:
    """Existing path parameters remain; the body is JSON."""
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
    """A header that is absent is None."""
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
def test_every_valid_json_text_is_parsed(body: bytes, parsed: Any) -> None:
    """Byte order marks, all encodings of Unicode, numbers of any size, lone surrogates, nesting."""
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
def test_everything_else_is_not_json(body: bytes) -> None:
    """Python's own extensions are not JSON either."""
    response = Response(200, (), body)
    assert response.json is MISSING
    assert not response.is_too_deep


def test_json_that_is_nested_too_deeply_is_not_parsed() -> None:
    """It is distinguished from invalid JSON."""
    response = Response(200, (), b"[" * DEEP + b"]" * DEEP)
    assert response.json is MISSING
    assert response.is_too_deep


def test_a_body_is_parsed_once() -> None:
    """Each access returns the same object."""
    response = Response(200, (), b"[]")
    assert response.json is response.json


def test_the_id_of_an_exchange_has_its_item_and_number() -> None:
    """The operation is that of its call."""
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
def test_data_is_the_property_of_the_envelope(body: bytes | None, json: Any, data: Any) -> None:
    """It is MISSING if absent, and None if null."""
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
def test_a_page_has_records_and_a_cursor(
    body: bytes | None, items: list[Any], cursor: str | None
) -> None:
    """Invalid items and cursors are ignored here; the rules check them."""
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
def test_a_response_is_described_by_its_status_and_error_code(body: bytes, text: str) -> None:
    """A code that is long or contains control characters is escaped."""
    assert exchange(body, 404).describe() == text


def test_an_exchange_is_in_contract_and_not_superseded_by_default() -> None:
    """Its arguments are checked as well."""
    assert (exchange().in_contract, exchange().judge_arguments, exchange().superseded) == (
        True,
        True,
        False,
    )


def test_an_absent_response_is_described_by_its_failure() -> None:
    """The failure is that of the connection."""
    assert (
        exchange(None, failure="ReadTimeout: late").describe() == "no response: ReadTimeout: late"
    )


def test_both_json_parsers_return_the_same_numbers() -> None:
    """The parser for bodies with a byte order mark keeps integers of any size."""
    assert (
        Response(200, (), b"\xef\xbb\xbf[18446744073709551616]").json
        == Response(200, (), b"[18446744073709551616]").json
    )
    assert type(parse("[18446744073709551616]\n")[0][0]) is type(
        parse(b"\xef\xbb\xbf[18446744073709551616]")[0][0]
    )
