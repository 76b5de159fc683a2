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
