"""Turns what happens in a run into events: begun, progress, failure, round ended, verdict."""

import time
from collections import Counter
from typing import Any

import orjson
import pytest

from conformance.contract import requirements
from conformance.contract.verdict import Level, Verdict
from conformance.http.exchange import FACT
from conformance.report import event_stream
from conformance.report.event_stream import EventStream
from conformance.runner import gathering, items, order
from conformance.runner.stash import GATHERER

WRONG = (Verdict.FAIL, Verdict.ERROR)


class Events:
    """A pytest plugin that writes an event stream; with workers, there are no rounds."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream
        self._began = time.monotonic()
        self._has_begun = False
        self._total = self._done = self._requests = 0
        self._rounds: dict[str, str] = {}
        self._left: Counter[str] = Counter()
        self._failed: set[tuple[str, str | None]] = set()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the checks, of all and of each round."""
        checks = [each for each in session.items if each.get_closest_marker("requirement")]
        self._rounds = {items.name_of(each): order.round_of(each) for each in checks}
        self._left = Counter(self._rounds.values())
        self._total = len(checks)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """With workers, only they collect the checks."""
        self._total = len(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """The run has begun."""
        if session.config.option.collectonly:
            return
        self._has_begun = True
        about = gathering.described_run(session.config, self._began)
        self._write("begun", {**about, "checks": self._total})

    @pytest.hookimpl(optionalhook=True)
    def pytest_conformance_ended(self, record: str) -> None:
        """A check has ended, or a fact was found."""
        result = orjson.loads(record)
        self._requests += result["exchanges"]
        for found in result["findings"]:
            self._report(found)
        if result["item"].startswith(FACT):
            return
        self._done += 1
        progress = {"checks": self._done, "of": self._total, "requests": self._requests}
        self._write("progress", progress)
        if result["is_finished"]:  # a round that was cut has no end
            self._end_round(result["item"])

    def _report(self, found: dict[str, Any]) -> None:
        """A failure, the first time that a requirement fails on an operation."""
        id, operation = found["requirement"], found["operation"]
        stated = requirements.load().get(id)
        is_counted = stated is not None and stated.level is not Level.OBSERVE
        if found["verdict"] not in WRONG or (id, operation) in self._failed or not is_counted:
            return
        self._failed.add((id, operation))
        names = ("requirement", "operation", "verdict", "message", "expected", "item", "exchanges")
        self._write("failure", {name: found[name] for name in names})

    def _end_round(self, item: str) -> None:
        round = self._rounds.get(item)
        if round is None:
            return
        self._left[round] -= 1
        if not self._left[round]:
            self._write("round-ended", {"round": round, "requests": self._requests})

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """The last event, whatever has ended the run."""
        gatherer = config.pluginmanager.get_plugin(GATHERER)
        run = gatherer.run if gatherer is not None else None
        if self._has_begun:
            document = run.document if run is not None else None
            self._write(event_stream.VERDICT, event_stream.verdict(document))
        self._stream.close()

    def _write(self, event: str, values: dict[str, Any]) -> None:
        second = round(time.monotonic() - self._began, 3)
        self._stream.write(event, {"second": second, **values})
