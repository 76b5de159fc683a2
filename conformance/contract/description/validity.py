"""Whether a document is valid OpenAPI, in the opinion of a validator that others use too."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NoReturn

from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.source import Source

MOST_FLAWS = 20
LONGEST = 200
SCHEMES = ("<all_urls>", "", "http", "https", "file")


def flaws(source: Source) -> Iterator[Difference]:
    """What makes the document invalid by the version of OpenAPI that it claims, the first few; nothing where it is valid."""
    found = 0
    try:
        for error in islice(_errors(source), MOST_FLAWS):
            found += 1
            path = list(error.absolute_path)
            where = "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in path)
            message = str(error.message).splitlines()[0][:LONGEST]
            yield Difference(
                Aspect.VALID,
                Effect.CLIENTS,
                f"#/{where}",
                f"is not valid OpenAPI: {message}",
                lines=_line(source, path),
            )
    except Exception as problem:  # noqa: BLE001 - whatever a validator raises on what no validator expects
        # Past a flaw it may stumble over what it has just complained of; without one, that proves nothing.
        if not found:
            message = f"cannot be validated: the validator stumbles ({type(problem).__name__})"
            yield Difference(Aspect.VALID, Effect.OPEN, "#/", message)


def _errors(source: Source) -> Iterator[Any]:
    # Imported late: it takes a quarter of a second, and most runs have no description to judge.
    from openapi_spec_validator import (  # noqa: PLC0415
        OpenAPIV30SpecValidator,
        OpenAPIV31SpecValidator,
        OpenAPIV32SpecValidator,
    )
    from openapi_spec_validator.validation.keywords import OpenAPIV31ValueValidator  # noqa: PLC0415

    validators = {"3.0": OpenAPIV30SpecValidator, "3.2": OpenAPIV32SpecValidator}
    validator: type[Any] = validators.get(
        str(source.document.get("openapi"))[:3], OpenAPIV31SpecValidator
    )
    # On its own it would fetch whatever a document refers to, from the network and from the disk.
    members: dict[str, Any] = {"resolver_handlers": dict.fromkeys(SCHEMES, _fetch_nothing)}
    if validator is not OpenAPIV30SpecValidator:  # from 3.1 on a default should fit, but need not
        silent = type("Silent", (OpenAPIV31ValueValidator,), {"__call__": lambda *_: iter(())})
        members["keyword_validators"] = {**validator.keyword_validators, "default": silent}
    offline = type("Offline", (validator,), members)
    found: Iterator[Any] = offline(source.document).iter_errors()
    return (error for error in found if not _is_advice(error))


def _is_advice(error: Any) -> bool:
    """Whether the validator asks for more than OpenAPI 3.1 and JSON Schema do.

    A pattern should be one, but in the dialect of JavaScript; a dialect of schemas may be one that the validator does not know; and what
    has to be there need not be described.
    """
    is_pattern = error.validator == "format" and error.validator_value == "regex"
    told = str(error.message).startswith(
        ("Unknown JSON Schema dialect", "Required list has not defined properties")
    )
    return is_pattern or told


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
