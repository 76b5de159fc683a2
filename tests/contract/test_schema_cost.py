"""The work of validating by schemas of a target."""

from typing import Any

import pytest
from hostile_behaviours import branching

from conformance.contract import validators
from conformance.contract.schema_cost import is_affordable


def chain(levels: int) -> dict[str, Any]:
    """A schema of references, one after the other."""
    definitions = {f"x{level}": {"$ref": f"#/$defs/x{level + 1}"} for level in range(levels)}
    return {"$ref": "#/$defs/x0", "$defs": {**definitions, f"x{levels}": {}}}


@pytest.mark.parametrize(
    ("schema", "affordable"),
    [
        ({}, True),
        ({"properties": {"a": {"items": {"type": "string"}}}, "required": ["a"]}, True),
        (chain(50), True),
        (branching(10), True),
        (branching(20), False),
        (branching(60), False),
        ({"$ref": "#"}, True),
        (
            {"anyOf": [{"$ref": "#/anyOf/1"}, {"type": "object"}, {"$ref": "#/nothing/at/all"}]},
            True,
        ),
        ({"allOf": [{"$ref": f"other{number}"} for number in range(30)]}, False),
        ({"allOf": "text", "properties": 7, "not": []}, True),
        (chain(5_000), False),
        ({"patternProperties": {f"a{number}": {} for number in range(100)}}, True),
        ({"patternProperties": {f"a{number}": {} for number in range(300)}}, False),
        ({"$defs": {"unused": {"pattern": "a" * 30_000}}}, False),
    ],
)
def test_a_schema_whose_alternatives_double_is_not_affordable(
    schema: dict[str, Any], *, affordable: bool
) -> None:
    """The work is computed once for each schema of the document."""
    assert is_affordable(schema) is affordable


def test_validators_refuse_an_unaffordable_schema() -> None:
    """Both of them, as an unusable schema."""
    for validator in (validators.fast, validators.modern):
        with pytest.raises(ValueError, match="alternatives of the schema are too many"):
            validator(branching(30))


@pytest.mark.parametrize(
    ("pattern", "accepted"),
    [("^a$", False), ("^(a+)+$", True), ("a*a*a*a*a*c", True), ("[", True)],
)
def test_only_patterns_of_few_steps_are_confirmed(pattern: str, *, accepted: bool) -> None:
    """The second validator accepts every text where Python could take years."""
    assert validators.accepts({"type": "string", "pattern": pattern}, "b" * 40) is accepted


@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_what_patterns_leave_over_is_not_confirmed_by_them(keyword: str) -> None:
    """The second validator would match each name with all of them; it still checks the rest."""
    evil = {"patternProperties": {"^(a+)+$": {}}, keyword: False}
    assert validators.accepts(evil, {"a" * 100 + "b": 1})
    assert not validators.accepts({**evil, "maxProperties": 0}, {"a" * 100 + "b": 1})
    assert not validators.accepts({keyword: False}, {"b": 1})


@pytest.mark.parametrize(
    ("schema", "is_for_any"),
    [
        ({"pattern": "^[a-z]+$"}, True),
        ({"properties": {"a": {"pattern": "^(a+)+$"}}}, False),
        ({"patternProperties": {"^(a+)+$": {}}}, False),
        ({"pattern": "a" * 2_000}, False),
        (branching(30), False),
    ],
)
def test_a_client_of_python_gets_only_schemas_of_few_steps(
    schema: dict[str, Any], *, is_for_any: bool
) -> None:
    """Its engine goes back in a text, and nothing ends it."""
    assert validators.is_for_any(schema) is is_for_any


def test_a_pattern_that_looks_around_is_still_one() -> None:
    """The steps of the engine are counted; one that is linear has no need of it."""
    assert validators.matches("^(?!x)(a+)+$", "a" * 50)
    assert not validators.matches("^(?=(a+)+c)a", "a" * 2_000 + "b")
    assert not validators.matches("(", "a")
