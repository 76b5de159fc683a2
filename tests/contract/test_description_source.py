"""Texts of descriptions: YAML and JSON into values with their lines, and what is refused."""

import json
from typing import Any

import pytest
import yaml

from conformance.contract import files
from conformance.contract.description.compare import description
from conformance.contract.description.document import Document, Node, template
from conformance.contract.description.source import SourceError, UnbundledError, parsed, read

HEAD = "openapi: 3.1.1\n"


def test_the_contract_reads_the_same_in_either_language() -> None:
    """As PyYAML reads it, and as JSON reads it again."""
    text = files.text("openapi.yaml")
    as_yaml = yaml.safe_load(text)
    assert read(text).document == as_yaml == read(json.dumps(as_yaml, indent="\t")).document


@pytest.mark.parametrize(
    "text",
    [
        "openapi: 3.1.1\npaths:\n  /a:\n    get: {}\n",
        '{"openapi": "3.1.1",\n\t"paths": {\n "/a":\r\n\t\t{"get": {}}}}',
    ],
    ids=["yaml", "json"],
)
def test_every_key_knows_its_line(text: str) -> None:
    """Counted from 1, in blocks and in braces."""
    source = read(text)
    paths = source.document["paths"]
    lines = [
        source.line(source.document, "openapi"),
        source.line(source.document, "paths"),
        source.line(paths, "/a"),
    ]
    assert lines == [1, 2, 3]


def test_items_know_their_lines() -> None:
    """Those of a list too."""
    for text in ("tags:\n- a\n- b\n", '{"tags": [\n"a",\n"b"]}'):
        source = read(text)
        assert [source.line(source.document["tags"], index) for index in (0, 1, 2)] == [2, 3, None]


def test_a_made_document_has_no_lines() -> None:
    """Nothing is known of what did not come from a text."""
    document: dict[str, Any] = {"openapi": "3.1.1"}
    assert parsed(document).line(document, "openapi") is None


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"), ("on", "on"), ("2025-03-04", "2025-03-04"), ("1.0.0", "1.0.0"), ("12:30", "12:30"),
        ("true", True), ("False", False), ("~", None), ("null", None), ("", None),
        ("12", 12), ("-7", -7), ("0x1F", 31), ("0o17", 15), ("010", 10), ("1e3", 1000.0), (".5", 0.5), ("'12'", "12"), ("!!str 12", "12"),
    ],
)  # fmt: skip
def test_words_mean_what_yaml_1_2_says(written: str, value: object) -> None:
    """`no` is a word, and a date is text."""
    assert read(f"a: {written}\n").document == {"a": value}


def test_keys_are_text() -> None:
    """A status is a key like any other."""
    assert read("200: a\nnull: b\n1.5: c\n").document == {"200": "a", "null": "b", "1.5": "c"}


def test_merge_keys_and_aliases_are_written_out() -> None:
    """A stated member wins over a merged one; the merged one keeps its line."""
    source = read(
        "base: &base\n  a: 1\n  b: 2\nmade:\n  <<: *base\n  b: 3\nmore:\n  <<: [*base, {c: 4}, 5]\n"
    )
    assert source.document["made"] == {"a": 1, "b": 3}
    assert source.document["more"] == {"a": 1, "b": 2, "c": 4}
    assert [source.line(source.document["made"], key) for key in "ab"] == [2, 6]


def test_yaml_may_begin_with_a_brace() -> None:
    """What is no JSON may still be YAML."""
    assert read("{openapi: 3.1.1, tags: [a]}").document == {"openapi": "3.1.1", "tags": ["a"]}


def test_a_byte_order_mark_is_let_pass() -> None:
    """Some editors write one."""
    assert read("\ufeffa: 1\n").document == {"a": 1}


