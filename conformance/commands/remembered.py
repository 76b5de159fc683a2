"""`--db`: adds a single run to the memory of a fleet."""

import sys
from pathlib import Path
from types import TracebackType

from sqlalchemy.exc import SQLAlchemyError

from conformance.commands.outcome import UsageError
from conformance.contract import revisions
from conformance.fleet.memory import database, recording
from conformance.fleet.memory.database import MemoryProblem
from conformance.fleet.memory.recording import Ended, Unstorable
from conformance.report.artefacts import WRITTEN
from conformance.report.console import output


class Remembered:
    """An open memory, which gets one run of a target. Raises UsageError where it cannot be opened.

    It is opened before the first request, so that a wrong URL costs no run.
    """

    def __init__(self, url: str, target: str) -> None:
        self.target = target
        try:
            self._memory = database.open_memory(url)
        except MemoryProblem as problem:
            raise UsageError(f"--db {problem}") from None

    def __enter__(self) -> "Remembered":
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _problem: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._memory.close()

    def add(self, directory: Path, code: int) -> bool:
        """Add the run in a folder; False, with a line on standard error, where that failed."""
        files = {name: (directory / name) for name in WRITTEN}
        found = {name: file.read_bytes() for name, file in files.items() if file.is_file()}
        try:
            with self._memory.writing() as connection:
                recording.add(connection, self.target, Ended(code, found, revisions.latest().name))
        except (SQLAlchemyError, Unstorable) as problem:
            reason = database.first_line(problem)
            said = f"conformance run: error: --db: the run was not added: {reason}"
            output.lines([said], sys.stderr)
            return False
        return True
