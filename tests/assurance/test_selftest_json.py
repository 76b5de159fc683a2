"""The matrix of a self-test for programs."""

import json

from conformance.assurance.selftest import population
from conformance.assurance.selftest.matrix import Row
from conformance.commands import selftest


def test_the_matrix_is_one_json_object() -> None:
    """Each subject with its kind, what it failed, and what was not expected."""
    subjects = population.shipped()
    mutant = next(each for each in subjects if isinstance(each, population.Mutant))
    variant = next(each for each in subjects if isinstance(each, population.Variant))
    rows = [Row(mutant, ("read/names",), ()), Row(variant, (), ("fails read/names",))]

    found = selftest.document(rows, ["limits/rate"])

    assert json.loads(json.dumps(found)) == {
        "subjects": [
            {"id": mutant.id, "kind": "mutant", "failed": ["read/names"], "problems": []},
            {"id": variant.id, "kind": "variant", "failed": [], "problems": ["fails read/names"]},
        ],
        "uncovered": ["limits/rate"],
    }
