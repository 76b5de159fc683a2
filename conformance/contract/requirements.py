"""The catalogue of requirements: spec/requirements.yaml as values."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.contract import files, openapi
from conformance.contract.openapi import Operation
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
"""The classes of a target, in the order in which a run checks them."""

CLIENT = "client"
"""The class of the duties of a caller, which no run against a target checks."""

GROUPS = {
    "all": "the ten operations",
    "reads": "all but review_approve",
    "lists": "the lists",
    "items": "reads by id",
    "nested": "lists of a parent",
    "target": "the deployment, or the client, as a whole",
}
KEYS = {"id", "level", "class", "section", "statement", "operations", "needs", "calls", "untested"}
REQUIRED = KEYS - {"needs", "calls", "untested"}

Groups = Mapping[str, tuple[str, ...]]
"""The operation ids of each key of GROUPS."""


class CatalogueError(ValueError):
    """The catalogue is invalid; the text names the entry, the key and the accepted values."""


@dataclass(frozen=True)
class Requirement:
    """One statement of the specification.

    `operations` is empty where it concerns the deployment as a whole. `untested` is the reason why
    it cannot be tested from outside; None where it has a check. `unscored` is the reason why it
    does not count in the revision that a run chose, `contested` the appeal that is open there.
    `calls` is False where it is about what is declared, and no operation is called to check it.
    """

    id: str
    level: Level
    conformance_class: str
    section: str
    statement: str
    operations: tuple[str, ...]
    needs: tuple[str, ...] = ()
    calls: bool = True
    untested: str | None = None
    unscored: str | None = None
    contested: str | None = None

    @property
    def is_checked(self) -> bool:
        """Whether its verdict counts."""
        is_counted = self.untested is None and self.unscored is None
        return self.level is not Level.OBSERVE and is_counted


def load() -> Mapping[str, Requirement]:
    """The requirements on a target by id, in the order of the catalogue."""
    return _by_side()[0]


def of_client() -> Mapping[str, Requirement]:
    """The requirements on a caller by id, in the order of the catalogue."""
    return _by_side()[1]


@cache
def _by_side() -> tuple[Mapping[str, Requirement], Mapping[str, Requirement]]:
    """The requirements on a target, and those on a caller."""
    target: dict[str, Requirement] = {}
    client: dict[str, Requirement] = {}
    for id, stated in every().items():
        (client if stated.conformance_class == CLIENT else target)[id] = stated
    return target, client


@cache
def every() -> Mapping[str, Requirement]:
    """The whole catalogue of the package by id, in its own order."""
    operations = openapi.load().operations.values()
    groups = {name: tuple(_members(name, operations)) for name in GROUPS}
    return read(files.document("requirements.yaml"), groups)


def _members(group: str, operations: Iterable[Operation]) -> Iterator[str]:
    """The ids of the operations in a group."""
    for operation in operations:
        belongs = {
            "all": True,
            "reads": not operation.writes,
            "lists": operation.is_list,
            "items": operation.path.endswith("Id}"),
            "nested": operation.is_list and "{" in operation.path,
            "target": False,
        }
        if belongs[group]:
            yield operation.id


def read(document: Mapping[str, Any], groups: Groups) -> Mapping[str, Requirement]:
    """The catalogue in a parsed document. Raises CatalogueError for the first invalid entry."""
    found: dict[str, Requirement] = {}
    for entry in document["requirements"]:
        requirement = _requirement(entry, groups)
        if requirement.id in found:
            raise CatalogueError(f"{requirement.id}: duplicate id")
        found[requirement.id] = requirement
    return found


def _requirement(entry: Mapping[str, Any], groups: Groups) -> Requirement:
    problem = _problem(entry)
    if problem is not None:
        raise CatalogueError(f"{entry.get('id', 'an entry without an id')}: {problem}")
    return Requirement(
        id=entry["id"],
        level=Level(entry["level"]),
        conformance_class=entry["class"],
        section=entry["section"],
        statement=entry["statement"],
        operations=_operations(entry["id"], entry["operations"], groups),
        needs=tuple(entry.get("needs", ())),
        calls=entry.get("calls", True),
        untested=entry.get("untested"),
    )


def _problem(entry: Mapping[str, Any]) -> str | None:
    """What is wrong with the keys, the class or the level of an entry; None if they are valid."""
    unknown, missing = sorted(set(entry) - KEYS), sorted(REQUIRED - set(entry))
    if unknown:
        known = ", ".join(sorted(KEYS))
        return f"unknown key {', '.join(unknown)}; the known keys are {known}"
    if missing:
        return f"missing key {', '.join(missing)}"
    if entry["class"] not in (*CLASSES, CLIENT):
        known = ", ".join((*CLASSES, CLIENT))
        return f"unknown class {entry['class']!r}; expected one of {known}"
    if entry["level"] not in list(Level):
        return f"unknown level {entry['level']!r}; expected one of {', '.join(Level)}"
    return None


def _operations(id: str, stated: object, groups: Groups) -> tuple[str, ...]:
    if isinstance(stated, str) and stated in groups:
        return groups[stated]
    if isinstance(stated, list) and set(stated) <= set(groups["all"]):
        return tuple(stated)
    expected = f"one of {', '.join(groups)}, or a list of operation ids"
    raise CatalogueError(f"{id}: invalid operations {stated!r}; expected {expected}")
