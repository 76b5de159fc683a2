"""The text of a description, YAML or JSON, as plain values that know the line they stand on."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

Json: TypeAlias = "dict[str, Any]"

MOST_LEVELS = 100
MOST_VALUES = 500_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BLANKS = re.compile(r"[ \t\r\n]*")
_JSON = re.compile(r"\s*\{\s*[\"}]")
_MERGE = "<<"


class SourceError(ValueError):
    """The text is no such document; `line` is counted from 1, None where it concerns the whole."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class UnbundledError(SourceError):
    """The document is only a part: it refers to others."""


@dataclass(frozen=True)
class Source:
    """A parsed text; `document` is its outermost mapping."""

    document: Json
    _lines: Mapping[int, dict[str | int, int]] = field(repr=False)

    def line(self, container: object, key: str | int) -> int | None:
        """The line, from 1, where a container has a key or an index; None for values that did not come from a text."""
        return self._lines.get(id(container), {}).get(key)


def parsed(document: Json) -> Source:
    """A document that was made otherwise, without lines."""
    return Source(document, {})


def read(text: str) -> Source:
    """The document that a JSON or YAML text holds. Raises SourceError; keys are always strings, `200:` included."""
    text = text.removeprefix("\ufeff")
    # YAML may begin with a brace as well, but hardly with a key in quotes.
    reader = _JsonReader(text) if _JSON.match(text) else _YamlReader(text)
    document = reader.read()
    if not isinstance(document, dict):
        raise SourceError("is no mapping, so it is no OpenAPI document")
    if _size(document) > MOST_VALUES:
        raise SourceError(f"holds more than {MOST_VALUES} values once its aliases are written out")
    return Source(document, reader.lines)


def _size(document: object) -> int:
    """How many values a document has; what is referred to several times counts as often."""
    sizes: dict[int, int] = {}

    def of(value: object) -> int:
        if not isinstance(value, dict | list):
            return 1
        if id(value) not in sizes:
            sizes[id(value)] = 1 + sum(
                of(child) for child in (value.values() if isinstance(value, dict) else value)
            )
        return sizes[id(value)]

    return of(document)


class _JsonReader:
    """Reads JSON as RFC 8259 has it, with the line of every key and item."""

    def __init__(self, text: str) -> None:
        self.lines: dict[int, dict[str | int, int]] = {}
        self._text = text
        self._decoder = json.JSONDecoder(parse_constant=_no_constant)
        self._line, self._counted = 1, 0

    def read(self) -> Any:
        """The value that the text is."""
        try:
            value, end = self._value(0, 0)
        except ValueError as problem:
            line = getattr(problem, "lineno", None) or getattr(problem, "line", None) or self._line
            raise SourceError(f"is no JSON: {getattr(problem, 'msg', problem)}", line) from None
        if self._skip(end) != len(self._text):
            raise SourceError("is no JSON: something follows the document", self._at(end))
        return value

    def _at(self, position: int) -> int:
        # Positions only ever grow, so the lines are counted once.
        self._line += self._text.count("\n", self._counted, position)
        self._counted = max(self._counted, position)
        return self._line

    def _skip(self, position: int) -> int:
        match = _BLANKS.match(self._text, position)
        assert match is not None
        return match.end()

    def _value(self, position: int, level: int) -> tuple[Any, int]:
        position = self._skip(position)
        opening = self._text[position : position + 1]
        if opening in ("{", "["):
            if level >= MOST_LEVELS:
                raise SourceError(
                    f"is nested more than {MOST_LEVELS} levels deep", self._at(position)
                )
            return (
                self._object(position + 1, level)
                if opening == "{"
                else self._array(position + 1, level)
            )
        return self._decoder.raw_decode(self._text, position)

    def _object(self, position: int, level: int) -> tuple[Json, int]:
        made: Json = {}
        lines = self.lines[id(made)] = {}
        for start in self._parts(position, "}"):
            if self._text[start : start + 1] != '"':
                raise SourceError("is no JSON: a key in quotes is due", self._at(start))
            key, end = self._decoder.raw_decode(self._text, start)
            colon = self._skip(end)
            if self._text[colon : colon + 1] != ":":
                raise SourceError("is no JSON: a colon is due", self._at(colon))
            lines[key] = self._at(start)
            made[key], self._end = self._value(colon + 1, level + 1)
        return made, self._end

    def _array(self, position: int, level: int) -> tuple[list[Any], int]:
        made: list[Any] = []
        lines = self.lines[id(made)] = {}
        for start in self._parts(position, "]"):
            lines[len(made)] = self._at(start)
            value, self._end = self._value(start, level + 1)
            made.append(value)
        return made, self._end

    def _parts(self, position: int, closing: str) -> Iterator[int]:
        """Where each part of a container starts; the reader of a part leaves in `_end` where it ends, as the container itself does."""
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
                raise SourceError(f"is no JSON: a comma or {closing} is due", self._at(after))
            start = self._skip(after + 1)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


