"""JSON that has one meaning only: a certificate may not say two things to two readers."""

import json
from collections.abc import Mapping
from typing import Any

import orjson

from conformance.storage import json_text

LONGEST_PART = 80
"""Characters of a certificate that a message repeats."""


class NotStrict(ValueError):
    """A JSON text that readers could understand differently; str() has the reason."""


def parse(content: bytes) -> Any:
    """The value of a JSON text. Raises NotStrict for duplicate keys, NaN and what is not JSON."""
    try:
        return json.loads(content.decode(), object_pairs_hook=_object, parse_constant=_no_constant)
    except NotStrict:
        raise
    except (ValueError, RecursionError) as problem:
        raise NotStrict(f"not JSON ({_brief(problem)})") from None


def canonical(content: bytes, *, indented: bool = False) -> Any:
    """The value of a JSON text that is written as a run writes it. Raises NotStrict.

    It may have what acts on a terminal as it is: earlier suites wrote it so.
    """
    option = orjson.OPT_INDENT_2 if indented else None
    try:
        value = orjson.loads(content)
        text = orjson.dumps(value, option=option)
        if content in (text, json_text.inert(text)):
            return value
    except (ValueError, RecursionError) as problem:
        raise NotStrict(f"not JSON ({_brief(problem)})") from None
    del value  # it may be large
    parse(content)  # has the better message for a duplicate key
    raise NotStrict("not written as a run writes it: other spaces, or another spelling of a value")


def written(value: Any) -> bytes:
    """A value as JSON text for people."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)


def _object(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NotStrict(f"duplicate key {name[:LONGEST_PART]!r}")
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise NotStrict(f"{name} is not a JSON value")


def _brief(problem: BaseException) -> str:
    return str(problem).partition("\n")[0][:LONGEST_PART] or type(problem).__name__
