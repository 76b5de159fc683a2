"""The text of a description, YAML or JSON, as values with their lines."""

import json
from typing import Any

import pytest
import yaml

from conformance.contract import files
from conformance.contract.description.loader import read
from conformance.contract.description.source import SourceError, parsed


def test_yaml_and_json_give_the_same_values() -> None:
    """Both are equal to what PyYAML parses."""
    text = files.text("openapi.yaml")
    as_yaml = yaml.safe_load(text)
    assert read(text).document == as_yaml == read(json.dumps(as_yaml, indent="\t")).document


@pytest.mark.parametrize(
    "text",
    [
        "openapi: 3.1.1\npaths:\n  /a:\n    get: {}\n",
        '{"openapi": "3.1.1",\n\t"paths": {\n "/a":\r\n\t\t{"get": {}}}}',
    ],
    ids=["YAML", "JSON"],
)
def test_every_key_has_a_line(text: str) -> None:
    """Lines count from 1."""
    source = read(text)
    paths = source.document["paths"]
    lines = [
        source.line(source.document, "openapi"),
        source.line(source.document, "paths"),
        source.line(paths, "/a"),
    ]
    assert lines == [1, 2, 3]


@pytest.mark.parametrize("text", ["tags:\n- a\n- b\n", '{"tags": [\n"a",\n"b"]}'])
def test_every_item_has_a_line(text: str) -> None:
    """An index that the list does not have has no line."""
    source = read(text)
    lines = [source.line(source.document["tags"], index) for index in (0, 1, 2)]
    assert lines == [2, 3, None]


def test_a_document_without_a_text_has_no_lines() -> None:
    """Values that were built in memory have no line."""
    document: dict[str, Any] = {"openapi": "3.1.1"}
    assert parsed(document).line(document, "openapi") is None


SCALARS = {
    "no": "no",
    "on": "on",
    "2025-03-04": "2025-03-04",
    "1.0.0": "1.0.0",
    "12:30": "12:30",
    "true": True,
    "False": False,
    "~": None,
    "null": None,
    "": None,
    "12": 12,
    "-7": -7,
    "0x1F": 31,
    "0o17": 15,
    "010": 10,
    "1e3": 1000.0,
    ".5": 0.5,
    "'12'": "12",
    "!!str 12": "12",
}


@pytest.mark.parametrize(("written", "value"), SCALARS.items())
def test_scalars_follow_yaml_1_2(written: str, value: object) -> None:
    """`no` and dates are strings."""
    assert read(f"a: {written}\n").document == {"a": value}


def test_keys_are_strings() -> None:
    """A status is a key like any other."""
    assert read("200: a\nnull: b\n1.5: c\n").document == {"200": "a", "null": "b", "1.5": "c"}


def test_merge_keys_and_aliases_are_written_out() -> None:
    """A stated key overrides a merged one; a merged key has the line of its source."""
    source = read(
        "base: &base\n  a: 1\n  b: 2\nmade:\n  <<: *base\n  b: 3\nmore:\n  <<: [*base, {c: 4}, 5]\n"
    )
    assert source.document["made"] == {"a": 1, "b": 3}
    assert source.document["more"] == {"a": 1, "b": 2, "c": 4}
    assert [source.line(source.document["made"], key) for key in "ab"] == [2, 6]


def test_yaml_may_begin_with_a_brace() -> None:
    """A flow mapping without quotes is YAML."""
    assert read("{openapi: 3.1.1, tags: [a]}").document == {"openapi": "3.1.1", "tags": ["a"]}


def test_a_byte_order_mark_is_ignored() -> None:
    """Some editors write one."""
    assert read("\ufeffa: 1\n").document == {"a": 1}


def many_aliases() -> str:
    """A short text that has a billion values with its aliases written out."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    return "\n".join(lines)


INVALID: dict[str, tuple[str, str, int | None]] = {
    "nothing": ("", "is not a mapping", None),
    "a list": ("- a\n", "is not a mapping", None),
    "a page": ("<html><body>404</body></html>", "is not a mapping", None),
    "an open bracket": ("a: [1\nb: 2\n", "is not valid YAML", 2),
    "a tab": ("a: 1\n\tb: 2\n", "is not valid YAML", 2),
    "a control character": ("a: \x01\n", "is not valid YAML", None),
    "two documents": ("a: 1\n---\nb: 2\n", "is not valid YAML", 2),
    "a circular alias": ("a: &a\n  b: *a\n", "has an alias inside the node", 1),
    "a list as a key": ("? [a]\n: b\n", "has a key that is a mapping or a list", 1),
    "no colon": ('{"a": 1,\n"b" 2}', "is not valid JSON: expected a colon", 2),
    "deep JSON": ('{"a":\n' + '{"a":' * 200 + "1" + "}" * 201, "more than 100 levels", 2),
    "deep YAML": ("a:\n" + " [" * 100_000, "more than 100 levels", 2),
    "a long number": ("a: " + "9" * 5000, "has a number that cannot be read", 1),
    "many aliases": (many_aliases(), "has more than 500000 values", None),
}


@pytest.mark.parametrize(("text", "message", "line"), INVALID.values(), ids=INVALID)
def test_an_invalid_text_is_rejected_with_its_line(
    text: str, message: str, line: int | None
) -> None:
    """The error names the reason, however long or deep the text is."""
    with pytest.raises(SourceError) as raised:
        read(text)
    assert (message in raised.value.message, raised.value.line) == (True, line)


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
def test_invalid_json_is_not_read_as_yaml(text: str) -> None:
    """Some of it would be valid YAML with another meaning."""
    with pytest.raises(SourceError, match="is not valid JSON"):
        read(text)
