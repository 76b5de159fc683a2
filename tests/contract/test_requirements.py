"""The catalogue of requirements: what ships, and every entry that is refused."""

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


def one(**members: Any) -> Requirement:
    """The requirement of an entry with these members."""
    return read({"requirements": [{**ENTRY, **members}]}, GROUPS)["x/y"]


def test_an_entry_becomes_a_requirement() -> None:
    """Needs and the reason why it is not tested may be absent."""
    assert one() == Requirement(
        "x/y", Level.MUST, "read", "Errors", "So it is.", ("a", "b"), (), None
    )
    assert one(needs=["limits", "consent"], untested="Not visible.").needs == ("limits", "consent")
    assert one(untested="Not visible.").untested == "Not visible."


@pytest.mark.parametrize(
    ("stated", "operations"),
    [("reads", ("a",)), ("target", ()), (["b"], ("b",)), (["b", "a"], ("b", "a")), ([], ())],
)
def test_operations_are_a_group_or_a_list(stated: object, operations: tuple[str, ...]) -> None:
    """A list keeps its order."""
    assert one(operations=stated).operations == operations


@pytest.mark.parametrize(
    ("members", "judged"),
    [
        ({}, True),
        ({"level": "should"}, True),
        ({"level": "observe"}, False),
        ({"untested": "Not visible."}, False),
        ({"level": "observe", "untested": "Not visible."}, False),
    ],
)
def test_what_is_observed_or_untested_is_not_judged(members: dict[str, str], judged: bool) -> None:
    """Everything else is."""
    assert one(**members).is_checked is judged


@pytest.mark.parametrize(
    ("members", "told"),
    [
        (
            {"levle": 1, "aaa": 2},
            "x/y: unknown key aaa, levle; the keys are class, id, level, needs, operations, section, statement, ",
        ),
        ({"class": "reading"}, "x/y: class 'reading' is none of read, authentication, "),
        ({"level": "may"}, "x/y: level 'may' is none of must, should, observe"),
        (
            {"operations": "some"},
            "x/y: operations 'some' is neither one of all, reads, target nor a list of operation ids",
        ),
        ({"operations": ["a", "c"]}, "x/y: operations ['a', 'c'] is neither"),
        ({"operations": {"a": 1}}, "x/y: operations {'a': 1} is neither"),
    ],
)
def test_an_entry_that_is_not_right_is_refused(members: dict[str, Any], told: str) -> None:
    """With the key and what would be right."""
    with pytest.raises(CatalogueError) as raised:
        one(**members)
    assert str(raised.value).startswith(told)


@pytest.mark.parametrize("key", ENTRY)
def test_an_entry_that_lacks_a_key_is_refused(key: str) -> None:
    """Every one but needs and untested."""
    entry = {name: value for name, value in ENTRY.items() if name != key}
    with pytest.raises(CatalogueError) as raised:
        read({"requirements": [entry]}, GROUPS)
    assert (
        str(raised.value)
        == f"{'an entry without an id' if key == 'id' else 'x/y'}: {key} must be given"
    )


def test_an_id_that_stands_twice_is_refused() -> None:
    """Ids are unique."""
    with pytest.raises(CatalogueError, match="x/y: stands twice; ids are unique"):
        read({"requirements": [ENTRY, ENTRY]}, GROUPS)


def test_the_catalogue_that_ships_keeps_its_order_and_its_classes() -> None:
    """Classes follow one another; every class has an entry; ids have an area and a point."""
    catalogue = requirements.load()
    assert list(dict.fromkeys(CLASSES)) == list(CLASSES)
    assert {entry.conformance_class for entry in catalogue.values()} <= set(CLASSES)
    assert {id: entry.id for id, entry in catalogue.items()} == {id: id for id in catalogue}
    assert [id for id in catalogue if id.count("/") != 1] == []
    assert catalogue is requirements.load()


def test_the_groups_are_those_of_the_operations() -> None:
    """Reads are all but the approval; lists, records by id, and lists below a record."""
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
