"""Requests that schemathesis makes of the contract: pure functions of a seed, so that any process makes the same ones again."""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from conformance.contract import openapi
from conformance.http.exchange import Call
from conformance.suite.fuzzing.cases import call_of, distinct, key
from conformance.suite.fuzzing.isolation import undisturbed

if TYPE_CHECKING:
    import hypothesis


class Mode(StrEnum):
    """Whether requests keep to the contract or break it; of the latter some turn out to be allowed after all."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


@dataclass(frozen=True)
class Source:
    """Where examples come from; equal sources yield equal examples, `number` of them at most."""

    operation: str
    mode: Mode
    seed: int
    number: int


@dataclass(frozen=True)
class Requests:
    """What is sent for one source: the systematic calls, and the examples."""

    covered: tuple[Call, ...]
    drawn: tuple[Call, ...]


Supply = Callable[[Source], Requests | None]
_supplies: list[Supply] = []


class Enough(BaseException):
    """Ends a search; no Exception, or Hypothesis would take it for what is being looked for."""


class _Shown(Exception):
    """The example has what is being looked for."""


def supply(ready: Supply) -> None:
    """Let requests be made elsewhere: what `ready` has of a source is taken from there."""
    _supplies.append(ready)


def requests(source: Source) -> Requests:
    """What is sent for a source, from whoever has it ready."""
    found = (ready(source) for ready in _supplies)
    return next(filter(None, found), None) or make(source)


def make(source: Source) -> Requests:
    """What is sent for a source, made here."""
    return Requests(coverage(source.operation, source.mode), examples(source))


@cache
def coverage(operation: str, mode: Mode) -> tuple[Call, ...]:
    """Calls that meet each bound and type of the contract, one at a time; the same for every seed."""
    # Imported where fuzzing happens: it takes longer than many a run without.
    from schemathesis import GenerationMode  # noqa: PLC0415

    with undisturbed():
        found = _generator()[operation]
        config = found.schema.config.generation_for(operation=found, phase="coverage")
        # With both modes asked for, what is around the one wrong argument is right.
        cases = list(
            found.schema.iter_coverage_cases(
                found, generation_modes=list(GenerationMode), generation_config=config
            )
        )
    return distinct(
        call_of(case, operation) for case in cases if case.meta.generation.mode.value == mode
    )


@cache
def examples(source: Source) -> tuple[Call, ...]:
    """Calls that Hypothesis draws; none for an operation without arguments."""
    drawn: list[Call | None] = []
    _search(source, drawn.append, shrink=False)
    return distinct(drawn)


def smallest(source: Source, shows: Callable[[Call], bool]) -> Call | None:
    """The smallest call for which `shows` holds, found by shrinking the first of the examples for which it does.

    `shows` is asked for the examples and for smaller calls; it has to give the same answer to the same call, or raises Enough.
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
    import hypothesis  # noqa: PLC0415 - see above
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
    import hypothesis  # noqa: PLC0415 - see above

    phases = (
        [hypothesis.Phase.generate, hypothesis.Phase.shrink]
        if shrink
        else [hypothesis.Phase.generate]
    )
    # Everything is said: a profile that the user has loaded must not change what is sent.
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
    # Operations of the same form would otherwise get the same values.
    return int.from_bytes(
        sha256(f"{source.seed}:{source.operation}:{source.mode}".encode()).digest()[:8]
    )


@cache
def _generator() -> Mapping[str, Any]:
    """The operations as schemathesis sees them."""
    import schemathesis  # noqa: PLC0415 - see above
    from schemathesis.config import SchemathesisConfig  # noqa: PLC0415
    from schemathesis.core.result import Ok  # noqa: PLC0415

    # A given configuration keeps schemathesis from looking for one in the working directory.
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
