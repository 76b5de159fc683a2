"""Runs against all broken behaviours: `pytest tests/hostile/all_behaviours.py`, half an hour.

Others are stopped by a signal in all situations of `hostile_stops`. At the end it prints what each
run of the first test took, and writes that to `HOSTILE_JSON` where it is set.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import hostile_table
import pytest
from hostile_behaviours import BEHAVIOURS
from hostile_run import Outcome, outcomes
from hostile_stops import SITUATIONS, stopped_in
from hostile_verdict import flaws


@pytest.fixture(scope="module")
def ends(request: pytest.FixtureRequest) -> Iterator[Iterator[Outcome]]:
    """The outcomes of the chosen behaviours, in their order."""
    ended: list[Outcome] = []

    def remembered(names: list[str]) -> Iterator[Outcome]:
        for outcome in outcomes(names):
            ended.append(outcome)
            yield outcome

    chosen = {item.name for item in request.session.items}
    test = test_a_run_survives_a_broken_behaviour.__name__
    yield remembered([name for name in BEHAVIOURS if f"{test}[{name}]" in chosen])
    capture = request.config.pluginmanager.get_plugin("capturemanager")
    assert capture is not None
    with capture.global_and_fixture_disabled():
        sys.stdout.write("\n" + "\n".join(hostile_table.table(ended)) + "\n")
    if path := os.environ.get("HOSTILE_JSON"):
        hostile_table.write(Path(path), ended)


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_run_survives_a_broken_behaviour(name: str, ends: Iterator[Outcome]) -> None:
    """It ends in time, in 400 MiB, with a valid report that does not blame the checker."""
    outcome = next(each for each in ends if each.name == name)
    assert flaws(outcome) == []


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_run_is_stopped_by_a_signal(name: str, tmp_path: Path) -> None:
    """Within three seconds of a processor, and with a valid report."""
    assert stopped_in(name, tmp_path).flaws == []
