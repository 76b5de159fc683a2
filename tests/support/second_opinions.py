"""Narrow runs on altered references, and what the second judge says of them."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.assurance.second import opinion
from conformance.assurance.second.opinion import Opinion
from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.runner import examination, pytest_run


@dataclass(frozen=True)
class Run:
    """What a run has left in its folder."""

    folder: Path

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdicts of its report."""
        report = json.loads((self.folder / "report.json").read_bytes())
        return {entry["id"]: entry["verdict"] for entry in report["requirements"]}

    @property
    def opinion(self) -> Opinion:
        """The opinion of the second judge."""
        report, target = (
            json.loads((self.folder / name).read_bytes()) for name in ("report.json", "target.json")
        )
        return opinion.of(report, target, (self.folder / "exchanges.jsonl").read_bytes())


def run(edits: Sequence[Edit], folder: Path, only: Iterable[str] = (), depth: str = "quick") -> Run:
    """Run the suite on the reference with these edits, as a whole or for some requirements."""
    package = altered.load(edits)
    options = [
        *pytest_run.options(folder, depth, 1),
        "--report=badge",
        *(f"--conformance-only={id}" for id in only),
    ]
    pytest_run.execute(options, [examination.Substitute(lambda: examination.in_process(package))])
    return Run(folder)
