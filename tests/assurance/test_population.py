"""The files of mutants and variants, and the errors of invalid files."""

import re
from pathlib import Path

import pytest
from subjects import SUBJECTS

from conformance.assurance.selftest import population
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.population import Mutant, PopulationError, Variant

PREFIX = Edit("app", '"/v1"', '"/v2"')


MUTANT_TEXT = """
[[mutant]]
id = "one"
about = "What is wrong."
breaks = ["error/code"]
edits = [{module = "app", old = '"/v1"', new = '"/v2"'}]
"""
VARIANT_TEXT = """
[[variant]]
id = "other"
about = "What is different."
reading = "a row"
edits = [{module = "app", old = '"/v1"', new = '"/v2"'}]
"""


def test_mutants_and_variants_are_read() -> None:
    """`inconclusive` is optional, and so is the seed."""
    assert population.read(MUTANT_TEXT + VARIANT_TEXT + "seed = 5") == (
        Mutant("one", "What is wrong.", frozenset({"error/code"}), (PREFIX,)),
        Variant("other", "What is different.", "a row", (PREFIX,), frozenset(), seed=5),
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("about =", "abuot =", "mutant one: unknown key abuot"),
        ('id = "one"', "", "mutant without an id: missing key id"),
        ("[[mutant]]", "[[mutnat]]", r"mutnat: unknown, write \[\[mutant\]\] or \[\[variant\]\]"),
        ("[[mutant]]", "[mutant]", r"mutant: unknown, write \[\[mutant\]\]"),
        ('"What is wrong."', "1", "mutant one: about must be a string"),
        ('["error/code"]', '"error/code"', "mutant one: breaks must be an array"),
        ('["error/code"]', "[]", "mutant one: breaks is empty"),
        ('id = "one"', 'id = "one"\nseed = "5"', "mutant one: seed must be an integer"),
        ('id = "one"', 'id = "one"\nseed = true', "mutant one: seed must be an integer"),
        ('["error/code"]', "[[]]", r"one: breaks: \[\] is not a checked requirement"),
        ("error/code", "error/cod", "one: breaks: error/cod is not a checked requirement"),
        ("error/code", "observe/order", "one: breaks: observe/order is not a checked requirement"),
        (
            "error/code",
            "untested/events",
            "one: breaks: untested/events is not a checked requirement",
        ),
        (", new = '\"/v2\"'", "", "one: edits must be tables of the strings module, new, old"),
        (
            '[{module = "app", old = \'"/v1"\', new = \'"/v2"\'}]',
            "[]",
            "one: edits is empty: write what is different",
        ),
        (
            '[{module = "app", old = \'"/v1"\', new = \'"/v2"\'}]',
            "[7]",
            "one: edits must be tables of the strings module, new, old",
        ),
        ('"app"', "7", "one: edits must be tables of the strings module, new, old"),
        ("[[mutant]]", "mutant = [7]\n[[variant]]", r"mutant: unknown, write \[\[mutant\]\]"),
        ("'\"/v1\"'", "'/v3'", "one: app: '/v3' must occur once, occurs 0 times"),
    ],
)
def test_an_invalid_entry_is_an_error(old: str, new: str, message: str, tmp_path: Path) -> None:
    """The message names the file, the entry and the problem."""
    file = tmp_path / "more.toml"
    file.write_text(MUTANT_TEXT.replace(old, new), encoding="utf-8")

    with pytest.raises(PopulationError, match=f"^{re.escape(str(file))}: {message}"):
        population.load([file])


def test_a_duplicate_id_is_an_error() -> None:
    """`--only` selects by id."""
    with pytest.raises(PopulationError, match="one: duplicate id"):
        population.distinct(population.read(MUTANT_TEXT * 2))


def test_no_two_entries_have_the_same_edits() -> None:
    """This holds over all files."""
    assert len({subject.edits for subject in SUBJECTS}) == len(SUBJECTS)


def test_the_package_has_one_entry_for_each_requirement_and_interpretation() -> None:
    """Entries that repeat one are in the files of the tests, so that the self-test stays short."""
    seen: set[str] = set()
    repeating = []
    for subject in population.shipped():
        covers = subject.breaks if isinstance(subject, Mutant) else {subject.reading}
        repeating += [subject.id] if seen.issuperset(covers) else []
        seen.update(covers)

    assert repeating == []
