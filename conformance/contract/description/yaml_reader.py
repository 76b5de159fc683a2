"""A reader of YAML 1.2 with YAML 1.1 merge keys that records the line of every key and item."""

import re
from collections.abc import Callable
from typing import Any

import yaml

from conformance.contract.description.source import (
    MOST_LEVELS,
    Json,
    Lines,
    SourceError,
    TooLargeError,
    nested_too_deeply,
)

LONGEST_TEXT = 2 * 1024 * 1024
"""Characters of a text: the scanner takes up fifty bytes for some of them."""
MOST_NODES = 200_000
"""Scalars and collections of a text: each takes up half a kilobyte."""
MOST_MERGED = 200_000
"""Keys that merge keys may copy."""
LONGEST_NUMBER = 400
"""Characters of a number: Python writes no integer of more than some thousand digits."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MERGE = "<<"


class _Resolver(_LOADER):  # type: ignore[misc, valid-type]
    """Resolves plain scalars as YAML 1.2: `no` and `on` are strings, and so are dates."""

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


class YamlReader:
    """Reads one text; `lines` is complete after `read`."""

    def __init__(self, text: str) -> None:
        self.lines: Lines = {}
        self._text = text
        self._made: dict[int, Any] = {}
        self._open: set[int] = set()
        self._merged = 0

    def read(self) -> Any:
        """The value of the only document in the text. Raises SourceError."""
        try:
            self._measure()
            node = yaml.compose(self._text, _Resolver)
            return None if node is None else self._value(node)
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark
            line = None if mark is None else mark.line + 1
            raise _invalid(str(problem.problem or problem.context), line) from None
        except yaml.YAMLError as problem:
            raise _invalid(str(problem).splitlines()[0]) from None

    def _measure(self) -> None:
        """Reject deep nesting first: the composer is recursive and would exhaust the stack.

        So would a long text exhaust the memory: a blank line more is an empty item more.
        """
        if len(self._text) > LONGEST_TEXT:
            raise TooLargeError(f"has more than {LONGEST_TEXT:,} characters of YAML", None)
        level = nodes = 0
        for event in yaml.parse(self._text, _Resolver):
            nodes += isinstance(event, yaml.NodeEvent)
            if nodes > MOST_NODES:
                raise TooLargeError(f"has more than {MOST_NODES:,} values", _line(event))
            level += isinstance(event, yaml.CollectionStartEvent)
            level -= isinstance(event, yaml.CollectionEndEvent)
            if level > MOST_LEVELS:
                raise nested_too_deeply(_line(event))

    def _value(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if id(node) in self._open:
            raise SourceError("has an alias inside the node that it refers to", _line(node))
        if id(node) not in self._made:
            self._open.add(id(node))
            read = self._mapping if isinstance(node, yaml.MappingNode) else self._sequence
            self._made[id(node)] = read(node)
            self._open.discard(id(node))
        return self._made[id(node)]

    def _sequence(self, node: yaml.Node) -> list[Any]:
        made = [self._value(item) for item in node.value]
        self.lines[id(made)] = {index: _line(item) for index, item in enumerate(node.value)}
        return made

    def _mapping(self, node: yaml.Node) -> Json:
        made: Json = {}
        lines: dict[str | int, int] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise SourceError("has a key that is a mapping or a list", _line(key))
            if key.value == _MERGE:
                self._merge(made, lines, self._value(value))
                continue
            made[key.value] = self._value(value)
            lines[key.value] = _line(key)
        self.lines[id(made)] = lines
        return made

    def _merge(self, made: Json, lines: dict[str | int, int], merged: object) -> None:
        for other in merged if isinstance(merged, list) else [merged]:
            if isinstance(other, dict):
                self._merged += len(other)
                if self._merged > MOST_MERGED:
                    raise TooLargeError(f"has merge keys that copy more than {MOST_MERGED:,} keys")
                made.update({key: value for key, value in other.items() if key not in made})
                known = self.lines[id(other)]
                lines.update({key: line for key, line in known.items() if key not in lines})


def _line(node: yaml.Node | yaml.Event) -> int:
    mark = node.start_mark
    assert mark is not None  # both come from a text
    return int(mark.line) + 1


def _invalid(reason: str, line: int | None = None) -> SourceError:
    return SourceError(f"is not valid YAML: {reason}", line)


def _scalar(node: yaml.ScalarNode) -> Any:
    text = node.value
    match node.tag.rpartition(":")[2]:
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            return _number(node, _integer)
        case "float":
            return _number(node, float)
        case _:
            return text


def _integer(text: str) -> int:
    has_prefix = text[:2] in ("0o", "0x")
    return int(text, 0 if has_prefix else 10)


def _number(node: yaml.ScalarNode, convert: Callable[[str], int | float]) -> int | float:
    try:
        if len(node.value) > LONGEST_NUMBER:
            raise ValueError
        return convert(node.value)
    except ValueError:
        raise SourceError("has a number that cannot be read", _line(node)) from None
