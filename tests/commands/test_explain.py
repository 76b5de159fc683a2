"""`conformance explain`: the statement, the interpretations, and what proves the check."""

from argparse import Namespace
from fnmatch import fnmatchcase
from functools import cache
from importlib import metadata

import pytest

from conformance.assurance.selftest import catalogue
from conformance.assurance.selftest.population import Mutant, Variant, shipped
from conformance.commands import explain
from conformance.commands.outcome import UsageError
from conformance.contract import documentation, interpretations, requirements

SHIPPED = shipped()
"""Read once: the files are long."""

CHECKS = cache(catalogue.checks)


@pytest.fixture(autouse=True)
def known_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The modules of the suite are parsed once, and not for each requirement."""
    monkeypatch.setattr(catalogue, "checks", CHECKS)


def explained(id: str, width: int = 80) -> list[str]:
    """The lines of an explanation."""
    return list(explain.lines(requirements.every()[id], SHIPPED, width))


def test_a_requirement_is_explained() -> None:
    """Statement, section, level, what is accepted and why, its mutants and variants."""
    lines = explained("approval/new-key")

    assert lines[0] == "approval/new-key"
    assert "  section      States and transitions (of the specification)" in lines
    assert "  accepted     200, 400, 403, 409 or 422" in lines
    assert any(line.startswith("  fails for    new-key-fails: ") for line in lines)
    assert any(line.startswith("  passes for   ") for line in lines)


@pytest.mark.parametrize("id", list(requirements.load()))
def test_every_requirement_can_be_explained_in_80_columns(id: str) -> None:
    """Each that is checked names its checks and at least one mutant."""
    lines = explained(id)
    stated = requirements.load()[id]

    assert all(len(line) <= 80 or len(line[15:].split()) == 1 for line in lines)
    assert any(line.startswith("  checked by   ") for line in lines) is (stated.untested is None)
    assert any(line.startswith("  fails for    ") for line in lines) is stated.is_checked


def test_a_duty_of_a_caller_is_explained() -> None:
    """It is one of the client as a whole, and rules check it."""
    lines = explained("client/key-kept")

    assert "  operations   the client" in lines
    assert "  checked by   rules/client" in lines
    assert any(line.startswith("  accepted     ") for line in lines)


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("stale-revision", "did you mean approval/stale-revision?"),
        ("account", "account/required, account/closed, account/fields, account/type"),
        ("limits/bdy", "did you mean limits/body?"),
        ("nothing at all", "`conformance requirements` lists them"),
    ],
)
def test_an_unknown_id_suggests_the_nearest(id: str, expected: str) -> None:
    """A point without its area, an area without a point, a typing error."""
    with pytest.raises(UsageError) as raised:
        explain.run(arguments(id))
    assert expected in str(raised.value)


def arguments(id: str) -> Namespace:
    """The arguments of the command."""
    return Namespace(requirement=id)


def test_every_interpretation_says_which_requirements_it_concerns() -> None:
    """Each row of the page is known, each pattern names a requirement, each reading a variant."""
    known = list(requirements.every())
    readings = {each.reading for each in SHIPPED if isinstance(each, Variant) and each.reading}
    loaded = interpretations.load()

    assert [each.point for each in loaded] == [row[0] for row in interpretations.rows()]
    for each in loaded:
        for pattern in each.requirements:
            assert any(fnmatchcase(id, pattern) for id in known), (each.point, pattern)
    assert {each.reading for each in loaded if each.reading} == readings
    assert {id for each in SHIPPED if isinstance(each, Mutant) for id in each.breaks} <= set(known)


def test_an_explanation_names_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a link, where the package states the address of its documentation."""
    page = "reference/requirements/approval/replay/"
    assert explained("approval/replay")[-1] == f"  more         {page} of the documentation"

    stated = {"Project-URL": ["Source, https://example.com", "Documentation, https://docs.example"]}
    monkeypatch.setattr(metadata, "metadata", lambda _name: Stated(stated))
    documentation.address.cache_clear()
    assert explained("approval/replay")[-1] == f"  more         https://docs.example/{page}"
    monkeypatch.undo()
    documentation.address.cache_clear()


def test_a_checkout_that_was_not_installed_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing fails for want of metadata."""

    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "metadata", absent)
    documentation.address.cache_clear()
    assert documentation.link("approval/replay") is None
    documentation.address.cache_clear()


class Stated(dict[str, list[str]]):
    """The metadata of a package."""

    def get_all(self, name: str) -> list[str] | None:
        """The values of one field."""
        return self.get(name)
