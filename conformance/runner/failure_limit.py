"""The limit of --max-failures: a run ends once so many different requirements have failed."""

from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from conformance.contract import requirements
from conformance.contract.verdict import Level, Verdict
from conformance.report.known_failures import Known
from conformance.runner import stated_inputs
from conformance.runner.stash import EARLIER, ENGINE

NAME = "conformance-failure-limit"
"""The name of the plugin."""


class FailureLimit:
    """Ends the run in good order: nothing more begins, and there is a report, as of a stopped run.

    Known failures do not count, nor warnings, nor what the run that is resumed had found.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._failed: set[str] = set()
        self._before: set[str] = set()
        self._known: list[Known] = []
        self._session: Any = None

    @property
    def is_reached(self) -> bool:
        """Whether the run was ended."""
        return len(self._failed) >= self._most

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Remember what is ended while it is under way, and what had failed before."""
        self._session = session
        today = datetime.now(UTC).date()
        known = stated_inputs.known_failures(session.config) or ()
        self._known = [each for each in known if each.is_live(today) and not each.is_gap]
        stash = session.config.stash
        for record in stash[EARLIER].records if EARLIER in stash else ():
            self._before.update(self._failures(record))
        try:
            return (yield)
        finally:
            self._session = None

    def pytest_conformance_ended(self, record: str) -> None:
        """Count the requirements that fail in the record of a check, or of a fact."""
        if self._session is None:
            return
        was_reached = self.is_reached
        self._failed.update(set(self._failures(record)) - self._before)
        if self.is_reached and not was_reached:
            self._end()

    def _failures(self, record: str) -> Iterator[str]:
        catalogue = requirements.load()
        for found in orjson.loads(record)["findings"]:
            id, operation = found["requirement"], found["operation"]
            is_must = id in catalogue and catalogue[id].level is Level.MUST
            is_known = any(each.covers(id, operation) for each in self._known)
            if found["verdict"] == Verdict.FAIL and is_must and not is_known:
                yield id

    def _end(self) -> None:
        config, reason = self._session.config, f"--max-failures {self._most}"
        if ENGINE in config.stash:
            config.stash[ENGINE].end(reason)
        self._session.shouldfail = reason
        workers = config.pluginmanager.get_plugin("dsession")
        if workers is not None:
            workers.shouldstop = reason
