"""Generates the requests of a run in another process, while the run is busy with other checks."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection

import pytest

from conformance.contract import openapi
from conformance.suite.fuzzing import generate
from conformance.suite.fuzzing.generate import Mode, Requests, Source

REQUEST_SOURCE: pytest.StashKey[Callable[[Source], Requests]] = pytest.StashKey()
"""Where a pytest run finds its generated requests, if not made by the run itself."""


class Prefetch:
    """A process that generates the requests of a run; it ends with the run or before.

    As a plugin of pytest it offers them to the checks.
    """

    def __init__(self, seed: int, number: int) -> None:
        self._sources = [
            Source(operation, mode, seed, number)
            for mode in Mode
            for operation in openapi.load().operations
        ]
        self._received: dict[Source, Requests] = {}
        self._receiving = threading.Lock()
        can_fork = "fork" in multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("fork" if can_fork else None)
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_generate, args=(self._sources, sender), daemon=True)
        self._process.start()
        sender.close()

    def pytest_configure(self, config: pytest.Config) -> None:
        """Offer the requests to the checks of a run."""
        config.stash[REQUEST_SOURCE] = self.requests

    def pytest_unconfigure(self) -> None:
        """End the process: a run that was stopped ends without the clean-up of Python."""
        self._process.kill()

    def requests(self, source: Source) -> Requests:
        """The requests of a source; generated here if the process has them not, or has failed."""
        with self._receiving:
            while source in self._sources and source not in self._received:
                try:
                    key, requests = self._receiver.recv()
                except EOFError:
                    break
                self._received[key] = requests
        return self._received.get(source) or generate.make(source)


def _generate(sources: Sequence[Source], sender: Connection) -> None:
    # A signal may reach every process of a terminal, or of a service; the run handles it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_follow, name="follow", daemon=True).start()
    # A pipe has little room, and the run reads late: sending must not block generating.
    with ThreadPoolExecutor(1) as messenger:
        for source in sources:
            messenger.submit(sender.send, (source, generate.make(source)))


def _follow() -> None:
    """End with the run, also with one that was killed."""
    run = multiprocessing.parent_process()
    if run is not None:
        run.join()
        os._exit(0)