class _Resolver(_LOADER):  # type: ignore[misc, valid-type]
    """Finds out what plain words mean as YAML 1.2 has it: `no` and `on` are words, and dates are text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - the name and the type are PyYAML's


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
):
    _Resolver.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first
    )


class _YamlReader:
    """Reads YAML 1.2, and merge keys, which are 1.1 but common; with the line of every key and item."""

    def __init__(self, text: str) -> None:
        self.lines: dict[int, dict[str | int, int]] = {}
        self._text = text
        self._made: dict[int, Any] = {}
        self._open: set[int] = set()

    def read(self) -> Any:
        """The value of the one document in the text."""
        try:
            self._measure()
            node = yaml.compose(self._text, _Resolver)
            return None if node is None else self._value(node)
        except yaml.MarkedYAMLError as problem:
            line = getattr(problem.problem_mark, "line", None)
            raise SourceError(
                f"is no YAML: {problem.problem or problem.context}",
                None if line is None else line + 1,
            ) from None
        except yaml.YAMLError as problem:
            raise SourceError(f"is no YAML: {problem}".splitlines()[0]) from None

    def _measure(self) -> None:
        """Refuse what is nested too deeply before the composer, which is recursive and would take the process with it."""
        level = 0
        for event in yaml.parse(self._text, _Resolver):
            level += isinstance(event, yaml.CollectionStartEvent) - isinstance(
                event, yaml.CollectionEndEvent
            )
            if level > MOST_LEVELS:
                line = getattr(event.start_mark, "line", 0)
                raise SourceError(f"is nested more than {MOST_LEVELS} levels deep", line + 1)

    def _value(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if id(node) in self._open:
            raise SourceError("an alias stands inside of what it names", node.start_mark.line + 1)
        if id(node) not in self._made:
            self._open.add(id(node))
            self._made[id(node)] = (
                self._mapping(node) if isinstance(node, yaml.MappingNode) else self._sequence(node)
            )
            self._open.discard(id(node))
        return self._made[id(node)]

    def _sequence(self, node: yaml.Node) -> list[Any]:
        made = [self._value(item) for item in node.value]
        self.lines[id(made)] = {
            index: item.start_mark.line + 1 for index, item in enumerate(node.value)
        }
        return made

    def _mapping(self, node: yaml.Node) -> Json:
        made: Json = {}
        lines: dict[str | int, int] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise SourceError("a key is a mapping or a list", key.start_mark.line + 1)
            if key.value == _MERGE:
                self._merge(made, lines, self._value(value))
                continue
            made[key.value] = self._value(value)
            lines[key.value] = key.start_mark.line + 1
        self.lines[id(made)] = lines
        return made

    def _merge(self, made: Json, lines: dict[str | int, int], merged: object) -> None:
        for other in merged if isinstance(merged, list) else [merged]:
            if isinstance(other, dict):
                made.update({key: value for key, value in other.items() if key not in made})
                lines.update(
                    {key: line for key, line in self.lines[id(other)].items() if key not in lines}
                )


def _scalar(node: yaml.ScalarNode) -> Any:
    text = node.value
    match node.tag.rpartition(":")[2]:
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            return _number(node, lambda: int(text, 0 if text[:2] in ("0o", "0x") else 10))
        case "float":
            return _number(node, lambda: float(text))
        case _:
            return text


def _number(node: yaml.ScalarNode, convert: Any) -> Any:
    try:
        return convert()
    except ValueError:
        raise SourceError("is a number that cannot be read", node.start_mark.line + 1) from None
