"""Calls in a process of its own, which the system ends."""

from collections.abc import Iterator

import pytest

from conformance.contract.isolation import MOST_MEMORY, Exceeded, Isolated

EVIL = "__import__('re').match('(a+)+$', 'a' * 100 + 'b')"
"""It holds the interpreter for ages, and heeds nothing."""


@pytest.fixture
def isolated() -> Iterator[Isolated]:
    """A process that may use a second."""
    made = Isolated(work=1.0)
    yield made
    made.close()


def test_a_call_returns_what_the_function_does(isolated: Isolated) -> None:
    """JSON values, and any text."""
    assert isolated.call("builtins:sorted", ["b", "\ud800", "a\n"]) == ["a\n", "b", "\ud800"]
    assert isolated.call("builtins:len", "x" * 10_000_000) == 10_000_000


def test_what_a_function_prints_is_no_reply(isolated: Isolated) -> None:
    """Nor does it reach the terminal."""
    assert isolated.call("builtins:print", "hello") is None


def test_an_exception_is_raised_here(isolated: Isolated) -> None:
    """With its type and its text; the process goes on."""
    with pytest.raises(RuntimeError, match="ZeroDivisionError: division by zero"):
        isolated.call("builtins:eval", "1 / 0")
    assert isolated.call("builtins:eval", "1 + 1") == 2


@pytest.mark.parametrize("expression", [EVIL, f"len(b'x' * {MOST_MEMORY})"], ids=["time", "memory"])
def test_a_call_that_takes_too_much_is_ended(isolated: Isolated, expression: str) -> None:
    """And the next one gets a new process."""
    with pytest.raises(Exceeded, match="takes more than 1 s, or 300 MiB"):
        isolated.call("builtins:eval", expression)
    assert isolated.call("builtins:eval", "1 + 1") == 2
