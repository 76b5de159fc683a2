"""The catalogue of requirements: spec/requirements.yaml as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.contract import files, openapi
from conformance.contract.verdict import Level

CLASSES = (
    "read",
    "authentication",
    "authorization",
    "pagination",
    "approval",
    "limits",
    "tools",
    "description",
)
GROUPS = {
    "all": "the ten operations",
    "reads": "all but review_approve",
    "lists": "the lists",
    "items": "reads by id",
    "nested": "lists below a record",
    "target": "the deployment as a whole",
}
KEYS = {"id", "level", "class", "section", "statement", "operations", "needs", "untested"}
REQUIRED = KEYS - {"needs", "untested"}


class CatalogueError(ValueError):
    """The catalogue is not what it should be; says the entry, the key and what would be right."""


@dataclass(frozen=True)
class Requirement:
    """One statement of the specification; `operations` is empty where it concerns the deployment as a whole."""

    id: str
    level: Level
    conformance_class: str
    section: str
    statement: str
    operations: tuple[str, ...]
    needs: tuple[str, ...] = ()
    untested: str | None = None

    @property
    def is_checked(self) -> bool:
        """Whether a verdict on it counts."""
        return self.level is not Level.OBSERVE and self.untested is None


@cache
def load() -> Mapping[str, Requirement]:
    """The catalogue that ships with the package, by id, in its own order."""
    operations = openapi.load().operations
    groups = {
        "all": tuple(operations),
        "reads": tuple(id for id, operation in operations.items() if not operation.writes),
        "lists": tuple(id for id, operation in operations.items() if operation.is_list),
        "items": tuple(
            id for id, operation in operations.items() if operation.path.endswith("Id}")
        ),
        "nested": tuple(
            id
            for id, operation in operations.items()
            if operation.is_list and "{" in operation.path
        ),
        "target": (),
    }
    return read(files.document("requirements.yaml"), groups)


def read(
    document: Mapping[str, Any], groups: Mapping[str, tuple[str, ...]]
) -> Mapping[str, Requirement]:
    """The catalogue in a parsed document. Raises CatalogueError at the first entry that is not right."""
    found: dict[str, Requirement] = {}
    for entry in document["requirements"]:
        requirement = _requirement(entry, groups)
        if requirement.id in found:
            raise CatalogueError(f"{requirement.id}: stands twice; ids are unique")
        found[requirement.id] = requirement
    return found


def _requirement(entry: Mapping[str, Any], groups: Mapping[str, tuple[str, ...]]) -> Requirement:
    name = entry.get("id", "an entry without an id")
    if wrong := set(entry) - KEYS:
        raise CatalogueError(
            f"{name}: unknown key {', '.join(sorted(wrong))}; the keys are {', '.join(sorted(KEYS))}"
        )
    if absent := REQUIRED - set(entry):
        raise CatalogueError(f"{name}: {', '.join(sorted(absent))} must be given")
    if entry["class"] not in CLASSES:
        raise CatalogueError(f"{name}: class {entry['class']!r} is none of {', '.join(CLASSES)}")
    if entry["level"] not in list(Level):
        raise CatalogueError(f"{name}: level {entry['level']!r} is none of {', '.join(Level)}")
    return Requirement(
        id=entry["id"],
        level=Level(entry["level"]),
        conformance_class=entry["class"],
        section=entry["section"],
        statement=entry["statement"],
        operations=_operations(name, entry["operations"], groups),
        needs=tuple(entry.get("needs", ())),
        untested=entry.get("untested"),
    )


def _operations(
    name: str, stated: object, groups: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    if isinstance(stated, str) and stated in groups:
        return groups[stated]
    if isinstance(stated, list) and set(stated) <= set(groups["all"]):
        return tuple(stated)
    raise CatalogueError(
        f"{name}: operations {stated!r} is neither one of {', '.join(groups)} nor a list of operation ids"
    )
