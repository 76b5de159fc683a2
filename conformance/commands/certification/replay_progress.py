"""The progress of a replay, while a certificate is made or verified: it takes as long as a run."""

import sys
from collections import Counter

import orjson
import pytest

from conformance.commands.display import Bar, Display, Lines, Terminal
from conformance.commands.progress import counted
from conformance.commands.tally import SHARED, Tally
from conformance.http.exchange import FACT
from conformance.runner import items


class ReplayProgress:
    """A pytest plugin that shows how far a replay is, apart from its result.

    The shards of a certificate are replayed one after the other: each begins anew.
    """

    def __init__(self) -> None:
        stream = sys.stderr  # pytest replaces it while checks run
        self._console = Terminal(file=stream, highlight=False, markup=False, emoji=False)
        self.tally = Tally()
        self._display: Display | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the checks, and show the progress from now on."""
        classes = [items.requirement_of(item).conformance_class for item in session.items]
        self.tally = Tally(Counter(classes), len(classes), noun="recorded exchange")
        has_screen = self._console.is_terminal and not self._console.is_dumb_terminal
        self._display = (Bar if has_screen else Lines)(self._console, self.tally)

    @pytest.hookimpl(optionalhook=True)
    def pytest_conformance_ended(self, record: str) -> None:
        """Count a check that has ended."""
        result = orjson.loads(record)
        if result["item"].startswith(FACT):
            self.tally.exchanges[SHARED] += result["exchanges"]
        else:
            self.tally.add(*counted(result))
        if self._display is not None:
            self._display.show()

    def pytest_unconfigure(self) -> None:
        """Leave the screen to the result."""
        if self._display is not None:
            self._display.close()
