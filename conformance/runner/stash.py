"""The keys of the session and of the contexts in the stash of pytest.

Cheap to import: every pytest of an environment loads the plugin.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conformance.runner.context import Context
    from conformance.runner.engine import Engine
    from conformance.runner.items import Recorded
    from conformance.runner.resumption import Earlier
    from conformance.runner.rounds import Check, Source
    from conformance.runner.session import Session

SESSION: pytest.StashKey["Session"] = pytest.StashKey()
"""The examination of this process."""

EARLIER: pytest.StashKey["Earlier"] = pytest.StashKey()
"""What the run that is resumed has left."""

CONTEXT: pytest.StashKey["Context"] = pytest.StashKey()
"""The context of an item."""

ENGINE: pytest.StashKey["Engine"] = pytest.StashKey()
"""What performs the checks of this process."""

PERFORM: pytest.StashKey[Callable[[pytest.Function, "Context"], None]] = pytest.StashKey()
"""Performs the check of an item; set by the conftest of the suite."""

RECORDED: pytest.StashKey["Recorded"] = pytest.StashKey()
"""The results of checks that were performed, before pytest repeats how they have ended."""

DURATIONS: pytest.StashKey[Mapping[str, float] | None] = pytest.StashKey()
"""The durations of --durations-from; None without it."""

CHECKS: pytest.StashKey[Collection["Check"]] = pytest.StashKey()
"""What the run checks, also where a part of it was finished before it was resumed."""

MORE: pytest.StashKey["Source"] = pytest.StashKey()
"""Makes the rounds with which a deep run goes on; set by the conftest of the suite."""

ROUNDS: pytest.StashKey[int] = pytest.StashKey()
"""The number of rounds of the run that is replayed."""

GATHERER = "conformance-gatherer"
"""The name of the plugin that gathers results and writes the report."""

RESULT, FACT_RESULT = "conformance", "conformance-fact"
"""The user properties of a report with the result of its item, and with those of facts."""
