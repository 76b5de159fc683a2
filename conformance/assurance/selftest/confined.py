"""The matrix of what others have written: their edits run in a process that is confined.

That process is not believed: whoever runs in it could write to it whatever he likes. It gets the
mutants and variants, and gives back one line of JSON for each of them.
"""

import json
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

from conformance.assurance.selftest.matrix import MatrixError, Row
from conformance.assurance.selftest.population import Subject
from conformance.assurance.selftest.workers import TIMEOUT_SECONDS
from conformance.contract import requirements
from conformance.report.text import short

PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from conformance.assurance.selftest import confined_process; confined_process.main()"
)
ENVIRONMENT = {"HOME": "/tmp", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
"""The environment of the process: none of what this one has."""

STARTING_SECONDS = 300.0
"""Seconds for the original reference, beside those of each trial."""

LONGEST_LINE = 1 << 18
LONGEST_PROBLEM = 500


def rows(
    subjects: Sequence[Subject],
    processes: int,
    accept: Callable[[Sequence[str]], None],
    *,
    alone: bool = False,
) -> Iterator[Row]:
    """A row for each mutant and variant, as `matrix.rows` has them.

    `accept` gets what the process cannot be kept from here, before any edit runs; it raises an
    exception where that is too much. Raises MatrixError where the original does not pass.
    """
    left = {subject.id: subject for subject in subjects}
    # Variants may run twice: together, and alone.
    latest = STARTING_SECONDS + 2 * TIMEOUT_SECONDS * len(subjects)
    with _process(latest) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        accept(_missing(_line(process.stdout)))
        with suppress(BrokenPipeError), process.stdin as tasks:
            pickle.dump((tuple(subjects), processes, alone), tasks)
        while left and (stated := _line(process.stdout)):
            if "error" in stated:
                raise MatrixError(short(str(stated["error"]), LONGEST_PROBLEM))
            found = row(stated, left)
            if found is None:
                break
            del left[found.subject.id]
            yield found
    for subject in left.values():
        reason = "no verdict: its process ended, or said something else"
        yield Row(subject, (), (reason,), is_ours=True)


@contextmanager
def _process(seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """The confined process; it ends with this context, and after so many seconds."""
    with (
        tempfile.TemporaryDirectory(prefix="conformance-") as folder,
        subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", PROGRAM, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=ENVIRONMENT,
            start_new_session=True,  # no terminal, to which it could write as if it were the user
        ) as process,
    ):
        end = threading.Timer(seconds, process.kill)
        end.daemon = True
        end.start()
        try:
            yield process
        finally:
            end.cancel()
            process.kill()


def _line(output: IO[bytes]) -> Mapping[str, Any]:
    """The next line of the process; nothing where it has ended, or what it says is malformed."""
    try:
        stated = json.loads(output.readline(LONGEST_LINE))
    except (ValueError, RecursionError):
        return {}
    return stated if isinstance(stated, dict) else {}


def _missing(stated: Mapping[str, Any]) -> tuple[str, ...]:
    if "missing" not in stated:
        raise MatrixError("the process for edits of other files did not start")
    return tuple(stated["missing"])


def row(stated: Mapping[str, Any], left: Mapping[str, Subject]) -> Row | None:
    """The row that a line states; None where no row of the matrix looks like that."""
    failed, problems = stated.get("failed"), stated.get("problems")
    subject = left.get(str(stated.get("id")))
    if subject is None or not isinstance(failed, list) or not isinstance(problems, list):
        return None
    if not all(isinstance(each, str) for each in (*failed, *problems)):
        return None
    if not requirements.load().keys() >= set(failed):
        return None
    shown = tuple(short(each, LONGEST_PROBLEM) for each in problems)
    return Row(subject, tuple(failed), shown, is_ours=stated.get("is-ours") is True)
