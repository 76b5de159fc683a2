"""Facts: what several checks need is found once, by requests that belong to no check.

So the name and number of each request are the same, whichever check needs a fact first.
"""

import hashlib
import threading
from collections.abc import Callable, ItemsView, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar, cast

from conformance.http import turn
from conformance.http.exchange import FACT, Call

if TYPE_CHECKING:
    from conformance.runner.context import Context

Value = TypeVar("Value")

PREFLIGHT = "preflight"
"""The fact on which every check rests: that the target responds."""

OF_DATA = ("pages", "records", "readings", "lists-below", "other-callers")
"""The kinds of facts that show data: approvals change what they have found."""


class Fact:
    """A value that is found once; whoever asks for it meanwhile waits.

    What finding it has raised is raised to everybody who asks.
    """

    def __init__(self, context: "Context") -> None:
        self.context = context
        self._finishing = threading.Lock()
        self._finder = threading.get_ident()
        self._is_found = threading.Event()
        self._value: object = None
        self._problem: BaseException | None = None

    def find(self, compute: Callable[["Context"], object]) -> None:
        """Compute the value, in the context of the fact."""
        try:
            self.settle(compute(self.context))
        except BaseException as problem:
            self.fail(problem)
            if not isinstance(problem, Exception):
                raise

    def settle(self, value: object) -> None:
        """The value is found."""
        self._value = value
        self._is_found.set()

    def fail(self, problem: BaseException) -> None:
        """The value cannot be found."""
        self._problem = problem
        self._is_found.set()

    def apply_rules(self) -> None:
        """Apply the rules to its exchanges, once: they may need further facts."""
        with self._finishing:
            self.context.settle()

    def value(self) -> object:
        """The value, or the exception instead of it."""
        if not self._is_found.is_set() and self._finder == threading.get_ident():
            raise RuntimeError(f"{self.context.item} asks for itself")
        self._is_found.wait()
        if self._problem is not None:
            # Otherwise it would grow with every check that it ends.
            raise self._problem.with_traceback(None)
        return self._value


class Facts:
    """The facts of a run, by name."""

    def __init__(self, open_context: Callable[[str], "Context"]) -> None:
        self._open_context = open_context
        self._facts: dict[str, Fact] = {}
        self._adding = threading.Lock()

    def __contains__(self, name: str) -> bool:
        return name in self._facts

    def __getitem__(self, name: str) -> Fact:
        return self._facts[name]

    def items(self) -> ItemsView[str, Fact]:
        """The facts that somebody has asked for, by name."""
        return self._facts.items()

    def adopt(self, facts: Mapping[str, Fact]) -> None:
        """Take what another run has found on a target that responds to it in the same way."""
        self._facts |= facts

    def forget_data(self) -> list[str]:
        """Find what shows data anew when it is needed next; the names of what is forgotten."""
        with self._adding:
            names = [name for name in self._facts if name.partition("[")[0] in OF_DATA]
            for name in names:
                del self._facts[name]
            return names

    def claim(self, name: str) -> Fact | None:
        """A new fact, for the caller to find; None where somebody else finds it."""
        with self._adding:
            if name in self._facts:
                return None
            self._facts[name] = Fact(self._open_context(f"{FACT}{name}"))
            return self._facts[name]

    def ask(self, name: str, compute: Callable[["Context"], Value]) -> Value:
        """The value of a fact; the first to ask computes it."""
        return cast("Value", self.found(name, compute).value())

    def found(self, name: str, compute: Callable[["Context"], object]) -> Fact:
        """A fact that somebody finds; the first to ask does."""
        fact = self.claim(name)
        if fact is not None:
            fact.find(compute)
        return self._facts[name]

    def find_all(self, wanted: Mapping[str, Callable[["Context"], object]], threads: int) -> None:
        """Find several facts side by side; what one of them raises, whoever asks for it gets."""

        def find(name: str) -> None:
            fact = self.claim(name)
            if fact is not None:
                fact.find(wanted[name])

        if threads == 1 or len(wanted) < 2:
            for name in wanted:
                find(name)
            return
        # Not the threads of the requests: these wait for nothing but responses.
        with ThreadPoolExecutor(min(threads, len(wanted)), "fact") as pool:
            list(pool.map(turn.inherited(find), wanted))


def fact_name(kind: str, *parts: Any) -> str:
    """The name of a fact: its kind, and what it is about.

    Values of the target are not shown: they could be secrets.
    """
    return f"{kind}[{'-'.join(_shown(part) for part in parts if part is not None)}]"


def _shown(part: Any) -> str:
    if not isinstance(part, Call):
        return str(part)
    path, query = tuple(part.path.items()), part.query
    if not path and not query:
        return part.operation
    digest = hashlib.sha256(repr((path, query)).encode("utf-8", "replace")).hexdigest()
    return f"{part.operation}-{digest[:8]}"
