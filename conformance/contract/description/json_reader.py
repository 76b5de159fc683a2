"""A reader of JSON (RFC 8259) that records the line of every key and item."""

import json
import re
from collections.abc import Iterator
from typing import Any

from conformance.contract.description.source import (
    MOST_LEVELS,
    Json,
    Lines,
    SourceError,
    nested_too_deeply,
)

_BLANKS = re.compile(r"[ \t\r\n]*")


class JsonReader:
    """Reads one text; `lines` is complete after `read`."""

    def __init__(self, text: str) -> None:
        self.lines: Lines = {}
        self._text = text
        self._decoder = json.JSONDecoder(parse_constant=_reject_constant)
        self._line, self._counted = 1, 0
        self._end = 0
        """Where the value that was read last ends."""

    def read(self) -> Any:
        """The value of the whole text. Raises SourceError."""
        try:
            value = self._value(0, 0)
        except SourceError:
            raise
        except json.JSONDecodeError as problem:
            raise _invalid(problem.msg, problem.lineno) from None
        except ValueError as problem:
            raise _invalid(str(problem), self._line) from None
        if self._skip(self._end) != len(self._text):
            raise _invalid("text after the end of the document", self._at(self._end))
        return value

    def _at(self, position: int) -> int:
        """The line of a position."""
        # Positions only ever grow, so each line break is counted once.
        self._line += self._text.count("\n", self._counted, position)
        self._counted = max(self._counted, position)
        return self._line

    def _skip(self, position: int) -> int:
        match = _BLANKS.match(self._text, position)
        assert match is not None
        return match.end()

    def _value(self, position: int, level: int) -> Any:
        position = self._skip(position)
        opening = self._text[position : position + 1]
        if opening not in ("{", "["):
            value, self._end = self._decoder.raw_decode(self._text, position)
            return value
        if level >= MOST_LEVELS:
            raise nested_too_deeply(self._at(position))
        read = self._object if opening == "{" else self._array
        return read(position + 1, level)

    def _object(self, position: int, level: int) -> Json:
        made: Json = {}
        lines = self.lines[id(made)] = {}
        for start in self._parts(position, "}"):
            key, value = self._key(start)
            lines[key] = self._at(start)
            made[key] = self._value(value, level + 1)
        return made

    def _key(self, start: int) -> tuple[str, int]:
        """The key at a position, and the position after its colon."""
        if self._text[start : start + 1] != '"':
            raise _invalid("expected a key in quotes", self._at(start))
        key, end = self._decoder.raw_decode(self._text, start)
        colon = self._skip(end)
        if self._text[colon : colon + 1] != ":":
            raise _invalid("expected a colon", self._at(colon))
        return key, colon + 1

    def _array(self, position: int, level: int) -> list[Any]:
        made: list[Any] = []
        lines = self.lines[id(made)] = {}
        for start in self._parts(position, "]"):
            lines[len(made)] = self._at(start)
            made.append(self._value(start, level + 1))
        return made

    def _parts(self, position: int, closing: str) -> Iterator[int]:
        """The start of each part of a container; the caller reads the part in between."""
        start = self._skip(position)
        if self._text[start : start + 1] == closing:
            self._end = start + 1
            return
        while True:
            yield start
            after = self._skip(self._end)
            found = self._text[after : after + 1]
            if found == closing:
                self._end = after + 1
                return
            if found != ",":
                raise _invalid(f"expected a comma or {closing}", self._at(after))
            start = self._skip(after + 1)


def _invalid(reason: str, line: int) -> SourceError:
    return SourceError(f"is not valid JSON: {reason}", line)


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")
