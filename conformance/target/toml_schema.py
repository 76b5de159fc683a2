"""Schemas of TOML documents: the known keys and their types, and a reader that reports problems.

No problem repeats a value: any value may be a secret.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
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

MOST_PROBLEMS = 50
"""Problems of one file that are listed."""


@dataclass(frozen=True)
class Problem:
    """One problem of a document: where it is, what is wrong, and how to correct it."""

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
    """A single value: its types, how to write it, and a check of values that have a right type.

    `flaw` describes what is wrong with a value, or returns None.
    """

    types: tuple[type, ...]
    remedy: str
    flaw: Callable[[Any], str | None] | None = None
    keywords: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What JSON Schema can say of `flaw`."""

    def problem(self, value: object) -> str | None:
        """What is wrong with a value, or None."""
        if type(value) not in self.types:
            return f"is {_kind(value)}"
        return self.flaw(value) if self.flaw else None


@dataclass(frozen=True)
class Array:
    """An array whose items have one schema."""

    item: Leaf


@dataclass(frozen=True)
class Either:
    """A single value or an array, or a table in place of it."""

    value: Leaf | Array
    table: "Mapping[str, Schema]"


@dataclass(frozen=True)
class Named:
    """A table whose keys are names that the file chooses; all values have one schema."""

    name: Leaf
    value: "Schema"


Schema: TypeAlias = "Leaf | Array | Either | Named | Mapping[str, Schema]"


class Reader:
    """Reads a document by its schema, collects the problems, and resolves "${NAME}".

    `environ` has the values of the environment variables; None: their names stay as they are.
    """

    def __init__(
        self, source: str | None, text: str | None, environ: Mapping[str, str] | None
    ) -> None:
        self.problems: list[Problem] = []
        self._source = source
        self._environ = environ
        self._lines = lines(text or "")
        self._places: list[Place] = []

    @property
    def folder(self) -> Path:
        """The folder of the document's file, which paths in it begin at."""
        return Path(self._source).parent if self._source else Path()

    def report(self, place: Place, what: str, remedy: str) -> None:
        """Add a problem of the value at a place; after very many, nobody reads on."""
        if len(self.problems) >= MOST_PROBLEMS:
            return
        line = line_of(self._lines, place)
        self.problems.append(Problem(self._source, line, dotted(place), what, remedy))
        self._places.append(place)

    def adopt(self, other: "Reader", place: Place) -> None:
        """Add the problems of a document that stands at a place of this one."""
        for inner, problem in zip(other._places, other.problems, strict=True):
            self.report((*place, *inner), problem.what, problem.remedy)

    def is_sound(self, place: Place) -> bool:
        """Whether there is no problem at a place or below it."""
        return not any(known[: len(place)] == place for known in self._places)

    def read(self, schema: Schema, value: object, place: Place = ()) -> Any:
        """The value with its references resolved, without the parts that have a problem.

        An invalid value becomes None, and a table lacks its key.
        """
        if isinstance(schema, Leaf):
            return self._leaf(schema, value, place)
        if isinstance(schema, Array):
            return self._array(schema, value, place)
        if isinstance(schema, Either):
            inner = schema.table if isinstance(value, Mapping) else schema.value
            return self.read(inner, value, place)
        if isinstance(schema, Named):
            return self._named(schema, value, place)
        return self._table(schema, value, place)

    def _named(self, schema: Named, value: object, place: Place) -> dict[str, Any]:
        keys = value if isinstance(value, Mapping) else {}
        flaws = {key: flaw for key in keys if (flaw := schema.name.problem(key))}
        for key, flaw in flaws.items():
            self.report((*place, key), flaw, schema.name.remedy)
        return self._table(
            {key: schema.value for key in keys if key not in flaws}, value, place, flaws
        )

    def _table(
        self,
        schema: Mapping[str, Schema],
        value: object,
        place: Place,
        reported: Container[str] = (),
    ) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            self.report(
                place,
                f"must be a table, not {_kind(value)}",
                f"the known keys are {_listed(schema)}" if schema else "write { name = value }",
            )
            return {}
        for key in value:
            is_unknown = key not in schema and key not in reported
            if is_unknown and len(self.problems) < MOST_PROBLEMS:
                self.report((*place, key), "is an unknown key", _suggestion(key, schema))
        read = {
            key: self.read(schema[key], value[key], (*place, key)) for key in value if key in schema
        }
        return {key: item for key, item in read.items() if item is not None}

    def _array(self, schema: Array, value: object, place: Place) -> tuple[Any, ...] | None:
        if not isinstance(value, list | tuple):
            self.report(
                place,
                f"must be an array, not {_kind(value)}",
                f"write the values in brackets; {schema.item.remedy}",
            )
            return None
        return tuple(
            self.read(schema.item, item, (*place, index)) for index, item in enumerate(value)
        )

    def _leaf(self, schema: Leaf, value: object, place: Place) -> Any:
        variable = reference(value)
        if variable is not None and self._environ is None and str in schema.types:
            return value
        if variable is not None and variable not in (self._environ or {}):
            self.report(
                place,
                f"names the environment variable {variable!r}, which is not set",
                f"set it, or {schema.remedy}",
            )
            return None
        resolved = value if variable is None else (self._environ or {})[variable]
        flaw = schema.problem(resolved)
        if flaw:
            origin = f" (the value of the environment variable {variable!r})" if variable else ""
            self.report(place, flaw + origin, schema.remedy)
            return None
        return resolved


