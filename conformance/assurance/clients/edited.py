"""The client of this package, its mutants and its variants: they prove the duties of callers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from conformance.assurance.selftest.population import Mutant
from conformance.storage import toml_text

FOLDER = resources.files("conformance.assurance.clients")
ORIGINAL = FOLDER / "client.py"


@dataclass(frozen=True)
class EditedClient:
    """A client: `breaks` are the duties that it violates, `concerns` those that have to pass."""

    id: str
    about: str
    scenario: str
    source: str
    breaks: frozenset[str]
    concerns: frozenset[str]

    def __str__(self) -> str:
        """Its name in the ids of tests."""
        return self.id


@cache
def mutants() -> tuple[EditedClient, ...]:
    """The faulty clients."""
    return _read("mutant")


@cache
def variants() -> tuple[EditedClient, ...]:
    """The clients that keep the contract in an unusual way."""
    return _read("variant")


@cache
def as_mutants() -> tuple[Mutant, ...]:
    """The faulty clients as mutants, which name what they break."""
    return tuple(Mutant(each.id, each.about, each.breaks, ()) for each in mutants())


def _read(kind: str) -> tuple[EditedClient, ...]:
    text = (FOLDER / f"{kind}s.toml").read_text(encoding="utf-8")
    stated: list[dict[str, Any]] = toml_text.parse(text)[kind]
    return tuple(
        EditedClient(
            each["id"],
            each["about"],
            each["scenario"],
            _edited(each["edits"]),
            frozenset(each.get("breaks", ())),
            frozenset(each.get("concerns", ())),
        )
        for each in stated
    )


def _edited(edits: Sequence[dict[str, str]]) -> str:
    """The source of the client with edits; each names a text that occurs once."""
    source = ORIGINAL.read_text(encoding="utf-8")
    for edit in edits:
        if source.count(edit["old"]) != 1:
            raise ValueError(f"not once in the client: {edit['old']}")
        source = source.replace(edit["old"], edit["new"])
    return source
