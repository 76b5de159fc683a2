"""JSON Schema validators for schemas that a target wrote: nothing is ever fetched.

A schema may refer to any address, of another host or of a file. A validator that followed such a
reference would send requests, or read files, that the run did not decide on.
"""

from collections.abc import Mapping
from typing import Any, NoReturn

import jsonschema_rs

Schema = Mapping[str, Any]


def fast(schema: Schema) -> Any:
    """A validator in the dialect of the schema. Raises ValueError for an unusable schema."""
    return jsonschema_rs.validator_for(dict(schema), retriever=_refuse)


def modern(schema: Schema) -> Any:
    """A validator of JSON Schema 2020-12 with formats. Raises ValueError for an unusable schema."""
    return jsonschema_rs.Draft202012Validator(
        dict(schema), validate_formats=True, retriever=_refuse
    )


def accepts(schema: Schema, value: object) -> bool:
    """Whether a second, independent validator accepts a value, or the schema is unusable to it."""
    # Imported late: it is slow, and only needed where a target may be blamed alone.
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415
    from jsonschema.validators import validator_for  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415
    from referencing.jsonschema import EMPTY_REGISTRY  # noqa: PLC0415

    stated: Any = dict(schema)
    instance: Any = value
    validator = validator_for(stated, default=Draft202012Validator)
    try:
        validator.check_schema(stated)
        return bool(validator(stated, registry=EMPTY_REGISTRY).is_valid(instance))
    except (SchemaError, Unresolvable, RecursionError):
        return True


def _refuse(address: str) -> NoReturn:
    raise ValueError(f"{address} is outside of the document")
