"""Requests that schemathesis generates from the contract.

They are pure functions of a seed: every process generates the same ones.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from conformance.contract import openapi
from conformance.contract.late_imports import ALONE
from conformance.http.exchange import Call
from conformance.suite.fuzzing.cases import call_of, distinct, key
from conformance.suite.fuzzing.isolation import undisturbed

if TYPE_CHECKING:
    import hypothesis


class Mode(StrEnum):
    """Whether requests are within the contract or outside; some of the latter are allowed."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


@dataclass(frozen=True)
class Source:
    """What determines examples: equal sources give equal examples, at most `number` of them.

    `round` is 0 for those of every run, and counts the rounds with which a deep run goes on.
    """

    operation: str
    mode: Mode
    seed: int
    number: int
    round: int = 0


@dataclass(frozen=True)
class Requests:
    """The requests of one source: systematic calls, and random examples."""

    covered: tuple[Call, ...]
    drawn: tuple[Call, ...]


class Enough(BaseException):
    """Ends a search; not an Exception, which Hypothesis would take for a finding."""


class _Shown(Exception):
    """The example shows what is searched for."""


def make(source: Source) -> Requests:
    """The requests of a source, generated here."""
    return Requests(coverage(source.operation, source.mode), examples(source))


def coverage(operation: str, mode: Mode) -> tuple[Call, ...]:
    """Calls for each bound and type of the contract, one at a time; the same for every seed."""
    return _coverage(operation)[mode]


@cache
def _coverage(operation: str) -> dict[Mode, tuple[Call, ...]]:
    """Valid and invalid calls: they are generated together."""
    with ALONE:  # slow to import, and only needed for fuzzing
        from schemathesis import GenerationMode  # noqa: PLC0415

    with undisturbed():
        found = _generator()[operation]
        config = found.schema.config.generation_for(operation=found, phase="coverage")
        # In both modes, all arguments but the wrong one are valid.
        cases = list(
            found.schema.iter_coverage_cases(
                found, generation_modes=list(GenerationMode), generation_config=config
            )
        )
    return {mode: distinct(_of(mode, cases, operation)) for mode in Mode}


def _of(mode: Mode, cases: Iterable[Any], operation: str) -> Iterator[Call | None]:
    """The calls of the cases of one mode."""
    chosen = (case for case in cases if case.meta.generation.mode.value == mode)
    return (call_of(case, operation) for case in chosen)


@cache
def examples(source: Source) -> tuple[Call, ...]:
    """The calls of `drawn`, which are kept."""
    return drawn(source)


def drawn(source: Source) -> tuple[Call, ...]:
    """Random calls by Hypothesis; none for an operation without arguments."""
    found: list[Call | None] = []
    _search(source, found.append, shrink=False)
    return distinct(found)


def smallest(source: Source, shows: Callable[[Call], bool]) -> Call | None:
    """The smallest call for which `shows` holds, shrunk from the first such example.

    `shows` gets the examples and smaller calls. It is deterministic, or raises Enough.
    """
    found: list[Call] = []

    def examine(call: Call | None) -> None:
        if call is not None and shows(call):
            found.append(call)
            raise _Shown

    try:
        _search(source, examine, shrink=True)
    except _Shown:
        return found[-1]
    except Enough:
        return min(reversed(found), key=lambda call: len(repr(key(call))), default=None)
    return None


def _search(source: Source, examine: Callable[[Call | None], None], *, shrink: bool) -> None:
    operation = openapi.load().operation(source.operation)
    if source.number < 1 or (not operation.parameters and operation.body_schema is None):
        return
    with ALONE:
        import hypothesis  # noqa: PLC0415 - see `coverage`
        from schemathesis import GenerationMode  # noqa: PLC0415
        from schemathesis.generation.feedback import NO_FEEDBACK  # noqa: PLC0415

    with undisturbed():
        strategy = _generator()[source.operation].as_strategy(
            GenerationMode(source.mode), feedback=NO_FEEDBACK
        )

        @hypothesis.seed(_number(source))
        @_settings(source.number, shrink=shrink)
        @hypothesis.given(strategy)
        def search(case: Any) -> None:
            examine(call_of(case, source.operation))

        search()


def _settings(number: int, *, shrink: bool) -> "hypothesis.settings":
    with ALONE:
        import hypothesis  # noqa: PLC0415 - see `coverage`

    phases = (
        [hypothesis.Phase.generate, hypothesis.Phase.shrink]
        if shrink
        else [hypothesis.Phase.generate]
    )
    # Complete, since a profile that the user has loaded must not change the requests.
    return hypothesis.settings(
        max_examples=number,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
        backend="hypothesis",
    )


def _number(source: Source) -> int:
    # Operations with the same parameters would otherwise get the same values.
    parts = (source.seed, source.operation, source.mode, *((source.round,) if source.round else ()))
    return int.from_bytes(sha256(":".join(map(str, parts)).encode()).digest()[:8])


@cache
def _generator() -> Mapping[str, Any]:
    """The operations of schemathesis, by their ids."""
    with ALONE:
        import schemathesis  # noqa: PLC0415 - see `coverage`
        from schemathesis.config import SchemathesisConfig  # noqa: PLC0415
        from schemathesis.core.result import Ok  # noqa: PLC0415

    # With a configuration, schemathesis does not look for one in the working directory.
    schema = schemathesis.openapi.from_dict(
        deepcopy(dict(openapi.load().document)), config=SchemathesisConfig()
    )
    generation = schema.config.generation
    generation.with_security_parameters = False
    generation.allow_extra_parameters = False
    generation.allow_x00 = False
    schema.config.phases.coverage.unexpected_methods = set()
    found: Iterable[Any] = (
        result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)
    )
    return {operation.definition.raw["operationId"]: operation for operation in found}
