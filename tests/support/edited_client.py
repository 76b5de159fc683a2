"""The client of tests/clients, its mutants and its variants."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.assurance.selftest.population import Mutant

FOLDER = Path(__file__).parents[1] / "clients"
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


def edited(edits: list[dict[str, str]]) -> str:
    """The source of the client with edits; each names a text that occurs once."""
    source = ORIGINAL.read_text(encoding="utf-8")
    for edit in edits:
        assert source.count(edit["old"]) == 1, edit["old"]
        source = source.replace(edit["old"], edit["new"])
    compile(source, "client.py", "exec")
    return source


def read(kind: str) -> list[EditedClient]:
    """The clients of a kind, "mutant" or "variant", in the order of their file."""
    stated: list[dict[str, Any]] = tomllib.loads(
        (FOLDER / f"{kind}s.toml").read_text(encoding="utf-8")
    )[kind]
    return [
        EditedClient(
            each["id"],
            each["about"],
            each["scenario"],
            edited(each["edits"]),
            frozenset(each.get("breaks", ())),
            frozenset(each.get("concerns", ())),
        )
        for each in stated
    ]


MUTANTS = read("mutant")
VARIANTS = read("variant")
AS_MUTANTS = [Mutant(each.id, each.about, each.breaks, ()) for each in MUTANTS]
"""The faulty clients as spec/COVERAGE.md lists them."""
