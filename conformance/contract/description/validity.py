"""Whether a description is valid OpenAPI, according to an independent validator."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NoReturn

from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.source import Source
from conformance.contract.pointer import pointer

MOST_FLAWS = 20
LONGEST = 200
SCHEMES = ("<all_urls>", "", "http", "https", "file")

_ADVICE = ("Unknown JSON Schema dialect", "Required list has not defined properties")
"""The beginnings of messages that neither OpenAPI 3.1 nor JSON Schema justifies."""


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
    # Imported late: it takes a quarter of a second, and most runs have no description.
    from openapi_spec_validator import (  # noqa: PLC0415
        OpenAPIV30SpecValidator,
        OpenAPIV31SpecValidator,
        OpenAPIV32SpecValidator,
    )
    from openapi_spec_validator.validation.keywords import OpenAPIV31ValueValidator  # noqa: PLC0415

    validators = {"3.0": OpenAPIV30SpecValidator, "3.2": OpenAPIV32SpecValidator}
    version = str(source.document.get("openapi"))[:3]
    validator: type[Any] = validators.get(version, OpenAPIV31SpecValidator)
    # Without handlers of our own it fetches all that a document refers to, from network and disk.
    attributes: dict[str, Any] = {"resolver_handlers": dict.fromkeys(SCHEMES, _fetch_nothing)}
    if validator is not OpenAPIV30SpecValidator:  # since 3.1, a default need not fit its schema
        silent = type("Silent", (OpenAPIV31ValueValidator,), {"__call__": lambda *_: iter(())})
        attributes["keyword_validators"] = {**validator.keyword_validators, "default": silent}
    offline = type("Offline", (validator,), attributes)
    found: Iterator[Any] = offline(source.document).iter_errors()
    return (error for error in found if not _is_advice(error))


def _is_advice(error: Any) -> bool:
    """Whether the validator requires more than OpenAPI 3.1 and JSON Schema do.

    A pattern is in the dialect of JavaScript, not of Python; a schema dialect may be unknown to the
    validator; and a required property need not be described.
    """
    is_pattern = error.validator == "format" and error.validator_value == "regex"
    return is_pattern or str(error.message).startswith(_ADVICE)


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
