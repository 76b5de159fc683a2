"""Writes how each requirement fails: `python tests/support/generate_failures.py [REQUIREMENT …]`.

One run for each requirement, of a mutant of the package, narrowed to this requirement where that
shows it; some minutes. The documentation shows them (`docs/site/requirement_pages.py`). With
arguments, only these requirements are written anew.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altered_run

from conformance.assurance.clients import edited
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


def failure(requirement: str) -> dict[str, Any] | None:
    """The failure on a mutant; None where neither a narrowed nor a whole run shows it."""
    mutant = mutant_of(requirement)
    if mutant is None:
        return None
    for options in ([f"--conformance-only={requirement}"], []):
        with tempfile.TemporaryDirectory() as folder:
            seed = f"--conformance-seed={mutant.seed}"
            report = altered_run.report(mutant.edits, Path(folder), (), seed, *options)
        shown = shown_in(report, requirement)
        if shown is not None:
            return {"mutant": mutant.id, "about": mutant.about, "lines": shown}
    return None


def failure_of_client(requirement: str) -> dict[str, Any] | None:
    """The failure of a faulty client, in its scenario."""
    own = [each for each in edited.mutants() if requirement in each.breaks]
    if not own:
        return None
    client = min(own, key=lambda each: len(each.breaks))
    with tempfile.TemporaryDirectory() as folder:
        path, written = Path(folder) / "client.py", Path(folder) / "report"
        path.write_text(client.source, encoding="utf-8")
        options = ["--report-dir", str(written), "--scenario", client.scenario, "--json"]
        command = [sys.executable, "-m", "conformance", "client", *options, "--"]
        subprocess.run(
            [*command, "python", str(path)], stdout=subprocess.DEVNULL, cwd=folder, check=False
        )
        report = json.loads((written / "report.json").read_bytes())
    shown = shown_in(report, requirement)
    return {"mutant": client.id, "about": client.about, "lines": shown} if shown else None


def shown_in(report: Any, requirement: str) -> list[str] | None:
    """The failure as the terminal shows it, without what is another one each time."""
    entry = next(each for each in report["requirements"] if each["id"] == requirement)
    found = next((each for each in entry["findings"] if each["verdict"] == Verdict.FAIL), None)
    if found is None:
        return None
    shown = terminal.finding(entry, found, Screen(WIDTH))
    return [line for line in shown if not line.startswith(TIMED)]


def failures(ids: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The failure of each of these requirements that a mutant violates."""
    duties = requirements.of_client()
    for id in ids:
        shown = failure_of_client(id) if id in duties else failure(id)
        if shown is not None:
            yield id, shown


def main() -> None:
    """Write the file, or these requirements in it."""
    chosen = sys.argv[1:]
    known = json.loads(FILE.read_bytes()) if chosen else {}
    known |= dict(failures(chosen or list(requirements.every())))
    ordered = {id: known[id] for id in requirements.every() if id in known}
    FILE.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
