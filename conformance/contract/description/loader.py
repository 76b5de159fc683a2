"""The text of a description, JSON or YAML, as a source."""

import re

from conformance.contract import references
from conformance.contract.description.json_reader import JsonReader
from conformance.contract.description.source import (
    Source,
    SourceError,
    TooLargeError,
    UnbundledError,
)
from conformance.contract.description.yaml_reader import YamlReader

MOST_VALUES = 500_000

_JSON = re.compile(r"\s*\{\s*[\"}]")
"""YAML may begin with a brace as well, but hardly with a key in quotes."""


def read(text: str) -> Source:
    """The document in a JSON or YAML text. Raises SourceError.

    Keys are always strings, `200:` included.
    """
    text = text.removeprefix("\ufeff")
    reader = JsonReader(text) if _JSON.match(text) else YamlReader(text)
    document = reader.read()
    if not isinstance(document, dict):
        raise SourceError("is not a mapping, so it is not an OpenAPI document")
    if _size(document) > MOST_VALUES:
        raise TooLargeError(f"has more than {MOST_VALUES} values with its aliases written out")
    return Source(document, reader.lines)


def resolve(source: Source, address: str) -> None:
    """Resolve the references in a document that is at an address; nothing is fetched.

    Raises UnbundledError, and TooLargeError.
    """
    try:
        elsewhere = references.resolve(source.document, address)
    except references.TooManyMeanings as problem:
        raise TooLargeError(str(problem)) from None
    for table in elsewhere:
        stated = next(table[key] for key in references.REFERENCES if key in table)
        message = f"refers to another document ({stated!r}): bundle them into one"
        raise UnbundledError(message, source.line(table, "$ref"))


def _size(document: object) -> int:
    """The number of values in a document; an alias counts as often as it is used."""
    sizes: dict[int, int] = {}

    def size(value: object) -> int:
        if not isinstance(value, dict | list):
            return 1
        if id(value) not in sizes:
            children = value.values() if isinstance(value, dict) else value
            sizes[id(value)] = 1 + sum(map(size, children))
        return sizes[id(value)]

    return size(document)
