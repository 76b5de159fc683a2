"""Variants that share a trial: which of them do, and what one that fails does to the others."""

from dataclasses import replace

import pytest
from subjects import BY_ID

from conformance.assurance.selftest import blend, matrix
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.blend import Blend
from conformance.assurance.selftest.matrix import Row
from conformance.assurance.selftest.population import Subject, Variant

SERVERS = Edit("description", 'document["servers"] =', 'document["servers"]  =')
METHODS = Edit("description", '("GET", "HEAD")', '("HEAD", "GET")')
MUTANT = BY_ID["description-without-retry-after"]


def variant(id: str, *edits: Edit) -> Variant:
    """A variant with these edits."""
    return Variant(id, "about", "reading", edits, frozenset())


ONE, TWO = variant("one", SERVERS), variant("two", METHODS)
WRONG = variant("wrong", Edit("description", "return document", "return {**document, 'paths': {}}"))
"""It is said to conform, and does not."""


def ids(blends: list[Blend]) -> list[tuple[str, ...]]:
    """The ids of the subjects of each trial."""
    return [tuple(subject.id for subject in each) for each in blends]


def needs_of(subject: Subject) -> int:
    """The number of checks that a subject needs; here it is in its id."""
    return len(subject.id)


def test_variants_that_need_about_as_many_checks_share_a_trial() -> None:
    """So none of them runs checks that only another one needs."""
    assert ids(blend.blends([WRONG, ONE], needs_of)) == [("one", "wrong")]
    assert blend.edits((ONE, TWO)) == (SERVERS, METHODS)


def test_a_trial_has_a_few_variants_at_most() -> None:
    """The next one begins another trial."""
    many = [variant(f"v{number}") for number in range(blend.MOST + 1)]

    assert [len(each) for each in blend.blends(many, needs_of)] == [blend.MOST, 1]


def test_edits_of_one_text_do_not_share_a_trial() -> None:
    """One of them would not apply, or their order would matter."""
    longer = replace(ONE, id="longer", edits=(replace(SERVERS, new='document["servers"] = 7 ='),))

    assert ids(blend.blends([ONE, longer, TWO], needs_of)) == [("one", "two"), ("longer",)]


@pytest.mark.parametrize(
    "subject",
    [
        MUTANT,
        replace(ONE, id="undecided", inconclusive=frozenset({"limits/rate"})),
        replace(ONE, id="another seed", seed=2),
    ],
    ids=["a mutant", "what leaves a requirement undecided", "another seed"],
)
def test_a_subject_is_alone(subject: Subject) -> None:
    """What cannot be checked on one variant could hide a failure of another one."""
    assert ids(blend.blends([subject, TWO], needs_of)) == [(subject.id,), ("two",)]


def test_where_a_trial_of_several_fails_each_of_them_is_run_alone() -> None:
    """Only the one that does not conform has a problem."""
    together = list(matrix.rows([ONE, TWO, WRONG], 1))
    alone = list(matrix.rows([ONE, TWO, WRONG], 1, alone=True))

    found = [
        Row(ONE, (), ()),
        Row(TWO, (), ()),
        Row(WRONG, ("description/operations",), ("fails description/operations",)),
    ]
    assert sorted(together, key=lambda row: row.subject.id) == found
    assert alone == found
