"""Bodies formatted as lines."""

import json
from typing import Any

import pytest

from conformance.contract.pointer import Path
from conformance.report import listing
from conformance.report.document_types import BodyEntry
from conformance.report.listing import Extent
from conformance.report.page.markup import markup

DEEP = ["  " * depth + "[" for depth in range(7)]


def plain(body: Any, marks: dict[Path, str] | None = None) -> list[str]:
    """The lines of a body, as text."""
    return str(
        markup(body, marks or {}).striptags()
        if body is None
        else markup(body, marks or {}).unescape()
    ).split("\n")


def test_a_body_is_laid_out_without_changing_it() -> None:
    """Numbers, order and duplicate names are unchanged."""
    assert plain({"text": '{"b": 1.50, "a": 1e3, "b": [], "c": {"x": NaN, "y": "é"}}'}) == [
        "{",
        '  "b": 1.50,',
        '  "a": 1e3,',
        '  "b": [],',
        '  "c": {"x": NaN, "y": "é"}',
        "}",
    ]


def test_a_long_list_is_truncated_around_its_defect() -> None:
    """Of a hundred items the wrong one is shown, and the others are counted."""
    body = {"text": json.dumps([{"n": n, "deep": {"er": [n]}} for n in range(100)])}

    assert [line.strip() for line in plain(body, {(17, "n"): "here"})] == [
        *(
            "[",
            "<i>  … 17 more</i>",
            "{",
            '<mark>    "n": 17,<span class="note"> ← here</span></mark>',
            '"deep": {',
            '"er": [17]',
            "}",
            "},",
        ),
        *("<i>  … 82 more</i>", "]"),
    ]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (None, ["no body"]),
        ({"text": ""}, ["<i>an empty body</i>"]),
        ({"text": "no\nJSON"}, ["no", "JSON"]),
        ({"base64": "AAA="}, ["<i>no text; in base64: AAA=</i>"]),
        ({"text": "{}", "padding": 2000}, ["{}", "<i>… followed by 2,000 blanks</i>"]),
        ({"text": "{", "length": 70000, "sha256": "0"}, ["{", "<i>… 70,000 bytes in all</i>"]),
        ({"text": f'"{"x" * 200}"'}, [f'"{"x" * 160}…" (200 characters)']),
        (
            {"text": "[" * 9 + "]" * 9},
            [*DEEP, " " * 14 + "[ … 1 … ]", *(line.replace("[", "]") for line in reversed(DEEP))],
        ),
    ],
)
def test_every_body_can_be_shown(body: Any, lines: list[str]) -> None:
    """Bodies may be other text, binary, truncated, padded, empty or deeply nested."""
    assert plain(body) == lines


def test_a_body_of_many_lines_is_truncated() -> None:
    """The number of lines of a body is bounded."""
    properties = {f"m{n}": {f"n{m}": [[1], [2]] for m in range(40)} for n in range(40)}

    assert plain({"text": json.dumps(properties)})[listing.PAGE.lines - 1 :] == [
        "<i>… and more, in report.json</i>"
    ]


def test_a_marked_property_is_shown_between_its_neighbours() -> None:
    """On a terminal: the id of the record and one property on each side; the others are counted."""
    extent = Extent(40, 8, 1, 600, 48, 60, neighbours=1)
    record = {"id": "x", **{f"p{n}": n for n in range(9)}}
    shown = listing.lines({"text": json.dumps(record)}, {("p4",): "here"}, extent=extent)

    assert [(line.text, line.note) for line in shown[1:-1]] == [
        ('"id": "x",', None),
        ("… 3 more", None),
        ('"p3": 3,', None),
        ('"p4": 4,', "here"),
        ('"p5": 5,', None),
        ("… 3 more", None),
    ]


def noted(text: str, extent: Extent = listing.PAGE) -> list[tuple[str, str | None]]:
    """The lines of a text that is no JSON, each with its note."""
    shown = listing.lines({"text": text}, {}, whole="not JSON", extent=extent)
    return [(line.text, line.note) for line in shown]


def test_what_is_not_json_is_marked_where_it_is() -> None:
    """The other lines have no mark."""
    assert noted("<html>\n<body>\n") == [("<html>", "not JSON"), ("<body>", None), ("", None)]
    assert noted('{\n"a": 1,\n"b": oops\n}') == [
        ("{", None),
        ('"a": 1,', None),
        ('"b": oops', "not JSON"),
        ("}", None),
    ]
    assert noted("[" * 5000)[0][1] == "not JSON"


SMALL = Extent(lines=6, members=8, items=1, text=40, string=48, width=60)


@pytest.mark.parametrize(
    ("before", "cut"),
    [('{"a": "' + "x" * 500 + '", ', 490), ("[\n" + "1,\n" * 500, 1_496)],
)
def test_an_excerpt_has_the_place_that_is_not_json(before: str, cut: int) -> None:
    """It starts shortly before the place, in characters and in lines."""
    (first, _), *others = noted(f"{before}oops", SMALL)
    assert first == f"… {cut:,} characters before"
    (marked,) = [text for text, note in others if note]
    assert "oops" in marked


def test_below_a_marked_container_its_own_properties_are_shown() -> None:
    """What they hold would push the end of the container out of an excerpt."""
    document = {"paths": {f"/{n}": {"get": {"responses": {}}} for n in range(30)}, "openapi": "3"}
    brief = Extent(lines=32, members=8, items=1, text=600, string=48, width=60, neighbours=2)
    shown = listing.lines({"text": json.dumps(document)}, {(): "no info"}, extent=brief)
    assert [(line.text, line.note) for line in shown] == [
        ("{", "no info"),
        ('"paths": { … 30 … },', None),
        ('"openapi": "3"', None),
        ("}", None),
    ]


TERMINAL = Extent(lines=12, members=8, items=1, text=600, string=48, width=60, neighbours=2)


def test_what_stands_beside_a_mark_does_not_fill_the_excerpt() -> None:
    """A container beside it is one line, so that the mark is never cut off."""
    long = [{"language": "de", "status": "open", "steps": [{"n": 1}, {"n": 2}]}] * 3
    body: BodyEntry = {"text": json.dumps({"data": {"one": long, "two": long, "durationUs": "7"}})}
    shown = listing.lines(body, {("data", "durationUs"): "here"}, extent=TERMINAL)

    assert [line.text for line in shown if line.note] == ['"durationUs": "7"']
    assert '"two": [ … 3 … ],' in [line.text for line in shown]


def test_a_marked_text_is_shown_as_a_whole() -> None:
    """What is wrong with it may stand at its end."""
    text = f"{'a' * 100} code=17"
    body: BodyEntry = {"text": json.dumps({"message": text, "other": text})}
    shown = listing.lines(body, {("message",): "here"}, extent=TERMINAL)

    assert shown[1].text == f'"message": "{text}",'
    assert "(108 characters)" in shown[2].text
