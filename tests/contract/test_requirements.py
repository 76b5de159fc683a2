"""The catalogue of requirements: the published one, and the entries that are rejected."""

from typing import Any

import pytest

from conformance.contract import openapi, requirements
from conformance.contract.requirements import CLASSES, CatalogueError, Requirement, read
from conformance.contract.verdict import Level

GROUPS = {"all": ("a", "b"), "reads": ("a",), "target": ()}
ENTRY = {
    "id": "x/y",
    "level": "must",
    "class": "read",
    "section": "Errors",
    "statement": "So it is.",
    "operations": "all",
}


def requirement(**properties: Any) -> Requirement:
    """The requirement of an entry with these properties."""
    return read({"requirements": [{**ENTRY, **properties}]}, GROUPS)["x/y"]


def test_an_entry_becomes_a_requirement() -> None:
    """The keys `needs`, `calls` and `untested` are optional."""
    assert requirement() == Requirement(
        "x/y", Level.MUST, "read", "Errors", "So it is.", ("a", "b")
    )
    full = requirement(needs=["limits", "consent"], calls=False, untested="Not visible.")
    stated = (full.needs, full.calls, full.untested)
    assert stated == (("limits", "consent"), False, "Not visible.")


@pytest.mark.parametrize(
    ("stated", "operations"),
    [("reads", ("a",)), ("target", ()), (["b"], ("b",)), (["b", "a"], ("b", "a")), ([], ())],
)
def test_operations_are_a_group_or_a_list(stated: object, operations: tuple[str, ...]) -> None:
    """The order of a list does not change."""
    assert requirement(operations=stated).operations == operations


@pytest.mark.parametrize(
    ("properties", "checked"),
    [
        ({}, True),
        ({"level": "should"}, True),
        ({"level": "observe"}, False),
        ({"untested": "Not visible."}, False),
        ({"level": "observe", "untested": "Not visible."}, False),
    ],
)
def test_observed_and_untested_requirements_do_not_count(
    properties: dict[str, str], checked: bool
) -> None:
    """The verdict of every other requirement counts."""
    assert requirement(**properties).is_checked is checked


INVALID: dict[str, tuple[dict[str, Any], str]] = {
    "keys": (
        {"levle": 1, "aaa": 2},
        "x/y: unknown key aaa, levle; the known keys are calls, class, id, level, needs,",
    ),
    "class": (
        {"class": "reading"},
        "x/y: unknown class 'reading'; expected one of read, authentication, ",
    ),
    "level": ({"level": "may"}, "x/y: unknown level 'may'; expected one of must, should, observe"),
    "group": (
        {"operations": "some"},
        "x/y: invalid operations 'some'; expected one of all, reads, target, "
        "or a list of operation ids",
    ),
    "operation": ({"operations": ["a", "c"]}, "x/y: invalid operations ['a', 'c']; expected "),
    "type": ({"operations": {"a": 1}}, "x/y: invalid operations {'a': 1}; expected "),
}


@pytest.mark.parametrize(("properties", "message"), INVALID.values(), ids=INVALID)
def test_an_invalid_entry_is_rejected(properties: dict[str, Any], message: str) -> None:
    """The error names the key and the accepted values."""
    with pytest.raises(CatalogueError) as raised:
        requirement(**properties)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("key", ENTRY)
def test_an_entry_without_a_required_key_is_rejected(key: str) -> None:
    """Only `needs` and `untested` are optional."""
    entry = {name: value for name, value in ENTRY.items() if name != key}
    name = "an entry without an id" if key == "id" else "x/y"
    with pytest.raises(CatalogueError) as raised:
        read({"requirements": [entry]}, GROUPS)
    assert str(raised.value) == f"{name}: missing key {key}"


def test_a_duplicate_id_is_rejected() -> None:
    """Ids are unique."""
    with pytest.raises(CatalogueError, match="x/y: duplicate id"):
        read({"requirements": [ENTRY, ENTRY]}, GROUPS)


def test_the_published_catalogue_has_known_classes_and_well_formed_ids() -> None:
    """An id has an area and a point; the catalogue is read once."""
    catalogue = requirements.load()
    assert list(dict.fromkeys(CLASSES)) == list(CLASSES)
    assert {entry.conformance_class for entry in catalogue.values()} <= set(CLASSES)
    assert {id: entry.id for id, entry in catalogue.items()} == {id: id for id in catalogue}
    assert [id for id in catalogue if id.count("/") != 1] == []
    assert catalogue is requirements.load()


def test_the_groups_are_those_of_the_operations() -> None:
    """Reads are all operations but the approval; nested lists have a parent in the path."""
    every = tuple(openapi.load().operations)
    catalogue = requirements.load()
    assert catalogue["response/status"].operations == every
    assert catalogue["arguments/accepted"].operations == tuple(
        id for id in every if id != "review_approve"
    )
    assert catalogue["base/version-segment"].operations == ()
    assert catalogue["read/parent"].operations == ("comment_list", "activity_list")
    groups = {entry.operations for entry in catalogue.values()}
    assert ("project_list", "video_list", "review_list", "comment_list", "activity_list") in groups
    assert ("project_get", "video_get", "review_get") in groups
