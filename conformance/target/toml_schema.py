"""Shapes of TOML tables: what a document may say, key by key, and every problem where it says something else.

No problem repeats a value, since any value may turn out to be a secret.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

Place: TypeAlias = tuple[str | int, ...]

_KINDS = {
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    str: "a string",
    list: "an array",
    dict: "a table",
}
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_KEY_PART = r"""[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*'"""
_HEADER_OR_KEY = re.compile(
    rf"\s*(?P<bracket>\[{{1,2}})?\s*(?P<key>(?:{_KEY_PART})(?:\s*\.\s*(?:{_KEY_PART}))*)\s*(?(bracket)\]|=)"
)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a document: where, what, and what would be right."""

    file: str | None
    line: int | None  # counted from 1
    key: str  # dotted, as TOML writes it; empty for the document as a whole
    what: str
    remedy: str

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        return ": ".join(
            part for part in (place, f"{self.key} {self.what}".strip(), self.remedy) if part
        )


@dataclass(frozen=True)
class Leaf:
    """One kind of value: its types, what to write instead of another, and what may be wrong with a value of a right type."""

    types: tuple[type, ...]
    remedy: str
    flaw: Callable[[Any], str | None] | None = None

    def problem(self, value: object) -> str | None:
        """What is wrong with a value, or None."""
        if type(value) not in self.types:
            return f"is {_kind(value)}"
        return self.flaw(value) if self.flaw else None


@dataclass(frozen=True)
class Array:
    """An array whose items are all of one kind."""

    item: Leaf


@dataclass(frozen=True)
class Either:
    """A value that is written as one of a kind, or as a table."""

    value: Leaf
    table: "Mapping[str, Shape]"


Shape: TypeAlias = "Leaf | Array | Either | Mapping[str, Shape]"


class Reader:
    """Reads a document by its shape, collects the problems, and puts the environment's values in place of "${NAME}"."""

    def __init__(self, source: str | None, text: str | None, environ: Mapping[str, str]) -> None:
        self.problems: list[Problem] = []
        self._source = source
        self._environ = environ
        self._lines = lines(text or "")
        self._places: list[Place] = []

    def report(self, place: Place, what: str, remedy: str) -> None:
        """Add a problem with the value at a place."""
        line = next(
            (
                self._lines[place[:end]]
                for end in range(len(place), 0, -1)
                if place[:end] in self._lines
            ),
            None,
        )
        self.problems.append(Problem(self._source, line, dotted(place), what, remedy))
        self._places.append(place)

    def sound(self, place: Place) -> bool:
        """Whether no problem is known at a place or beneath it."""
        return not any(known[: len(place)] == place for known in self._places)

    def read(self, shape: Shape, value: object, place: Place = ()) -> Any:
        """The value with its references replaced; None in place of, and tables without, what was refused."""
        if isinstance(shape, Leaf):
            return self._leaf(shape, value, place)
        if isinstance(shape, Array):
            return self._array(shape, value, place)
        if isinstance(shape, Either):
            inner = shape.table if isinstance(value, Mapping) else shape.value
            return self.read(inner, value, place)
        return self._table(shape, value, place)

    def _table(self, shape: Mapping[str, Shape], value: object, place: Place) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            self.report(
                place, f"is {_kind(value)}, not a table", f"known keys are {_listed(shape)}"
            )
            return {}
        for key in value.keys() - shape.keys():
            self.report((*place, key), "is no known key", _suggestion(key, shape))
        read = {
            key: self.read(shape[key], value[key], (*place, key)) for key in value if key in shape
        }
        return {key: item for key, item in read.items() if item is not None}

    def _array(self, shape: Array, value: object, place: Place) -> tuple[Any, ...] | None:
        if not isinstance(value, list | tuple):
            self.report(
                place,
                f"is {_kind(value)}, not an array",
                f"write the values in brackets; {shape.item.remedy}",
            )
            return None
        return tuple(
            self.read(shape.item, item, (*place, index)) for index, item in enumerate(value)
        )

    def _leaf(self, shape: Leaf, value: object, place: Place) -> Any:
        variable = reference(value)
        if variable is not None and variable not in self._environ:
            self.report(
                place,
                f"names the environment variable {variable!r}, which is not set",
                f"set it, or {shape.remedy}",
            )
            return None
        resolved = value if variable is None else self._environ[variable]
        flaw = shape.problem(resolved)
        if flaw:
            origin = f" (the value of the environment variable {variable!r})" if variable else ""
            self.report(place, flaw + origin, shape.remedy)
            return None
        return resolved


def reference(value: object) -> str | None:
    """NAME where a value is the string "${NAME}" and nothing else."""
    match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return match[1] if match else None


def dotted(place: Place) -> str:
    """A place as TOML writes its key, with the index of an array's item in brackets."""
    keys = (f"[{part}]" if isinstance(part, int) else "." + _quoted(part) for part in place)
    return "".join(keys).removeprefix(".")


def lines(text: str) -> dict[Place, int]:
    """The line, counted from 1, of each table and key that a line begins with, first mentions winning; tables of an array have a number."""
    table: Place = ()
    found: dict[Place, int] = {}
    arrays: Counter[Place] = Counter()
    for number, line in enumerate(text.split("\n"), start=1):
        match = _HEADER_OR_KEY.match(line)
        if match is None:
            continue
        key: Place = tuple(part.strip("\"'") for part in re.findall(_KEY_PART, match["key"]))
        if match["bracket"] == "[[":
            arrays[key] += 1
            key = (*key, arrays[key] - 1)
        table = key if match["bracket"] else table
        place = key if match["bracket"] else (*table, *key)
        for end in range(1, len(place) + 1):
            found.setdefault(place[:end], number)
    return found


def _kind(value: object) -> str:
    return _KINDS.get(type(value), f"of the type {type(value).__name__}")


def _quoted(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _listed(keys: Mapping[str, Shape]) -> str:
    return ", ".join(map(_quoted, keys))


def _suggestion(key: str, known: Mapping[str, Shape]) -> str:
    nearest = get_close_matches(key.lower(), known, n=1)
    return f"did you mean {_quoted(nearest[0])}?" if nearest else f"known keys are {_listed(known)}"
