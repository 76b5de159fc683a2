"""JSON Schema validators for schemas that a target wrote: nothing is ever fetched.

A schema may refer to any address, of another host or of a file. A validator that followed such a
reference would send requests, or read files, that the run did not decide on.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import jsonschema_rs

from conformance.contract.late_imports import ALONE
from conformance.contract.schema_cost import is_affordable, patterns

Schema = Mapping[str, Any]
Check = Callable[[Any, Any, Any, Any], Any]

PATTERNS = jsonschema_rs.FancyRegexOptions(
    backtrack_limit=100_000, size_limit=2**20, dfa_size_limit=2**20
)
"""What a pattern may take: its engine is linear, but for what looks around, whose steps count."""

REPEATED_GROUP = re.compile(r"\)[*+{]")
REPEATED = re.compile(r"[*+]|\{\d*,")
MOST_REPEATED = 4
"""Parts of a pattern that are repeated any number of times."""
LONGEST_PATTERN = 1_000
"""Characters of a pattern that Python compiles."""


def fast(schema: Schema) -> Any:
    """A validator in the dialect of the schema. Raises ValueError for an unusable schema."""
    return jsonschema_rs.validator_for(
        _affordable(schema), retriever=_refuse, pattern_options=PATTERNS
    )


def modern(schema: Schema) -> Any:
    """A validator of JSON Schema 2020-12 with formats. Raises ValueError for an unusable schema."""
    return jsonschema_rs.Draft202012Validator(
        _affordable(schema), validate_formats=True, retriever=_refuse, pattern_options=PATTERNS
    )


def matches(pattern: str, text: str) -> bool:
    """Whether a text matches; a pattern that cannot be compiled matches nothing."""
    schema = {"type": "string", "pattern": pattern}
    try:
        return jsonschema_rs.is_valid(schema, text, pattern_options=PATTERNS)
    except ValueError:
        return False


def is_for_any(schema: Schema) -> bool:
    """Whether an engine that goes back in a text can be trusted with the patterns of a schema."""
    return is_affordable(schema) and all(map(_is_cheap, patterns(schema)))


def accepts(schema: Schema, value: object) -> bool:
    """Whether a second, independent validator accepts a value, or the schema is unusable to it."""
    with ALONE:  # imported late: it is slow, and only needed where a target may be blamed alone
        from jsonschema import (  # noqa: PLC0415
            Draft202012Validator,
            FormatChecker,
            SchemaError,
        )
        from jsonschema.validators import extend, validator_for  # noqa: PLC0415
        from referencing.exceptions import Unresolvable  # noqa: PLC0415
        from referencing.jsonschema import EMPTY_REGISTRY  # noqa: PLC0415

    if not all(map(_is_usable, patterns(schema))):
        return True
    stated: Any = dict(schema)
    instance: Any = value
    validator = validator_for(stated, default=Draft202012Validator)
    pattern = _bounded(validator.VALIDATORS["pattern"])
    own = {"pattern": pattern, "patternProperties": _everything}
    if not all(map(_is_cheap, patterns(schema))):
        # They match what is left by all patterns of properties.
        own |= dict.fromkeys(("additionalProperties", "unevaluatedProperties"), _everything)
    validator = extend(validator, own)  # type: ignore[no-untyped-call]
    try:
        validator.check_schema(stated, format_checker=FormatChecker(()))
        return bool(validator(stated, registry=EMPTY_REGISTRY).is_valid(instance))
    except (SchemaError, Unresolvable, RecursionError):
        return True


def _affordable(schema: Schema) -> dict[str, Any]:
    if not is_affordable(schema):
        raise ValueError("the alternatives of the schema are too many")
    return dict(schema)


def _bounded(check: Check) -> Check:
    """The check of a pattern, which accepts every text where it could take Python years."""

    def checked(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[Any]:
        is_cheap = isinstance(pattern, str) and _is_cheap(pattern)
        return iter(check(validator, pattern, instance, schema) or () if is_cheap else ())

    return checked


def _is_cheap(pattern: str) -> bool:
    """Whether no group is repeated, and few other parts are: steps grow slowly with the text."""
    is_repeated = REPEATED_GROUP.search(pattern) or len(REPEATED.findall(pattern)) > MOST_REPEATED
    return not is_repeated and _is_usable(pattern)


def _is_usable(pattern: str) -> bool:
    """Whether Python can compile a pattern, and soon: it may be in another dialect."""
    try:
        return len(pattern) <= LONGEST_PATTERN and re.compile(pattern) is not None
    except (re.error, RecursionError, OverflowError):
        return False


def _everything(*_: object) -> Iterator[NoReturn]:
    return iter(())


def _refuse(address: str) -> NoReturn:
    raise ValueError(f"{address} is outside of the document")
