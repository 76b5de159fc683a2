"""The kill matrix in its own process, with a lower priority than the tests."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from subjects import BY_ID

from conformance.assurance.selftest import matrix

UNTIL = "CONFORMANCE_POPULATION_UNTIL"
"""The variable with the time, in seconds since the epoch, after which no trial is waited for."""

NICENESS = 10
"""The tests come first: the matrix takes the processor time that they leave."""


class KillMatrix:
    """Runs the self-test on some mutants and variants in the background."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__)],
            stdin=subprocess.PIPE,
            stdout=self._output,
            text=True,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(list(ids)))
        self._process.stdin.close()

    def problems(self) -> dict[str, list[str]]:
        """The problems of each mutant and variant, by its id; waits for the process.

        One for which no time was left is not there.
        """
        status = self._process.wait()
        assert status == 0, f"the process of the kill matrix ended with {status}"
        self._output.seek(0)
        rows: dict[str, list[str]] = dict(map(json.loads, self._output))
        return rows

    def close(self) -> None:
        """End the process if it still runs, and wait for it."""
        self._process.terminate()
        self._process.wait()
        self._output.close()


def main() -> None:
    """Read ids from standard input, and print a line of JSON for each: the id and its problems."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that its workers end, too
    os.nice(NICENESS)
    parent, until = os.getppid(), float(os.environ.get(UNTIL, "inf"))
    chosen = [BY_ID[id] for id in json.load(sys.stdin)]
    for row in matrix.rows(chosen, os.cpu_count() or 1):
        print(json.dumps([row.subject.id, row.problems]), flush=True)  # noqa: T201
        if (
            os.getppid() != parent or time.time() > until
        ):  # the tests have ended, or no time is left
            break


if __name__ == "__main__":
    main()
