"""Revisions: the newest one is complete, and a published one never follows the catalogue."""

from dataclasses import replace
from pathlib import Path

import generate
import pytest
import subjects
import yaml

from conformance.contract import requirements, revisions
from conformance.contract.revisions import UnknownRevision
from conformance.contract.verdict import Level

SPEC = Path(__file__).parents[2] / "spec"


def test_the_revision_that_is_prepared_is_current() -> None:
    """`tox -e generate` writes it, until it is published."""
    for name, text in generate.unpublished().items():
        assert (SPEC / name).read_text(encoding="utf-8") == text


def test_the_newest_revision_knows_every_requirement_or_leaves_it_to_the_next() -> None:
    """A requirement that is gone, or that cannot be tested, does not count."""
    newest, catalogue = revisions.latest(), requirements.load()
    counted = {id: level for id in newest.levels if (level := newest.level(id))}
    assert set(counted) <= {id for id, entry in catalogue.items() if entry.is_checked}
    assert all(level in (Level.MUST, Level.SHOULD) for level in counted.values())


def test_every_interpretation_has_a_variant() -> None:
    """The readings that a revision guarantees are those that variants prove."""
    proved = {subject.reading for subject in subjects.VARIANTS}
    for name in revisions.names():
        assert set(revisions.load(name).interpretations) <= proved


def test_an_excluded_requirement_does_not_count() -> None:
    """A service release takes it out, with a reason."""
    newest = revisions.latest()
    id = next(iter(newest.levels))
    changed = replace(newest, excluded={id: "two readings are possible"})
    assert (newest.level(id), changed.level(id)) == (newest.levels[id], None)


def test_exclusions_and_appeals_survive_generation() -> None:
    """They are written by people, and everything else by the command."""
    newest = replace(
        revisions.latest(),
        excluded={"read/names": 'says "should"'},
        contested={"read/counts": "appeal 1"},
    )
    text = revisions.text(newest.name, newest.interpretations, newest)
    stated = yaml.safe_load(text)
    assert stated["excluded"] == {"read/names": 'says "should"'}
    assert stated["contested"] == {"read/counts": "appeal 1"}


def test_an_unknown_revision_names_the_known_ones() -> None:
    """The message is for the command line."""
    with pytest.raises(UnknownRevision, match=r"'2031-01'; the revisions are 2026"):
        revisions.load("2031-01")
