"""Requests that schemathesis makes of the contract: pure functions of a seed, so that any process makes the same ones again.

Left out is what the contract says nothing about, and what a server in front of the target answers in its own words: other methods
and media types, unknown or repeated parameters, headers, and path segments that are not passed on as they are.
"""

import gc
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from hashlib import sha256
from os import devnull, environ
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlencode

from conformance import openapi
from conformance.exchange import Call
from conformance.openapi import Operation

if TYPE_CHECKING:
    import hypothesis

LONGEST = 1500
"""Characters of a path and query together; a base address comes on top, and from 2,000 on servers may refuse a URL for its length."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
NOT_PASSED_ON = re.compile(r"[/\\%;]")
"""Characters of a path segment that servers split at, decode twice or refuse."""


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
        cases = list(found.schema.iter_coverage_cases(found, generation_modes=list(GenerationMode), generation_config=config))
    return _distinct(_call(case, operation) for case in cases if case.meta.generation.mode.value == mode)


@cache
def examples(source: Source) -> tuple[Call, ...]:
    """Calls that Hypothesis draws; none for an operation without arguments."""
    drawn: list[Call | None] = []
    _search(source, drawn.append, shrink=False)
    return _distinct(drawn)


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
        strategy = _generator()[source.operation].as_strategy(GenerationMode(source.mode), feedback=NO_FEEDBACK)

        @hypothesis.seed(_number(source))
        @_settings(source.number, shrink=shrink)
        @hypothesis.given(strategy)
        def search(case: Any) -> None:
            examine(_call(case, source.operation))

        search()


def _settings(number: int, *, shrink: bool) -> "hypothesis.settings":
    import hypothesis  # noqa: PLC0415 - see above

    phases = [hypothesis.Phase.generate, hypothesis.Phase.shrink] if shrink else [hypothesis.Phase.generate]
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
    return int.from_bytes(sha256(f"{source.seed}:{source.operation}:{source.mode}".encode()).digest()[:8])


@cache
def _generator() -> Mapping[str, Any]:
    """The operations as schemathesis sees them."""
    import schemathesis  # noqa: PLC0415 - see above
    from schemathesis.config import SchemathesisConfig  # noqa: PLC0415
    from schemathesis.core.result import Ok  # noqa: PLC0415

    # A given configuration keeps schemathesis from looking for one in the working directory.
    schema = schemathesis.openapi.from_dict(deepcopy(dict(openapi.load().document)), config=SchemathesisConfig())
    generation = schema.config.generation
    generation.with_security_parameters = False
    generation.allow_extra_parameters = False
    generation.allow_x00 = False
    schema.config.phases.coverage.unexpected_methods = set()
    found: Iterable[Any] = (result.ok() for result in schema.get_all_operations() if isinstance(result, Ok))
    return {operation.definition.raw["operationId"]: operation for operation in found}


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep Hypothesis from drawing on anything but the seed, and from writing into the working directory."""
    from hypothesis import configuration  # noqa: PLC0415 - see above
    from hypothesis.internal import charmap  # noqa: PLC0415
    from hypothesis.internal.conjecture import providers  # noqa: PLC0415
    from hypothesis.internal.constants_ast import Constants  # noqa: PLC0415
    from hypothesis.internal.intervalsets import IntervalSet  # noqa: PLC0415

    # Hypothesis also draws constants that it finds in the source of modules outside site-packages, so the same seed would
    # mean other requests in a checkout than after an install. Its table of UTF-8 takes a second to build without its files.
    utf_8 = (IntervalSet([(0, 0xD7FF), (0xE000, 0x10FFFF)]), IntervalSet([]))
    codecs = charmap.intervals_from_codec
    changes: list[tuple[Any, str, Any]] = [
        (providers, "_get_local_constants", Constants),
        (providers, "CONSTANTS_CACHE", type(providers.CONSTANTS_CACHE)(1024)),
        (charmap, "intervals_from_codec", lambda name: utf_8 if name == "utf-8" else codecs(name)),
        (configuration, "__hypothesis_home_directory", _cache()),
    ]
    kept = [(module, name, getattr(module, name)) for module, name, _ in changes]
    collecting = gc.isenabled()
    gc.disable()  # a fifth of the time otherwise
    try:
        for module, name, value in changes:
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in kept:
            setattr(module, name, value)
        if collecting:
            gc.enable()


def _cache() -> Path:
    """Where Hypothesis keeps its tables of Unicode, which take half a second to make: with the user's other caches."""
    try:
        home = Path.home()
    except RuntimeError:  # nobody's home is known: then nothing is kept
        home = Path(devnull)
    return Path(environ.get("XDG_CACHE_HOME") or home / ".cache") / "localization-api-conformance" / "hypothesis"


def _distinct(calls: Iterable[Call | None]) -> tuple[Call, ...]:
    return tuple({key(call): call for call in calls if call is not None}.values())


def key(call: Call) -> tuple[object, ...]:
    """What makes two calls the same request."""
    return (call.operation, tuple(call.path.items()), call.query, call.body)


def _call(case: Any, id: str) -> Call | None:
    """A case of schemathesis as a call; None where it is one of those that are left out."""
    operation = openapi.load().operation(id)
    if case.method != operation.method or case.headers or case.cookies:
        return None
    path = {name: _segment(unquote(str(value))) for name, value in case.path_parameters.items()}
    query = _query(case.query, operation)
    if query is None or not {"", ".", ".."}.isdisjoint(path.values()):
        return None
    call = Call(id, path, query)
    if len(operation.path) + len(urlencode([*path.items(), *query])) > LONGEST:
        return None
    return call if operation.body_schema is None else _carrying(call, case)


def _query(values: Mapping[str, Any], operation: Operation) -> tuple[tuple[str, str], ...] | None:
    """The query parameters that the operation has; None where one of them cannot be written as one plain value."""
    known = [parameter.name for parameter in operation.parameters if parameter.location == "query"]
    found = {name: values[name] for name in known if name in values}
    texts = {name: _text(value) for name, value in found.items()}
    return None if None in texts.values() else tuple((name, CONTROL.sub("", text)) for name, text in texts.items() if text is not None)


def _text(value: Any) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        return _text(value[0])
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) or value is None else None


def _segment(text: str) -> str:
    return NOT_PASSED_ON.sub("", CONTROL.sub("", text)).strip()


def _carrying(call: Call, case: Any) -> Call | None:
    if type(case.body).__name__ == "NotSet":
        return call
    if case.media_type != "application/json":
        return None
    if isinstance(case.body, bytes):
        return replace(call, body=case.body)
    try:
        return replace(call, body=json.dumps(case.body, ensure_ascii=False, allow_nan=False).encode())
    except ValueError:  # lone surrogates and infinities
        return None
