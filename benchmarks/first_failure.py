"""When a new user sees the first failure: a URL, one key, 50 ms away, ten requests a second."""

import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

from benchmarks import measured, served
from benchmarks.measured import Row
from benchmarks.served import Setting
from conformance.assurance.selftest import population

LATENCY, RATE = 0.05, 10.0
PATIENCE = 120.0
"""Seconds after which a run is ended without a failure."""
PLAIN = (
    "account-in-snake-case",
    "success-without-request-id",
    "missing-is-forbidden",
    "html-instead-of-401",
    "limit-above-accepted",
    "malformed-id-fails",
    "one-more-than-the-limit",
    "project-with-negative-count",
    "neighbouring-video",
)
"""Mutants with one plain defect."""


def rows() -> Iterator[Row]:
    """Seconds from the start of `conformance run` until the terminal shows a failure."""
    edits = {each.id: each.edits for each in population.shipped()}
    for id in PLAIN:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            setting = Setting(latency=LATENCY, rate=RATE, edits=edits[id])
            with served.reference(folder, setting) as target:
                stated = tomllib.loads(target.profile.read_text(encoding="utf-8"))
                key = stated["credentials"]["primary"]["api-key"]
                url = stated["base-url"]
                yield Row(id, {"seconds": _seconds(folder / "user", url, key)})


def _seconds(folder: Path, url: str, key: str) -> float | None:
    """The same of a user who has a URL and a key; None where no failure was shown."""
    folder.mkdir()
    surroundings = measured.environment(LOCALIZATION_API_KEY=key, PYTHONUNBUFFERED="1")
    command = [sys.executable, "-m", "conformance"]
    subprocess.run(
        [*command, "init", "--base-url", url],
        cwd=folder,
        env=surroundings,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    began = time.monotonic()
    with subprocess.Popen(
        [*command, "run", "--trust"],
        cwd=folder,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as run:
        assert run.stdout is not None
        try:
            for line in run.stdout:
                passed = time.monotonic() - began
                if line.startswith("FAILED"):
                    return round(passed, 1)
                if passed > PATIENCE:
                    break
        finally:
            run.kill()
    return None
