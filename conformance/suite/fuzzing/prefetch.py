"""Makes the generated requests of a run in a process of its own, while the run is still busy with other checks."""

import multiprocessing
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection

from conformance.contract import openapi
from conformance.suite.fuzzing import generate
from conformance.suite.fuzzing.generate import Mode, Requests, Source


class Ahead:
    """A process that makes what fuzzing will ask for with this seed and this number of examples; it ends with the run or before."""

    def __init__(self, seed: int, number: int) -> None:
        self._sources = [
            Source(operation, mode, seed, number)
            for mode in Mode
            for operation in openapi.load().operations
        ]
        self._made: dict[Source, Requests] = {}
        context = multiprocessing.get_context(
            "fork" if "fork" in multiprocessing.get_all_start_methods() else None
        )
        self._receiver, sender = context.Pipe(duplex=False)
        context.Process(target=_make, args=(self._sources, sender), daemon=True).start()
        sender.close()

    def __call__(self, source: Source) -> Requests | None:
        """The requests of a source, once they are made; None for another source, and where the process has failed."""
        while source in self._sources and source not in self._made:
            try:
                key, requests = self._receiver.recv()
            except EOFError:
                return None
            self._made[key] = requests
        return self._made.get(source)


def _make(sources: Sequence[Source], sender: Connection) -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C goes to the whole group, and it is the run that answers
    with ThreadPoolExecutor(
        1
    ) as messenger:  # a pipe holds little, and the run is long busy with other things
        for source in sources:
            messenger.submit(sender.send, (source, generate.make(source)))
