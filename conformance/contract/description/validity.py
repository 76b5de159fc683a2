"""Whether a description is valid OpenAPI, according to an independent validator."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NoReturn

from conformance.contract.description import loader
from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.source import Source
from conformance.contract.isolation import Exceeded, Isolated
from conformance.contract.late_imports import ALONE
from conformance.contract.pointer import pointer

MOST_FLAWS = 20
LONGEST = 200
ISOLATED = Isolated()

SCHEMES = ("<all_urls>", "", "http", "https", "file")


def flaws_of(text: str, address: str) -> list[Difference]:
    """The flaws of the document in a text, found in a process of its own. Raises SourceError.

    The validator takes the square of what a document has, and runs its patterns by Python.
    """
    try:
        found = ISOLATED.call(f"{__name__}:stated_flaws", [text, address])
    except Exceeded as problem:
        message = f"cannot be validated: the validator {problem}"
        return [Difference(Aspect.VALID, Effect.OPEN, "#/", message)]
    return [
        Difference(Aspect.VALID, Effect(effect), where, message, lines=tuple(lines))
        for effect, where, message, lines in found
    ]


def stated_flaws(document: tuple[str, str]) -> list[list[object]]:
    """The same of a text and its address, as JSON values, in this process."""
    text, address = document
    source = loader.read(text)
    loader.resolve(source, address)
    return [[each.effect, each.where, each.message, each.lines] for each in flaws(source)]


def flaws(source: Source) -> Iterator[Difference]:
    """The first MOST_FLAWS errors of a document by the version of OpenAPI that it states."""
    is_valid = True
    try:
        for error in islice(_errors(source), MOST_FLAWS):
            is_valid = False
            yield _flaw(source, error)
    except Exception as problem:  # noqa: BLE001 - a validator may raise anything on odd input
        # After an error, the validator may fail because of it; that is not further evidence.
        if is_valid:
            message = f"cannot be validated: the validator fails ({type(problem).__name__})"
            yield Difference(Aspect.VALID, Effect.OPEN, "#/", message)


def _flaw(source: Source, error: Any) -> Difference:
    path = list(error.absolute_path)
    where = f"#{pointer(path) or '/'}"
    message = f"is not valid OpenAPI: {str(error.message).splitlines()[0][:LONGEST]}"
    lines = _line(source, path)
    return Difference(Aspect.VALID, Effect.CLIENTS, where, message, lines=lines)


def _errors(source: Source) -> Iterator[Any]:
    validator = _lenient(str(source.document.get("openapi"))[:3])
    found: Iterator[Any] = validator(source.document).iter_errors()
    return (error for error in found if not _is_pattern(error))


def _lenient(version: str) -> type[Any]:
    """The validator of a version of OpenAPI, without what it requires beyond the standards.

    In 3.1, a default need not fit its schema, and a dialect may be unknown to the validator. In
    every version a required property need not be described.
    """
    with ALONE:  # imported late: it takes a quarter of a second, and most runs have no description
        from openapi_spec_validator import (  # noqa: PLC0415
            OpenAPIV30SpecValidator,
            OpenAPIV31SpecValidator,
            OpenAPIV32SpecValidator,
        )

    validators = {"3.0": OpenAPIV30SpecValidator, "3.2": OpenAPIV32SpecValidator}
    validator: Any = validators.get(version, OpenAPIV31SpecValidator)
    known = validator.keyword_validators
    keywords = {**known, "schema": _schemas(known["schema"])}
    if validator is not OpenAPIV30SpecValidator:
        keywords["default"] = _defaults(known["default"])

    class Lenient(validator):  # type: ignore[misc]
        # Without handlers of our own it fetches all that a document refers to.
        resolver_handlers = dict.fromkeys(SCHEMES, _fetch_nothing)
        keyword_validators = keywords

    return Lenient


def _schemas(strict: Any) -> type[Any]:
    """The validator of schemas: a property need not be described, nor a dialect be known."""
    with ALONE:
        from openapi_spec_validator.validation.exceptions import (  # noqa: PLC0415
            ExtraParametersError,
        )

    class Schemas(strict):  # type: ignore[misc]
        def __call__(self, *args: Any, **options: Any) -> Iterator[Any]:
            found = super().__call__(*args, **options)
            return (error for error in found if not isinstance(error, ExtraParametersError))

        def _get_schema_checker(self, *args: Any) -> Callable[[Any], None]:
            try:
                checker: Callable[[Any], None] = super()._get_schema_checker(*args)
            except ValueError:  # an unknown dialect
                return _accept
            return checker

    return Schemas


def _defaults(strict: Any) -> type[Any]:
    """The validator of defaults: they need not fit their schemas."""

    class Defaults(strict):  # type: ignore[misc]
        def __call__(self, *_: Any) -> Iterator[Any]:
            return iter(())

    return Defaults


def _is_pattern(error: Any) -> bool:
    """Whether an error is about a pattern: its dialect is that of JavaScript, not of Python."""
    return bool(error.validator == "format" and error.validator_value == "regex")


def _accept(_: Any) -> None:
    """Accept any schema."""


def _fetch_nothing(url: str) -> NoReturn:
    raise ValueError(f"{url} is outside of the document")


def _line(source: Source, path: list[Any]) -> tuple[int, ...]:
    """The line of the deepest part of the path that the document has."""
    node: Any = source.document
    found: tuple[int, ...] = ()
    for key in path:
        line = source.line(node, key)
        if line is None:
            break
        found, node = (line,), node[key]
    return found
