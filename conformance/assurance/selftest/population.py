"""Mutants and variants: TOML files as values."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import chain, cycle
from pathlib import Path
from typing import Any

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit, EditError
from conformance.contract import requirements

FILES = ("mutants.toml", "variants.toml")
KEYS = {
    "mutant": {"id", "about", "breaks", "edits"},
    "variant": {"id", "about", "reading", "edits", "inconclusive"},
}
OPTIONAL = {"inconclusive"}
LISTS = {"breaks", "edits", "inconclusive"}
EDIT_KEYS = {"module", "old", "new"}
SEED = 1


class PopulationError(ValueError):
    """An entry of a file that is not what it should be; says the entry and what is wrong with it."""


@dataclass(frozen=True)
class Mutant:
    """A reference that breaks the requirements in `breaks`, and no other one."""

    id: str
    about: str
    breaks: frozenset[str]
    edits: tuple[Edit, ...]
    seed: int = SEED


@dataclass(frozen=True)
class Variant:
    """A reference that takes another freedom of the contract; `inconclusive` are the requirements that it leaves undecided."""

    id: str
    about: str
    reading: str
    edits: tuple[Edit, ...]
    inconclusive: frozenset[str]
    seed: int = SEED


Subject = Mutant | Variant
REFERENCE = Variant("reference", "The reference as it is.", "", (), frozenset())


def shipped() -> tuple[Subject, ...]:
    """The mutants and variants of the package, in the order of their files: one for each requirement, and one for each reading."""
    folder = resources.files("conformance.assurance.selftest")
    return tuple(
        chain.from_iterable(read((folder / name).read_text(encoding="utf-8")) for name in FILES)
    )


def load(paths: Sequence[Path]) -> tuple[Subject, ...]:
    """The mutants and variants of some files. Raises OSError, and PopulationError with the name of the file."""
    found: list[Subject] = []
    for path in paths:
        try:
            found += read(path.read_text(encoding="utf-8"))
        except ValueError as problem:  # of the text, of TOML, or of what stands in it
            raise PopulationError(f"{path}: {problem}") from problem
    return tuple(found)


def seeded(chosen: Sequence[Variant], count: int) -> tuple[Variant, ...]:
    """The reference and these variants in turn, with the seeds from 1 to `count`, each of which has to come to the same verdicts."""
    turns = cycle((REFERENCE, *chosen))
    seeds = range(SEED, SEED + count)
    return tuple(
        replace(one, id=f"{one.id}, seed {seed}", seed=seed)
        for seed, one in zip(seeds, turns, strict=False)
    )


def read(text: str) -> tuple[Subject, ...]:
    """The mutants and variants of a TOML text. PopulationError, or that of TOML, where it cannot be used."""
    return tuple(chain.from_iterable(_subjects(kind, entries) for kind, entries in _tables(text)))


def distinct(subjects: Sequence[Subject]) -> tuple[Subject, ...]:
    """These mutants and variants; PopulationError where two have one id."""
    seen: set[str] = set()
    for subject in subjects:
        if subject.id in seen:
            raise PopulationError(f"{subject.id}: stands twice; ids are unique")
        seen.add(subject.id)
    return tuple(subjects)


def _tables(text: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for kind, entries in tomllib.loads(text).items():
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
                _known(entry, "inconclusive"),
            )
        elif not entry["breaks"]:
            raise PopulationError(
                f"mutant {entry['id']}: breaks nothing; what breaks nothing is a variant"
            )
        else:
            yield Mutant(entry["id"], entry["about"], _known(entry, "breaks"), _edits(entry))


def _check(kind: str, entry: Mapping[str, Any]) -> None:
    """PopulationError where a key is missing, is none of this kind, or has a value of another type."""
    name = f"{kind} {entry.get('id', 'without an id')}"
    if wrong := (set(entry) - KEYS[kind]) | (KEYS[kind] - OPTIONAL - set(entry)):
        raise PopulationError(
            f"{name}: {', '.join(sorted(wrong))} must not stand there, or is missing"
        )
    if wrong := {
        key for key, value in entry.items() if not isinstance(value, list if key in LISTS else str)
    }:
        raise PopulationError(
            f"{name}: {', '.join(sorted(wrong))} must be {'an array' if wrong & LISTS else 'a string'}"
        )


def _edits(entry: Mapping[str, Any]) -> tuple[Edit, ...]:
    edits: Sequence[Mapping[str, str]] = entry["edits"]
    if not edits or not all(map(_is_edit, edits)):
        raise PopulationError(
            f"{entry['id']}: each edit has {', '.join(sorted(EDIT_KEYS))}, all of them strings; there is one at least"
        )
    made = tuple(Edit(**edit) for edit in edits)
    try:
        altered.edited(made)
    except EditError as problem:
        raise PopulationError(f"{entry['id']}: {problem}") from problem
    return made


def _is_edit(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == EDIT_KEYS
        and all(isinstance(part, str) for part in value.values())
    )


def _known(entry: Mapping[str, Any], key: str) -> frozenset[str]:
    judged = [stated.id for stated in requirements.load().values() if stated.is_checked]
    for id in entry.get(key, ()):
        if id not in judged:
            raise PopulationError(
                f"{entry['id']}: {key} names {id}, which is no requirement that is judged"
            )
    return frozenset(entry.get(key, ()))
