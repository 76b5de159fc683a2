"""Requests that are made ahead: the same ones, from another process, which nobody waits for in vain."""

import multiprocessing
import os
import signal
from multiprocessing.process import BaseProcess

import pytest

from conformance.suite.fuzzing import generate
from conformance.suite.fuzzing.generate import Mode, Source
from conformance.suite.fuzzing.prefetch import Ahead

ASKED = [Source("review_approve", Mode.NEGATIVE, 5, 3), Source("project_list", Mode.POSITIVE, 5, 3)]


def started(number: int) -> tuple[Ahead, BaseProcess]:
    """With its process."""
    before = set(multiprocessing.active_children())
    ahead = Ahead(5, number)
    (process,) = set(multiprocessing.active_children()) - before
    return ahead, process


def test_what_is_made_ahead_is_what_would_be_made_here() -> None:
    """In whatever order it is asked for."""
    ahead = Ahead(5, 3)
    assert [ahead(source) for source in ASKED] == [generate.make(source) for source in ASKED]


def test_another_source_is_none_of_its_business() -> None:
    """Nobody waits for what will not come."""
    assert Ahead(5, 0)(ASKED[0]) is None


def test_what_is_not_supplied_is_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Suppliers are asked in turn."""
    empty, ready = (
        generate.Requests((), ()),
        generate.Requests((), (generate.coverage("account_get", Mode.POSITIVE))),
    )
    monkeypatch.setattr(generate, "_supplies", [])
    generate.supply({ASKED[0]: empty}.get)
    generate.supply({ASKED[0]: ready, ASKED[1]: ready}.get)
    assert generate.requests(ASKED[0]) == empty
    assert generate.requests(ASKED[1]) == ready
    assert generate.requests(Source("account_get", Mode.POSITIVE, 5, 3)) == generate.Requests(
        ready.drawn, ()
    )


def test_a_process_that_dies_leaves_the_work_to_others() -> None:
    """What it has made until then is not lost; it is not waited for."""
    ahead, process = started(200)
    process.kill()
    process.join()
    assert ahead(ASKED[0]) is None
    assert ahead(Source("account_get", Mode.NEGATIVE, 5, 200)) is None


def test_an_interruption_is_answered_by_the_run_alone() -> None:
    """Ctrl-C reaches every process of the terminal; this one goes on, and says nothing."""
    ahead, process = started(3)
    assert ahead(ASKED[1]) is not None
    os.kill(process.pid or 0, signal.SIGINT)
    assert ahead(ASKED[0]) == generate.make(ASKED[0])
