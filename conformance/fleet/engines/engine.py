"""The seam between a coordinator and what performs its jobs: `concurrent.futures`."""

from concurrent.futures import Future
from typing import Protocol


class EngineProblem(RuntimeError):
    """An engine cannot be reached; str() is one line."""


class Engine(Protocol):
    """Performs packed tasks. A future that fails, or is cancelled, is a run that was lost."""

    def capacity(self, needs: str) -> int:
        """How many jobs with these needs it can perform at once; 0: none at the moment."""

    def submit(self, task: bytes, needs: str) -> "Future[bytes]":
        """Begin a job as soon as there is a place for it."""

    def stop(self) -> None:
        """Ask every job to end."""

    def close(self) -> None:
        """Release what it holds; no job is left."""
