"""Mutants and variants of the reference, read from TOML files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit, EditError
from conformance.contract import requirements
from conformance.runner.depth import DEPTHS, TRIAL
from conformance.storage import toml_text

FILES = ("mutants.toml", "variants.toml")
KEYS = {
    "mutant": {"id", "about", "breaks", "perhaps", "edits", "seed", "depth"},
    "variant": {"id", "about", "reading", "edits", "inconclusive", "seed"},
}
OPTIONAL = {"inconclusive", "perhaps", "seed", "depth"}
TYPES: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("breaks", "edits", "inconclusive", "perhaps"), (list, "an array")),
    "seed": (int, "an integer"),
}
"""The types of keys whose values are no strings."""

APPEAL = "appeal"
"""The table of `conformance appeal` beside a variant; it is for people."""

EDIT_KEYS = {"module", "old", "new"}
SEED = 1
DEPTH = TRIAL


class PopulationError(ValueError):
    """An invalid entry of a file; the message names the entry and the problem."""


@dataclass(frozen=True)
class Mutant:
    """A reference that violates exactly the requirements in `breaks`.

    `perhaps` are those that its defect violates only where requests happen to meet. `seed` is that
    of its run: some conditions come up with some seeds only, and some records with some `depth`
    only. `file` is where it is from; None: it is one of this package.
    """

    id: str
    about: str
    breaks: frozenset[str]
    edits: tuple[Edit, ...]
    perhaps: frozenset[str] = frozenset()
    seed: int = SEED
    depth: str = DEPTH
    file: Path | None = None


@dataclass(frozen=True)
class Variant:
    """A reference that conforms in another allowed way.

    `reading` is the interpretation of the specification that it follows. `inconclusive` are the
    requirements that cannot be checked on it, `seed` is that of its run, `file` where it is from.
    """

    id: str
    about: str
    reading: str
    edits: tuple[Edit, ...]
    inconclusive: frozenset[str]
    seed: int = SEED
    file: Path | None = None


Subject = Mutant | Variant
REFERENCE = Variant("reference", "The original reference.", "", (), frozenset())


def shipped() -> tuple[Subject, ...]:
    """The mutants and variants of the package, in the order of their files."""
    folder = resources.files("conformance.assurance.selftest")
    return tuple(
        chain.from_iterable(read((folder / name).read_text(encoding="utf-8")) for name in FILES)
    )


def load(paths: Sequence[Path]) -> tuple[Subject, ...]:
    """The mutants and variants of these files. Raises OSError, and PopulationError."""
    found: list[Subject] = []
    for path in paths:
        try:
            subjects = read(toml_text.read(path, follow=True))
            found += (replace(each, file=path) for each in subjects)
        except ValueError as problem:  # invalid UTF-8, TOML or entry
            raise PopulationError(f"{path}: {problem}") from problem
    return tuple(found)


def seeded(chosen: Sequence[Subject], count: int) -> tuple[Subject, ...]:
    """The reference and these mutants and variants, with the seeds from 1 to `count` in turn.

    Each subject and each seed is there once at least: the shorter of the two begins again.
    """
    subjects = (REFERENCE, *chosen)
    places = range(max(len(subjects), count))
    return tuple(
        _with_seed(subjects[place % len(subjects)], SEED + place % count) for place in places
    )


def _with_seed(subject: Subject, seed: int) -> Subject:
    return replace(subject, id=f"{subject.id}, seed {seed}", seed=seed)


def read(text: str) -> tuple[Subject, ...]:
    """The mutants and variants of a TOML text. Raises ValueError, such as PopulationError."""
    return tuple(chain.from_iterable(_subjects(kind, entries) for kind, entries in _tables(text)))


def distinct(subjects: Sequence[Subject]) -> tuple[Subject, ...]:
    """These mutants and variants. Raises PopulationError where two have the same id."""
    seen: set[str] = set()
    for subject in subjects:
        if subject.id in seen:
            raise PopulationError(f"{subject.id}: duplicate id")
        seen.add(subject.id)
    return tuple(subjects)


def _tables(text: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for kind, entries in toml_text.parse(text).items():
        if kind == APPEAL and isinstance(entries, dict):
            continue
        if (
            kind not in KEYS
            or not isinstance(entries, list)
            or not all(isinstance(entry, dict) for entry in entries)
        ):
            raise PopulationError(f"{kind}: unknown, write [[mutant]] or [[variant]]")
        yield kind, entries


def _subjects(kind: str, entries: Sequence[dict[str, Any]]) -> Iterator[Subject]:
    for entry in entries:
        _check(kind, entry)
        if kind == "variant":
            yield Variant(
                entry["id"],
                entry["about"],
                entry["reading"],
                _edits(entry),
                _requirements(entry, "inconclusive"),
                entry.get("seed", SEED),
            )
        elif not entry["breaks"]:
            raise PopulationError(f"mutant {entry['id']}: breaks is empty; write a variant instead")
        else:
            yield Mutant(
                entry["id"],
                entry["about"],
                _requirements(entry, "breaks"),
                _edits(entry),
                _requirements(entry, "perhaps"),
                entry.get("seed", SEED),
                entry.get("depth", DEPTH),
            )


def _check(kind: str, entry: Mapping[str, Any]) -> None:
    """Raise PopulationError for a missing key, an unknown key, or a value of another type."""
    name = f"{kind} {entry.get('id', 'without an id')}"
    if unknown := set(entry) - KEYS[kind]:
        raise PopulationError(f"{name}: unknown key {', '.join(sorted(unknown))}")
    if missing := KEYS[kind] - OPTIONAL - set(entry):
        raise PopulationError(f"{name}: missing key {', '.join(sorted(missing))}")
    for key, value in entry.items():
        expected, kind_of_value = TYPES.get(key, (str, "a string"))
        if type(value) is not expected:
            raise PopulationError(f"{name}: {key} must be {kind_of_value}")
    if "depth" in entry and entry["depth"] not in DEPTHS:
        raise PopulationError(f"{name}: depth must be one of {', '.join(DEPTHS)}")


def _edits(entry: Mapping[str, Any]) -> tuple[Edit, ...]:
    edits: Sequence[Mapping[str, str]] = entry["edits"]
    if not edits:
        raise PopulationError(f"{entry['id']}: edits is empty: write what is different")
    if not all(map(_is_edit, edits)):
        keys = ", ".join(sorted(EDIT_KEYS))
        raise PopulationError(f"{entry['id']}: edits must be tables of the strings {keys}")
    parsed = tuple(Edit(**edit) for edit in edits)
    try:
        altered.edited(parsed)
    except EditError as problem:
        raise PopulationError(f"{entry['id']}: {problem}") from problem
    return parsed


def _is_edit(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == EDIT_KEYS
        and all(isinstance(part, str) for part in value.values())
    )


def _requirements(entry: Mapping[str, Any], key: str) -> frozenset[str]:
    checked = [stated.id for stated in requirements.load().values() if stated.is_checked]
    for id in entry.get(key, ()):
        if id not in checked:
            raise PopulationError(f"{entry['id']}: {key}: {id} is not a checked requirement")
    return frozenset(entry.get(key, ()))