def _laughs() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("", "is no mapping", None),
        ("- a\n", "is no mapping", None),
        ("<html><body>404</body></html>", "is no mapping", None),
        ("a: [1\nb: 2\n", "is no YAML", 2),
        ("a: 1\n\tb: 2\n", "is no YAML", 2),
        ("a: \x01\n", "is no YAML", None),
        ("a: 1\n---\nb: 2\n", "is no YAML", 2),
        ("a: &a\n  b: *a\n", "an alias stands inside", 1),
        ("? [a]\n: b\n", "a key is a mapping or a list", 1),
        ('{"a": 1,\n"b" 2}', "is no JSON: a colon is due", 2),
        ('{"a":\n' + '{"a":' * 200 + "1" + "}" * 201, "nested more than 100 levels", 2),
        ("a:\n" + " [" * 100_000, "nested more than 100 levels", 2),
        ("a: " + "9" * 5000, "is a number that cannot be read", 1),
        (_laughs(), "holds more than 500000 values", None),
    ],
    ids=[
        "nothing", "a list", "a page", "an open bracket", "a tab", "a control character", "two documents", "a circle", "a key of keys",
        "no colon", "deep JSON", "deep YAML", "a long number", "a billion laughs",
    ],
)  # fmt: skip
def test_what_is_no_document_is_refused_with_its_line(
    text: str, message: str, line: int | None
) -> None:
    """No text ends the process, and each is told why it is refused."""
    with pytest.raises(SourceError) as refused:
        read(text)
    assert (message in refused.value.message, refused.value.line) == (True, line)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": NaN}',
        '{"a": 1} x',
        '{"a": [1 2]}',
        '{"a": 1,, "b": 2}',
        '{"a": 1, b: 2}',
        '{"a": "\\x"}',
        '{"a": {"b": tru',
        '{"a"',
    ],
)
def test_broken_json_is_no_document(text: str) -> None:
    """Although some of it would be YAML of another meaning."""
    with pytest.raises(SourceError, match="is no JSON"):
        read(text)


@pytest.mark.parametrize("version", ["2.0", "'3'", "4.0.0", "[]"])
def test_only_openapi_3_is_a_description(version: str) -> None:
    """Swagger is told as what it is not, on the line of its version."""
    with pytest.raises(SourceError, match="is no OpenAPI 3 document") as refused:
        description(f"info: {{}}\nopenapi: {version}\n")
    assert refused.value.line == 2


@pytest.mark.parametrize(
    "place",
    [
        "a: {$ref: 'other.yaml#/b'}",
        "responses:\n  default: {$ref: 'https://example.com/b'}",
        "properties: {example: {$ref: b}}",
    ],
)
def test_a_part_of_a_description_is_none(place: str) -> None:
    """What refers to other documents has to be bundled first."""
    with pytest.raises(UnbundledError, match="bundle them into one"):
        description(f"{HEAD}paths: {{}}\n{place}\n")


@pytest.mark.parametrize(
    "place", ["example: {$ref: b}", "a: {enum: [{$ref: b}]}", "properties: {$ref: {type: string}}"]
)
def test_data_that_looks_like_a_reference_is_none(place: str) -> None:
    """Examples and values are not followed, and a member may have that name."""
    assert description(f"{HEAD}paths: {{}}\n{place}\n").root["openapi"] == "3.1.1"


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("#/a~1b/c~0d", 1), ("#/a~1b/e%20f", 2), ("#/list/1", "y"), ("#here", {"$anchor": "here"}), ("#", "whole"),
        ("#/list/7", None), ("#/list/x", None), ("#nowhere", None), ("#/a~1b/c~0d/e", None), (7, None), ("b.yaml", None),
    ],
)  # fmt: skip
def test_a_reference_is_a_pointer_or_an_anchor(reference: object, value: object) -> None:
    """With the escapes of pointers and of URLs; what leads nowhere is nothing."""
    root: dict[str, Any] = {
        "a/b": {"c~d": 1, "e f": 2},
        "list": ["x", "y"],
        "z": {"$anchor": "here"},
    }
    found = Document(parsed(root)).target(reference)
    assert (found and (found.value if found.value is not root else "whole")) == value


def test_a_reference_that_leads_to_itself_leads_nowhere() -> None:
    """However long the way around is."""
    document = Document(parsed({"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}}))
    assert document.resolved(Node({"$ref": "#/a"}, 3)) == Node({}, 3)


def test_a_template_has_no_names() -> None:
    """Two paths that differ in the names of their parameters alone are one."""
    assert template("/a/{b}/c/{d}") == "/a/{}/c/{}"


def test_what_stands_in_two_places_is_looked_at_once() -> None:
    """An alias and what it names are the same mapping."""
    document = description(f"{HEAD}paths: {{}}\na: &a {{$ref: '#/b'}}\nb: {{}}\nc: *a\n")
    assert [node.line for node in document.references()] == [5]
