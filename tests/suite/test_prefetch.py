"""Prefetched requests are those that the run would generate itself."""

import multiprocessing
import os
import signal
from multiprocessing.process import BaseProcess

from conformance.suite.fuzzing import generate
from conformance.suite.fuzzing.generate import Mode, Source
from conformance.suite.fuzzing.prefetch import Prefetch

SOURCES = [
    Source("review_approve", Mode.NEGATIVE, 5, 3),
    Source("project_list", Mode.POSITIVE, 5, 3),
]


def started(number: int) -> tuple[Prefetch, BaseProcess]:
    """A prefetch of this number, and its process."""
    before = set(multiprocessing.active_children())
    prefetch = Prefetch(5, number)
    (process,) = set(multiprocessing.active_children()) - before
    return prefetch, process


def test_prefetched_requests_equal_those_of_the_source() -> None:
    """They can be taken in any order."""
    prefetch = Prefetch(5, 3)
    assert [prefetch.requests(source) for source in SOURCES] == [
        generate.make(source) for source in SOURCES
    ]


def test_another_source_is_generated_here() -> None:
    """The run does not wait for the process."""
    assert Prefetch(5, 0).requests(SOURCES[0]) == generate.make(SOURCES[0])


def test_requests_of_a_process_that_died_are_generated_here() -> None:
    """The run does not wait for the process."""
    prefetch, process = started(200)
    process.kill()
    process.join()
    source = Source("account_get", Mode.NEGATIVE, 5, 200)
    assert prefetch.requests(source) == generate.make(source)


def test_an_interrupt_does_not_stop_the_process() -> None:
    """Ctrl-C reaches every process of the terminal."""
    prefetch, process = started(3)
    assert prefetch.requests(SOURCES[1]) is not None
    os.kill(process.pid or 0, signal.SIGINT)
    assert prefetch.requests(SOURCES[0]) == generate.make(SOURCES[0])
