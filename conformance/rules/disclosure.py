"""Records in error responses: a caller who may not read a record is not shown it (Authentication).

An error body may have properties of its own, ids and names among them. What counts is a whole
record: valid by its schema, with at least half of its fields; and the names of the record that was
asked for.
"""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Contract
from conformance.contract.pointer import Path
from conformance.http.exchange import MISSING, parse
from conformance.rules import validation
from conformance.rules.records import Record

DEEPEST = 8
"""Levels of a body that are searched."""
MOST_VALUES = 2_000
"""Values of a body that are searched: an error response is short."""
LONGEST_TEXT = 200_000
"""Characters of a string that is searched for JSON."""
SHORTEST_NAME, LONGEST_WORD = 5, 12
"""Characters of a name that does not stand in a sentence by chance, and of one that is one word."""


def record_in(
    value: object, resource: str, contract: Contract, named: Collection[str] = ()
) -> Path | None:
    """The path to the first record of a resource in a JSON value; None if there is none.

    A string of JSON, as tools return it, is searched too, and its path is that of the string.
    With `named`, which are ids in lower case, only a record counts that has one of them.
    """
    for number, (path, each) in enumerate(_objects(value, (), DEEPEST)):
        if number >= MOST_VALUES:
            break
        if _is_record(each, resource, contract) and _names(each, named):
            return path
    return None


def names_in(value: object, record: Record) -> dict[str, Path]:
    """The names of a record, and of what it belongs to, in a JSON value, with the path to each."""
    texts = (
        ((*path, key), text)
        for path, each in islice(_objects(value, (), DEEPEST), MOST_VALUES)
        for key, text in each.items()
        if isinstance(text, str)
    )
    found: dict[str, Path] = {}
    names = [*_names_of(record)]
    for path, text in texts:
        for name in names:
            if name in text:
                found.setdefault(name, path)
    return found


def _names_of(record: Record) -> Iterator[str]:
    for name, value in record.items():
        if name.lower().endswith("name") and isinstance(value, str) and _is_distinct(value):
            yield value


def _is_distinct(name: str) -> bool:
    """Whether no sentence has it by chance, as it may have "Access" or "Project"."""
    return len(name) >= (LONGEST_WORD if name.isalpha() else SHORTEST_NAME)


def _objects(value: object, path: Path, depth: int) -> Iterator[tuple[Path, dict[str, Any]]]:
    if depth == 0:
        return
    if isinstance(value, str):
        yield from ((path, each) for _, each in _objects(_parsed(value), (), depth - 1))
    if isinstance(value, dict):
        yield path, value
        for name, inner in value.items():
            yield from _objects(inner, (*path, name), depth - 1)
    if isinstance(value, list):
        for index, inner in enumerate(value[:MOST_VALUES]):
            yield from _objects(inner, (*path, index), depth - 1)


def _parsed(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")) or len(text) > LONGEST_TEXT:
        return MISSING
    return parse(text)[0]


def _is_record(value: dict[str, Any], resource: str, contract: Contract) -> bool:
    fields = contract.schema(resource)["properties"]
    shown = [name for name in fields if name in value]
    if 2 * len(shown) < len(fields) or not is_uuid(value.get("id")):
        return False
    known = {name: value[name] for name in shown}
    return not validation.faults([known], resource, contract)


def _names(record: dict[str, Any], ids: Collection[str]) -> bool:
    texts = {value.lower() for value in record.values() if isinstance(value, str)}
    return not ids or not texts.isdisjoint(ids)
