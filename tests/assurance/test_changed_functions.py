"""The functions that an edit of source text changes."""

import ast
from typing import Any

import pytest

from conformance.assurance.selftest import source

SOURCES = {
    "one": '''
from two import LIMIT

NAMES = ("a", "b")
FIRST = NAMES[0]

def first():
    """The first name."""
    return FIRST

def other():
    return 1

class Shop:
    size = 1

    def open(self):
        def inner():
            return 2
        return inner()

    async def close(self):
        return LIMIT
''',
    "two": """
from functools import cache

LIMIT = 3

@cache
def rows():
    return [LIMIT]

class Row:
    limit: int = LIMIT
""",
}


@pytest.mark.parametrize(
    ("module", "old", "new", "changed"),
    [
        ("one", "return 1", "return 2", {"one:other"}),
        ("one", "return 2", "return 3", {"one:Shop.open"}),
        ("one", "return LIMIT", "return 4", {"one:Shop.close"}),
        ("one", '("a", "b")', '("c",)', {"one:first"}),
        ("one", "def other():", "def third(): pass\ndef other():", set()),
        ("one", "def other():", "def other(x=1):", {"one:other"}),
        ("one", "from two", "import json\nfrom two", set()),
        ("one", "    size = 1", "    size = 2", None),
        ("one", "    def open(", "    def shut(self): pass\n    def open(", None),
        ("two", "LIMIT = 3", "LIMIT = 4", None),
        ("two", "[LIMIT]", "[]", {"two:rows"}),
        ("one", "NAMES =", "print()\nNAMES =", None),
    ],
)
def test_the_functions_that_an_edit_changes(
    module: str, old: str, new: str, changed: set[str] | None
) -> None:
    """Also those that mention a constant, directly or by another; None where it may be any."""
    edited = {module: SOURCES[module].replace(old, new)}

    assert edited[module] != SOURCES[module]
    assert source.changed(SOURCES, edited) == changed


def test_functions_that_run_once_are_known() -> None:
    """Their result is kept, so whoever comes later does not reach them."""
    assert source.cached("two", SOURCES["two"]) == {"two:rows"}


def test_a_probe_tells_which_functions_begin() -> None:
    """The docstring stays, and nested functions belong to the outer one."""
    called: list[str] = []
    text = SOURCES["one"].replace("from two import LIMIT", "")
    names: dict[str, Any] = {source.PROBE: called.append}

    exec(compile(source.with_probes("one", text), "one", "exec"), names)

    assert called == []
    first, shop = names["first"], names["Shop"]
    assert first() == "a"
    assert shop().open() == 2
    assert called == ["one:first", "one:Shop.open"]
    assert first.__doc__ == "The first name."
    assert ast.unparse(source.with_probes("one", text)).count(source.PROBE) == 4
