"""The published JSON Schemas are made of the definitions that read the files."""

import json
import tomllib
from typing import Any

import jsonschema
import pytest

from conformance.__main__ import main
from conformance.commands.init import template
from conformance.contract import files
from conformance.reference import Reference
from conformance.report import known_failures
from conformance.target import profile, profile_schema
from conformance.target.profile_file import ProfileError

URL = "http://target.test/v1"
TARGET = profile_schema.schema()
KNOWN = known_failures.schema()


def errors(schema: Any, document: Any) -> list[str]:
    """The messages of a stock validator."""
    return [each.message for each in jsonschema.Draft202012Validator(schema).iter_errors(document)]


@pytest.mark.parametrize(("name", "schema"), [("target", TARGET), ("known-failures", KNOWN)])
def test_a_published_schema_is_up_to_date(name: str, schema: Any, capsys: Any) -> None:
    """`tox -e generate` writes it, and `conformance schema` prints it."""
    jsonschema.Draft202012Validator.check_schema(schema)

    assert files.document(f"{name}.schema.json") == schema
    assert main(["schema", name]) == 0
    assert json.loads(capsys.readouterr().out) == schema


def test_complete_profiles_are_valid() -> None:
    """That of the reference, and the template with its variables."""
    reference = Reference()
    try:
        assert errors(TARGET, reference.profile(URL)) == []
    finally:
        reference.close()
    assert errors(TARGET, tomllib.loads(template())) == []


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"credentials": {"primry": {}}}, "'primry' was unexpected"),
        ({"base-url": "ftp://x"}, "does not match"),
        ({"limits": {"max-body-bytes": 0}}, "less than the minimum"),
        ({"limits": {"requests-per-second": 0}}, "less than or equal"),
        ({"limits": {"requests-per-second": "5"}}, "is not of type 'number'"),
        ({"fixtures": {"foreign": {"review": "x"}}}, "does not match"),
        ({"fixtures": {"approvable-reviews": ["x"]}}, "is not valid under any"),
        ({"fixtures": {"approvable-reviews": {"fil": "x"}}}, "is not valid under any"),
        ({"gate": {"require": ["reading"]}}, "is not one of"),
        ({"parameters": {"video_list": {"cursor": 7}}}, "is not of type 'string', 'boolean'"),
    ],
)
def test_a_mistake_in_a_profile_is_found(document: Any, message: str) -> None:
    """An editor shows it where it is made; the reader rejects it as well."""
    assert any(message in each for each in errors(TARGET, document))
    with pytest.raises(ProfileError):
        profile.parse(document, base_url=None if "base-url" in document else URL, environ={})


def test_values_in_their_other_forms_are_valid() -> None:
    """A variable, a command in place of a secret, and a list without a parameter."""
    document = {
        "base-url": "${URL}",
        "credentials": {"primary": {"bearer": {"command": ["./token"], "lifetime": 300}}},
        "fixtures": {"approvable-reviews": ["${REVIEW}"]},
        "parameters": {"review_list": {"project": False}},
    }

    assert errors(TARGET, document) == []


def test_known_failures_and_gaps_are_described() -> None:
    """Their tables have the same keys; a reason is required."""
    entry = {"requirement": "read/success", "reason": "ticket 7", "expires": "2027-01-31"}

    assert errors(KNOWN, {"known": [entry], "gap": [entry]}) == []
    assert errors(KNOWN, {"gap": [{"requirement": "read/success"}]}) != []
    assert errors(KNOWN, {"gaps": []}) != []
