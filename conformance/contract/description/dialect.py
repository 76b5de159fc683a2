"""Schemas of OpenAPI 3.0 in the terms of JSON Schema 2020-12."""

from conformance.contract.description.source import Json

_EXCLUSIVE = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))


def translate(table: Json) -> None:
    """Change a schema in place."""
    _translate_nullable(table)
    _translate_exclusive(table)


def _translate_nullable(table: Json) -> None:
    if table.get("nullable") is not True or not isinstance(table.get("type"), str):
        return
    table["type"] = [table["type"], "null"]
    values = table.get("enum")
    if isinstance(values, list) and None not in values:
        table["enum"] = [*values, None]


def _translate_exclusive(table: Json) -> None:
    for exclusive, bound in _EXCLUSIVE:
        if not isinstance(table.get(exclusive), bool):
            continue
        is_excluded = table.pop(exclusive)
        if is_excluded and bound in table:
            table[exclusive] = table.pop(bound)