def reference(value: object) -> str | None:
    """NAME where a value is exactly the string "${NAME}"."""
    match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return match[1] if match else None


def dotted(place: Place) -> str:
    """A place as TOML writes its key, with the index of an array item in brackets."""
    keys = (f"[{part}]" if isinstance(part, int) else "." + _quoted(part) for part in place)
    return "".join(keys).removeprefix(".")


def lines(text: str) -> dict[Place, int]:
    """The line, from 1, of each table and key that a line begins with.

    The first mention counts. Tables of an array have their index as the last part.
    """
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
        elif match["bracket"]:
            key = _indexed(key, arrays)
        table = key if match["bracket"] else table
        place = key if match["bracket"] else (*table, *key)
        for end in range(1, len(place) + 1):
            found.setdefault(place[:end], number)
    return found


def places(tables: Mapping[str, Any], text: str = "") -> frozenset[str]:
    """The tables and keys that a document has, as TOML writes them.

    A table counts where it has a key, or a header of its own: a second header is invalid TOML.
    """
    matches = map(_HEADER_OR_KEY.match, text.split("\n"))
    headers = (match["key"] for match in matches if match and match["bracket"])
    own = (tuple(part.strip("\"'") for part in re.findall(_KEY_PART, key)) for key in headers)
    return frozenset(map(dotted, (*own, *_keys(tables, ()))))


def _keys(tables: Mapping[str, Any], place: Place) -> Iterator[Place]:
    for key, value in tables.items():
        if isinstance(value, Mapping):
            yield from _keys(value, (*place, key))
        else:
            yield from (place, (*place, key)) if place else [(key,)]


def line_of(known: Mapping[Place, int], place: Place) -> int | None:
    """The line of a place, or of the nearest one around it that begins a line."""
    around = (place[:end] for end in range(len(place), 0, -1))
    return next((known[each] for each in around if each in known), None)


def _indexed(key: Place, arrays: Counter[Place]) -> Place:
    """The place of a table in the last table of an array."""
    for end in range(1, len(key)):
        if key[:end] in arrays:
            return (*key[:end], arrays[key[:end]] - 1, *key[end:])
    return key


def _kind(value: object) -> str:
    return _KINDS.get(type(value), f"of the type {type(value).__name__}")


def _quoted(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _listed(keys: Mapping[str, Schema]) -> str:
    return ", ".join(map(_quoted, keys))


def _suggestion(key: str, known: Mapping[str, Schema]) -> str:
    nearest = get_close_matches(key.lower(), known, n=1)
    return (
        f"did you mean {_quoted(nearest[0])}?"
        if nearest
        else f"the known keys are {_listed(known)}"
    )
