"""The first error of a value, without the others."""

from typing import TYPE_CHECKING, Any

from conformance.contract.late_imports import ALONE

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError


def first_error(validator: Any, value: object) -> "ValidationError | None":
    """The first error that a validator of `jsonschema_rs` finds in a value; None if it is valid.

    Its `iter_errors` makes all of them before it yields one: a schema that refers to itself, and
    requires hundreds of properties, fills gigabytes with them.
    """
    with ALONE:
        import jsonschema_rs  # noqa: PLC0415 - whoever has a validator has imported it

    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        return error
    return None
