"""Runs against some of the broken behaviours; `all_behaviours.py` has all of them."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from hostile_behaviours import BEHAVIOURS
from hostile_run import Outcome, outcomes
from hostile_verdict import flaws

QUICK = [
    "http: a bomb of blanks",
    "http: a cursor of 10 MB",
    "tools: a schema that branches",
    "tools: an output schema with an evil pattern",
    "tools: alternatives that are the schema itself",
    "tools: an output schema that holds where it holds",
    "tools: an output schema of 900 levels",
    "tools: required properties that are the schema itself",
    "tools: cursors that double",
    "description: schemas that branch",
    "description: a chain of 19,000 alternatives",
    "description: a chain of 40,000 alternatives",
    "description: an evil pattern with a default in 3.0",
    "description: many patterns",
    "description: a sequence of empty items",
    "description: merge keys",
    "description: a comment of 8 MB",
    "description: a path of 3 million characters",
    "description: a hexadecimal version",
]


def test_there_are_more_than_a_hundred_behaviours() -> None:
    """Over HTTP, tools and description."""
    faces = [face for face, _ in BEHAVIOURS.values()]
    assert len(faces) > 100
    assert {face: faces.count(face) > 15 for face in ("http", "tools", "description")} == {
        "http": True,
        "tools": True,
        "description": True,
    }


@pytest.fixture(scope="module")
def ended(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Outcome]]:
    """The outcome of a selected behaviour, by its name.

    One process has the bodies of all behaviours, and serves one after the other: to make them takes
    longer than some of the runs. Each run has a process of its own.
    """
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    wanted = [
        str(item.callspec.params["name"])
        for item in items
        if item.module is request.module and "ended" in item.fixturenames
    ]
    known: dict[str, Outcome] = {}

    def outcome(name: str) -> Outcome:
        while name not in known:
            found = next(running)
            known[found.name] = found
        return known[name]

    with closing(outcomes(wanted)) as running:
        yield outcome


@pytest.mark.parametrize("name", QUICK)
def test_a_run_survives_a_broken_behaviour(name: str, ended: Callable[[str], Outcome]) -> None:
    """It ends in time, in 400 MiB, with a valid report that does not blame the checker."""
    assert flaws(ended(name)) == []
