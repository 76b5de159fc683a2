"""The budgets of a run: requests, time and memory."""

import gc
from dataclasses import dataclass

import pytest

from conformance.contract.verdict import Inconclusive
from conformance.http.budget import OWN_REQUESTS, OWN_SECONDS, Budget, values


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        """The time."""
        return self.time


@dataclass(frozen=True)
class Holder:
    """Something that refers to a body."""

    body: bytes


def test_whoever_states_no_budget_has_that_of_a_command() -> None:
    """A minute, and a few hundred requests."""
    budget = Budget()
    for _ in range(OWN_REQUESTS):
        budget.spend()
    with pytest.raises(Inconclusive, match="the 500 requests of the command were sent"):
        budget.spend()
    assert budget.seconds == OWN_SECONDS


def test_without_limits_everything_is_allowed() -> None:
    """There is no end, and nothing is cut."""
    budget = Budget(requests=None, seconds=None)
    budget.spend()
    assert (budget.left, budget.is_over, budget.cut) == (None, False, {})


def test_the_requests_of_a_run_are_counted() -> None:
    """One more than allowed is inconclusive, and names the option."""
    budget = Budget(requests=2, owner="run")
    budget.spend()
    budget.spend()
    with pytest.raises(Inconclusive, match="the 2 requests of the run were sent") as problem:
        budget.spend()
    assert (problem.value.needs, budget.cut) == (("--max-requests",), {"max-requests": 1})


def test_the_time_of_a_run_ends() -> None:
    """From then on nothing is sent; the message has the seconds."""
    clock = Clock()
    budget = Budget(seconds=10, now=clock, owner="run")
    budget.begin(95.0)
    budget.spend()
    assert (budget.left, budget.is_over) == (5.0, False)
    clock.time = 105.0
    assert budget.is_over
    with pytest.raises(Inconclusive, match="the 10 s of the run are over") as problem:
        budget.spend()
    assert (problem.value.needs, budget.cut) == (("--max-time",), {"max-time": 1})


def test_large_bodies_count_as_long_as_they_are_referred_to() -> None:
    """Small ones do not count."""
    budget, body = Budget(memory=100_000), bytes(20_000)
    held = [Holder(body), Holder(body)]
    assert [budget.admit(each, body) for each in held] == [True, True]
    assert budget.admit(Holder(b"x"), b"x" * 16_384)
    assert not budget.admit(Holder(body), body)
    held.clear()
    gc.collect()
    assert budget.admit(Holder(body), body)


def test_values_are_never_estimated_too_low() -> None:
    """Each has a comma before it, or a bracket around it; those in strings count as well."""
    assert [values(text) for text in (b"1", b"[1,2]", b'{"a":{"b":[]},"c":","}')] == [1, 3, 6]
