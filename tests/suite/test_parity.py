"""What a tool tells, and what the same operation tells over HTTP: where the two differ, and where the contract speaks of it."""

from typing import Any

import pytest

from conformance.contract import openapi
from conformance.suite.tools.parity import Place, added, differ, promised, sound, unlike

CONTRACT = openapi.load()


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"a": 1}, {"a": 1.0}, set()),
        ({"a": 1, "b": 2}, {"a": 2, "b": 3}, {("a",), ("b",)}),
        ({"a": 1}, {}, {("a",)}),
        ({}, {"a": 1}, {("a",)}),
        ({"a": None}, {}, set()),
        ({"a": None}, {"a": 1}, {("a",)}),
        ({"a": None}, {"a": None}, set()),
        (
            {"id": "0B6D5A9E-7C43-4C1E-8F21-3F0C1D527A94"},
            {"id": "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"},
            set(),
        ),
        (
            {"id": "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"},
            {"id": "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a95"},
            {("id",)},
        ),
        ("a", "A", {()}),
        (
            {"a": {"b": [{"c": 1}, {"c": 2}]}},
            {"a": {"b": [{"c": 1}, {"c": 3}]}},
            {("a", "b", 1, "c")},
        ),
        ([1, 2], [2, 1], {(0,), (1,)}),
        ([1], [1, 2], {()}),
        ({"a": [1]}, {"a": [1, 2]}, {("a",)}),
        ({"a": []}, {"a": {}}, {("a",)}),
        ({}, [], {()}),
        ("a", "b", {()}),
        (None, None, set()),
    ],
)
def test_two_values_differ_in_places(one: Any, other: Any, found: set[Place]) -> None:
    """The innermost ones that can be told; a list of another length differs as a whole."""
    assert unlike(one, other) == found
    assert unlike(other, one) == found


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [("a", "b", True), (None, None, True), ("a", None, False), (None, "b", False)],
)
def test_a_cursor_may_be_another_one_in_each_answer(
    one: str | None, other: str | None, alike: bool
) -> None:
    """But not the end of a list in one of them, however it is told."""
    assert unlike({"nextCursor": one}, {"nextCursor": other}) == (
        set() if alike else {("nextCursor",)}
    )
    assert unlike({"nextCursor": one}, {}) == (set() if one is None else {("nextCursor",)})


def test_the_contract_speaks_of_the_members_of_its_resources() -> None:
    """Of a place none of whose names is unknown; what else there is may belong to the way by which it came."""
    spoken: set[Place] = {
        (),
        ("items",),
        ("items", 0, "displayName"),
        ("nextCursor",),
        ("localizations", 0, "lipSyncStatus"),
    }
    spoken |= {
        ("replies", 1, "kind"),
        ("videoCount",),
        ("approvable",),
        ("durationUs",),
        ("endUs",),
    }
    assert (
        promised(spoken | {("items", 0, "links"), ("links", 0, "id"), ("_meta",)}, CONTRACT)
        == spoken
    )


def test_two_faces_differ_in_what_the_contract_speaks_of() -> None:
    """And in nothing else."""
    assert differ({"items": [{"name": "a"}]}, {"items": [{"name": "b"}]}, CONTRACT)
    assert not differ({"items": [{"links": "a"}]}, {"items": [{"links": "b"}]}, CONTRACT)
    assert not differ({"items": []}, {"items": []}, CONTRACT)


VIDEO = {
    "name": "a",
    "durationUs": "long",
    "localizations": [{"language": "de-DE"}, {"language": 5}],
    "replies": 5,
    "items": [{"name": 5}],
}


@pytest.mark.parametrize(
    ("place", "kept"),
    [
        ((), True),
        (("name",), True),
        (("durationUs",), False),
        (("projectId",), True),
        (("links",), True),
        (("replies",), True),
        (("localizations", 0, "language"), True),
        (("localizations", 1, "language"), False),
        (("localizations", 1, "status"), True),
        (("localizations", 1, "name"), True),
        (("localizations", 1), True),
        (("items", 0, "name"), False),
    ],
)
def test_what_an_answer_has_at_a_place_is_what_the_contract_allows(
    place: Place, kept: bool
) -> None:
    """Of what the contract does not speak, anything is allowed."""
    assert sound(place, VIDEO, "Video", CONTRACT) is kept


@pytest.mark.parametrize(
    ("resource", "required"),
    [("Project", True), ("Account", True), ("Video", False), ("Comment", False)],
)
def test_a_member_may_be_away_unless_it_has_to_be_there(resource: str, required: bool) -> None:
    """As the contract says of each resource."""
    assert {
        sound((name,), {}, resource, CONTRACT) for name in CONTRACT.schema(resource)["properties"]
    } == {not required}
    assert sound(("items", 0, "id"), {"items": [{}]}, resource, CONTRACT) is not required


@pytest.mark.parametrize(
    ("over_http", "resource", "found"),
    [
        ({"id": "a"}, "Account", {("email",)}),
        ({"id": "a", "email": "e"}, "Account", set()),
        ({"id": "a"}, "Video", set()),
        ({"items": [{"id": "a"}, 3]}, "Project", {("items", 0, "email")}),
        ({"items": None}, "Project", {("email",)}),
        (None, "Project", set()),
    ],
)
def test_a_closed_record_has_no_more_by_tool_than_over_http(
    over_http: Any, resource: str, found: set[Place]
) -> None:
    """A member of the contract that differs is judged for that, and what HTTP adds as well by the rules."""
    differing: set[Place] = {
        (),
        ("email",),
        ("requestId",),
        ("id",),
        ("items", 0, "email"),
        ("items", 0, "name"),
        ("items", 1, "email"),
    }
    assert added(differing, over_http, CONTRACT.schema(resource)) == found
