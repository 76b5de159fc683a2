"""Revisions: frozen lists of the requirements and interpretations that a certificate counts."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from conformance.contract import files, requirements
from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Level

FOLDER = "revisions"
NAME = re.compile(r"\d{4}-\d{2}")
VALID_DAYS = 365
MOST_VALID_DAYS = 3_660
"""Days that a certificate may hold at most: ten years."""

DEPTHS = ("standard", "deep")
NEXT = "2026-12"
"""The revision that is being prepared: it follows the catalogue until it is published."""

HEAD = """\
# What counts in revision {name} of the programme; docs/revisions.md has the policy.
#
# {origin}
"""
WRITTEN = "Written by `tox -e generate` from requirements.yaml as long as it is not published."


class UnknownRevision(ValueError):
    """There is no such revision; str() names those that there are."""


@dataclass(frozen=True)
class Revision:
    """A frozen part of the catalogue.

    `levels` are those of the requirements that count, by id. `excluded` has the reasons why a
    service release took a requirement out. `contested` names requirements under appeal.
    `valid_days` is how long a certificate holds, `depths` are the depths of a run that it accepts.
    """

    name: str
    published: bool
    valid_days: int
    depths: tuple[str, ...]
    levels: Mapping[str, Level]
    excluded: Mapping[str, str]
    contested: Mapping[str, str]
    interpretations: tuple[str, ...]

    def why_unscored(self, requirement: str) -> str | None:
        """Why a requirement that is checked does not count; None where it counts."""
        if requirement in self.excluded:
            return f"revision {self.name} leaves it out: {self.excluded[requirement]}"
        if requirement in self.levels:
            return None
        return f"revision {self.name} does not have it: it counts from a later one on"

    def scored(self, catalogue: Mapping[str, Requirement]) -> dict[str, Requirement]:
        """The catalogue with the levels of this revision; newer requirements do not count."""
        return {id: self._scored(entry) for id, entry in catalogue.items()}

    def _scored(self, entry: Requirement) -> Requirement:
        if not entry.is_checked:
            return entry
        return replace(
            entry,
            level=self.levels.get(entry.id, entry.level),
            unscored=self.why_unscored(entry.id),
            contested=self.contested.get(entry.id),
        )

    def level(self, requirement: str) -> Level | None:
        """The level at which a requirement counts; None where it does not."""
        return None if requirement in self.excluded else self.levels.get(requirement)


def names() -> tuple[str, ...]:
    """Every revision, the oldest first."""
    entries = files.folder().joinpath(FOLDER).iterdir()
    found = (entry.name.removesuffix(".yaml") for entry in entries)
    return tuple(sorted(name for name in found if NAME.fullmatch(name)))


def latest() -> Revision:
    """The newest revision."""
    return load(names()[-1])


@cache
def load(name: str) -> Revision:
    """One revision. Raises UnknownRevision."""
    if name not in names():
        raise UnknownRevision(f"unknown revision {name!r}; the revisions are {', '.join(names())}")
    return read(files.document(f"{FOLDER}/{name}.yaml"))


def read(stated: Mapping[str, Any]) -> Revision:
    """The revision of a document. Raises KeyError, TypeError, ValueError or AttributeError."""
    valid_days = stated["valid-days"]
    if type(valid_days) is not int or not 1 <= valid_days <= MOST_VALID_DAYS:
        raise ValueError(f"valid-days must be an integer from 1 to {MOST_VALID_DAYS}")
    return Revision(
        name=stated["revision"],
        published=stated["published"],
        valid_days=valid_days,
        depths=tuple(stated["depths"]),
        levels={id: Level(level) for id, level in stated["requirements"].items()},
        excluded=dict(stated["excluded"]),
        contested=dict(stated["contested"]),
        interpretations=tuple(stated["interpretations"]),
    )


def document(revision: Revision) -> dict[str, Any]:
    """The content of the file of a revision."""
    return {
        "revision": revision.name,
        "published": revision.published,
        "valid-days": revision.valid_days,
        "depths": list(revision.depths),
        "requirements": {id: level.value for id, level in revision.levels.items()},
        "excluded": dict(revision.excluded),
        "contested": dict(revision.contested),
        "interpretations": list(revision.interpretations),
    }


def is_relaxed(revision: Revision) -> bool:
    """Whether a revision of this name was published and asks for more, or holds for less time."""
    if revision.name not in names():
        return False
    official = load(revision.name)
    return official.published and (
        revision.levels != official.levels
        or revision.valid_days != official.valid_days
        or revision.depths != official.depths
    )


def text(name: str, interpretations: Iterable[str], former: Revision | None = None) -> str:
    """The file of a revision that has everything that is checked today."""
    excluded, contested = (former.excluded, former.contested) if former else ({}, {})
    counted = {
        entry.id: entry.level.value for entry in requirements.load().values() if entry.is_checked
    }
    lines = [
        *HEAD.format(name=name, origin=WRITTEN).splitlines(),
        f"revision: {name}",
        "published: false",
        f"valid-days: {VALID_DAYS}",
        f"depths: [{', '.join(DEPTHS)}]",
        *_table("requirements", counted),
        "# requirement: why a service release took it out",
        *_table("excluded", excluded),
        "# requirement: the appeal that is open",
        *_table("contested", contested),
        "interpretations:",
        *(f"  - {_quoted(each)}" for each in sorted(set(interpretations))),
    ]
    return "".join(f"{line}\n" for line in lines)


def _table(name: str, entries: Mapping[str, str]) -> Iterator[str]:
    yield f"{name}:" if entries else f"{name}: {{}}"
    for id, value in entries.items():
        yield f"  {id}: {value if value in set(Level) else _quoted(value)}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
