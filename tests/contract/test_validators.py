"""Validators of foreign schemas: they fetch nothing, neither from a host nor from a file."""

from contextlib import suppress
from pathlib import Path

import counting
import pytest

from conformance.contract import validators


@pytest.mark.parametrize("keyword", ["$ref", "$schema"])
def test_no_host_is_contacted(keyword: str) -> None:
    """This holds for each keyword with a URL."""
    with counting.server(b"{}") as (address, paths):
        schema = {"type": "object", keyword: f"{address}/schema"}
        for validator in (validators.fast, validators.modern):
            with suppress(ValueError):
                validator(schema).is_valid({})
        accepted = validators.accepts(schema, {})

    assert (accepted, paths) == (True, [])


def test_no_file_is_read(tmp_path: Path) -> None:
    """A schema in a file would be valid."""
    (tmp_path / "schema").write_text("{}")
    schema = {"$ref": (tmp_path / "schema").as_uri()}

    for validator in (validators.fast, validators.modern):
        with pytest.raises(ValueError, match="outside of the document"):
            validator(schema)
    assert validators.accepts(schema, {}) is True


def test_references_within_a_schema_are_followed() -> None:
    """The definitions may have another dialect."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"name": {"type": "string"}},
        "properties": {"a": {"$ref": "#/definitions/name"}},
    }

    assert [validators.fast(schema).is_valid({"a": value}) for value in ("x", 1)] == [True, False]
    assert [validators.accepts(schema, {"a": value}) for value in ("x", 1)] == [True, False]


def test_a_schema_that_refers_to_itself_accepts_every_value() -> None:
    """A target with such a schema has no violation."""
    assert validators.accepts({"$ref": "#"}, {}) is True
