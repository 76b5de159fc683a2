"""Runs against broken behaviours, each in a process of its own, and what they cost.

As a program it prints a line of JSON for each behaviour that it is given: its `Outcome`.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from measured import ended

CLASSES = {"http": "read", "tools": "tools", "description": "description"}
RUN = "--run"
PEAK = "peak"
MAX_REQUESTS = 40
MAX_TIME = 15
PATIENCE = 120
"""Seconds after which a run is killed."""


@dataclass(frozen=True)
class Outcome:
    """The end of a run: its exit code and its report, and what it took.

    `seconds` include its start, and not those in which it had no processor; `memory` is its peak in
    MiB, `log` the size of its exchanges in MB.
    """

    name: str
    code: int
    seconds: float
    memory: float
    log: float
    report: Any


def outcomes(names: Sequence[str]) -> Generator[Outcome, None, None]:
    """The outcomes of runs against behaviours, one after the other, in a fresh process."""
    with subprocess.Popen(
        [sys.executable, __file__, *names], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if line.startswith("{"):
                yield Outcome(**json.loads(line))


def _outcome(name: str) -> Outcome:
    # Not at the top: the process of a run does without the bodies of all behaviours.
    from hostile_behaviours import BEHAVIOURS  # noqa: PLC0415
    from hostile_server import broken  # noqa: PLC0415

    face, respond = BEHAVIOURS[name]
    with tempfile.TemporaryDirectory() as folder, broken(face, respond) as profile:
        started = time.monotonic()
        stated = json.dumps([profile, CLASSES[face], folder])
        running = subprocess.Popen([sys.executable, __file__, RUN, stated], stdout=sys.stderr)
        end = ended(running.pid, started + PATIENCE)
        running.returncode = end.code
        report = Path(folder) / "report.json"
        document = json.loads(report.read_bytes()) if report.exists() else None
        peak = Path(folder) / PEAK
        memory = float(peak.read_text()) if peak.exists() else end.memory
        seconds = time.monotonic() - started - end.queued
        return Outcome(name, end.code, seconds, memory, _size(Path(folder)), document)


def _size(folder: Path) -> float:
    log = folder / "exchanges.jsonl"
    return log.stat().st_size / 1e6 if log.exists() else 0.0


def _write_peak(directory: Path) -> None:
    """Write the peak memory of this process in MiB.

    What the system counts for a child includes the memory of its parent, which has all the bodies.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    (directory / PEAK).write_text(str(int(kilobytes) / 1024))


def _run(profile: dict[str, Any], conformance_class: str, directory: Path) -> int:
    from conformance.http.network import Network  # noqa: PLC0415 - only in this process
    from conformance.runner import examination, pytest_run  # noqa: PLC0415
    from conformance.target.profile import parse  # noqa: PLC0415

    options = [
        *pytest_run.options(directory, "standard", 1, [conformance_class]),
        f"--conformance-max-requests={MAX_REQUESTS}",
        f"--conformance-max-time={MAX_TIME}",
        "--conformance-report=junit",
    ]
    target = parse(profile, environ={})
    subject = examination.Substitute(lambda: examination.Subject(target, Network()))
    code = pytest_run.execute(options, [subject])
    _write_peak(directory)
    return code


def main() -> None:
    """Print the outcomes of the behaviours that the arguments name."""
    if sys.argv[1] == RUN:
        profile, conformance_class, folder = json.loads(sys.argv[2])
        sys.exit(_run(profile, conformance_class, Path(folder)))
    for name in sys.argv[1:]:
        sys.stdout.write(json.dumps(asdict(_outcome(name))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
