"""The components and sections of a document that its schemas refer to."""

from typing import Any
from urllib.parse import unquote

from conformance.contract import pointer

Path = tuple[str, ...]
"""The names that lead from the root to a component or a section."""


def paths(schema: object) -> tuple[Path, ...]:
    """The component or section that each reference in a schema leads to."""
    found = []
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        if isinstance(value, dict):
            waiting += value.values()
            reference = value.get("$ref")
            if isinstance(reference, str) and reference.startswith("#/"):
                found.append(_path(reference))
    return tuple(dict.fromkeys(found))


def _path(reference: str) -> Path:
    section, *names = pointer.steps(unquote(reference[1:]))
    is_component = section == "components" and len(names) > 1
    return (section, *names[:2]) if is_component else (section,)


def put(holder: dict[str, Any], path: Path, value: object) -> None:
    """Put a value into a mapping, in the place of its path."""
    *names, last = path
    for name in names:
        holder = holder.setdefault(name, {})
    holder[last] = value
