"""Mutants and variants: mutants.toml and variants.toml as values."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import cycle
from typing import Any

from conformance import requirements
from conformance.selftest.altered import Edit

EDIT_KEYS = {"module", "old", "new"}
MUTANT_KEYS = {"id", "about", "breaks", "edits"}
VARIANT_KEYS = {"id", "about", "reading", "edits", "inconclusive"}
OPTIONAL = {"inconclusive"}
SEED = 1


class PopulationError(ValueError):
    """An entry of a file that is not what it should be; says the file, the entry and what is wrong with it."""


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


def mutants() -> tuple[Mutant, ...]:
    """The mutants that ship with the package, in the order of their file. Raises PopulationError."""
    return read_mutants(_text("mutants.toml"))


def variants() -> tuple[Variant, ...]:
    """The variants that ship with the package, in the order of their file. Raises PopulationError."""
    return read_variants(_text("variants.toml"))


def some(chosen: Iterable[Subject]) -> tuple[Subject, ...]:
    """The first mutant of each requirement, and the first variant of each reading: what a short test tries."""
    seen: set[str] = set()
    taken: list[Subject] = []
    for subject in chosen:
        proves = subject.breaks if isinstance(subject, Mutant) else {subject.reading}
        if not seen.issuperset(proves):
            taken.append(subject)
            seen.update(proves)
    return tuple(taken)


def seeded(chosen: Sequence[Variant], count: int) -> tuple[Variant, ...]:
    """The reference and these variants in turn, with the seeds from 1 to `count`, each of which has to come to the same verdicts."""
    turns = cycle((REFERENCE, *chosen))
    seeds = range(SEED, SEED + count)
    return tuple(replace(one, id=f"{one.id}, seed {seed}", seed=seed) for seed, one in zip(seeds, turns, strict=False))


def read_mutants(text: str) -> tuple[Mutant, ...]:
    """The mutants of a TOML text."""
    found = [
        Mutant(entry["id"], entry["about"], _known(entry, "breaks"), _edits(entry)) for entry in _entries(text, "mutant", MUTANT_KEYS)
    ]
    if idle := [mutant.id for mutant in found if not mutant.breaks]:
        raise PopulationError(f"mutant {idle[0]}: breaks nothing; what breaks nothing is a variant")
    return tuple(found)


def read_variants(text: str) -> tuple[Variant, ...]:
    """The variants of a TOML text."""
    return tuple(
        Variant(entry["id"], entry["about"], entry["reading"], _edits(entry), _known(entry, "inconclusive"))
        for entry in _entries(text, "variant", VARIANT_KEYS)
    )


def _text(name: str) -> str:
    file = resources.files("conformance.selftest") / name
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _entries(text: str, kind: str, keys: set[str]) -> list[dict[str, Any]]:
    document = tomllib.loads(text)
    if strange := set(document) - {kind}:
        raise PopulationError(f"{sorted(strange)[0]}: unknown table, write [[{kind}]]")
    entries: list[dict[str, Any]] = document.get(kind, [])
    seen: set[str] = set()
    for entry in entries:
        name = f"{kind} {entry.get('id', 'without an id')}"
        if wrong := (set(entry) - keys) | (keys - OPTIONAL - set(entry)):
            raise PopulationError(f"{name}: {', '.join(sorted(wrong))} must not stand there, or is missing")
        if entry["id"] in seen:
            raise PopulationError(f"{name}: stands twice; ids are unique")
        seen.add(entry["id"])
    return entries


def _edits(entry: Mapping[str, Any]) -> tuple[Edit, ...]:
    edits: Sequence[Mapping[str, str]] = entry["edits"]
    if not edits or any(set(edit) != EDIT_KEYS for edit in edits):
        raise PopulationError(f"{entry['id']}: each edit has {', '.join(sorted(EDIT_KEYS))}, and there is one at least")
    return tuple(Edit(**edit) for edit in edits)


def _known(entry: Mapping[str, Any], key: str) -> frozenset[str]:
    catalogue = requirements.load()
    ids = frozenset(entry.get(key, ()))
    if strange := [id for id in ids if id not in catalogue or not catalogue[id].is_judged]:
        raise PopulationError(f"{entry['id']}: {key} names {sorted(strange)[0]}, which is no requirement that is judged")
    return ids
