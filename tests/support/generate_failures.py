"""Writes how each requirement fails: `python tests/support/generate_failures.py [REQUIREMENT …]`.

One run for each requirement, of a mutant of the package, narrowed to this requirement; some
minutes. The documentation shows them (`docs/site/requirement_pages.py`). With arguments, only these
requirements are written anew.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altered_run

from conformance.assurance.selftest.population import Mutant, shipped
from conformance.contract import requirements
from conformance.contract.verdict import Verdict
from conformance.report.console import terminal
from conformance.report.console.screen import Screen

FILE = Path(__file__).parents[2] / "docs" / "site" / "failures.json"
WIDTH = 96
TIMED = "  complete  "
"""The beginning of the line that is another one each time."""


def mutant_of(requirement: str) -> Mutant | None:
    """The mutant that violates little else; the first one of equals."""
    mutants = (each for each in shipped() if isinstance(each, Mutant))
    own = [each for each in mutants if requirement in each.breaks]
    return min(own, key=lambda each: len(each.breaks), default=None)


def failure(requirement: str, mutant: Mutant) -> dict[str, Any] | None:
    """The failure as the terminal shows it; None where the run does not show it."""
    with tempfile.TemporaryDirectory() as folder:
        options = (f"--conformance-only={requirement}", f"--conformance-depth={mutant.depth}",
                   f"--conformance-seed={mutant.seed}")  # fmt: skip
        report = altered_run.report(mutant.edits, Path(folder), (), *options)
    entry = next(each for each in report["requirements"] if each["id"] == requirement)
    found = next((each for each in entry["findings"] if each["verdict"] == Verdict.FAIL), None)
    if found is None:
        return None
    shown = terminal.finding(entry, found, Screen(WIDTH))
    lines = [line for line in shown if not line.startswith(TIMED)]
    return {"mutant": mutant.id, "about": mutant.about, "lines": lines}


def failures(ids: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The failure of each of these requirements that a mutant violates."""
    for id in ids:
        mutant = mutant_of(id)
        shown = failure(id, mutant) if mutant else None
        if shown is not None:
            yield id, shown


def main() -> None:
    """Write the file, or these requirements in it."""
    chosen = sys.argv[1:]
    known = json.loads(FILE.read_bytes()) if chosen else {}
    known |= dict(failures(chosen or list(requirements.load())))
    ordered = {id: known[id] for id in requirements.load() if id in known}
    FILE.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
