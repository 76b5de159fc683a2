"""Traffic in parts of bounded size, so that hours of it need no more memory than minutes."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from conformance.http.exchange import Exchange

LARGEST = 64 * 1024 * 1024
"""Bytes of the bodies of one part; at most two are in memory."""

OVERHEAD = 4096
"""Bytes of an exchange without its bodies, by estimate."""

Judge = Callable[[int, Sequence[Exchange]], None]
"""Judges a part, by its number from 1."""


class Parts:
    """Judges each part on a thread of its own, while the next one is gathered.

    What shows in the exchanges of two parts only is not seen.
    """

    def __init__(self, judge: Judge, largest: int = LARGEST) -> None:
        self._judge = judge
        self._largest = largest
        self._held: list[Exchange] = []
        self._size = 0
        self._number = 0
        self._judged: Future[None] | None = None
        self._thread = ThreadPoolExecutor(1, "judge")

    def add(self, exchange: Exchange) -> None:
        """Take an exchange; whoever adds more than can be judged waits."""
        response = exchange.response.body if exchange.response else b""
        self._held.append(exchange)
        self._size += OVERHEAD + len(exchange.request.body or b"") + len(response)
        if self._size >= self._largest:
            self._end_part()

    def close(self) -> None:
        """Judge what is left. Raises what a judgement has raised."""
        self._end_part()
        self._wait()
        self._thread.shutdown()

    def _end_part(self) -> None:
        self._wait()
        self._number += 1
        self._judged = self._thread.submit(self._judge, self._number, self._held)
        self._held, self._size = [], 0

    def _wait(self) -> None:
        if self._judged is not None:
            self._judged.result()
