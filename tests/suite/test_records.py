"""Records that are shown in several places: when they say the same, and when they do not."""

from typing import Any

import pytest

from conformance.contract import openapi
from conformance.suite.lists.records import alike, changes, differing, fits, suits

ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
OTHER = "5f0f5c1a-9d59-4b57-9e0c-6a3d1f6f1d22"


def test_only_members_that_both_records_have_may_differ() -> None:
    """In the order of the first record."""
    assert differing({"a": 1, "b": 2, "c": 3}, {"c": 4, "a": 2, "d": 5}) == ["a", "c"]
    assert differing({"a": 1}, {"b": 1}) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (ID, ID.upper()),
        ({"id": ID, "more": 1}, {"id": ID.upper(), "less": 2}),
        (
            [{"id": ID, "kind": "a"}, {"id": OTHER, "kind": "b"}],
            [{"id": OTHER, "kind": "b"}, {"id": ID, "kind": "a"}],
        ),
        ([{"id": ID, "kind": "a"}], [{"id": ID.upper(), "kind": "a", "more": 1}]),
        ([{"kind": "a"}, {"kind": "b"}], [{"kind": "b"}, {"kind": "a"}]),
        ([{"kind": "a"}], [{"kind": "a", "more": 1}]),
        ([{"id": ID, "kind": "a"}], [{"kind": "a"}]),
        ([1, 2], [1, 2]),
        ([1, ID], [1, ID.upper()]),
        ([], []),
        (None, None),
    ],
)
def test_two_values_say_the_same(one: Any, other: Any) -> None:
    """Ids in any letters, records in any order, and with members that only one of them has."""
    assert differing({"a": one}, {"a": other}) == []
    assert differing({"a": other}, {"a": one}) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (1, "1"),
        (1, None),
        ("text", "TEXT"),
        ("text", 1),
        (ID, OTHER),
        (ID, "TEXT"),
        (ID, 1),
        ({"id": ID, "kind": "a"}, {"id": ID, "kind": "b"}),
        ({"id": ID}, [ID]),
        ([{"id": ID, "kind": "a"}, {"id": OTHER}], [{"id": OTHER}, {"id": ID, "kind": "b"}]),
        ([{"id": ID}], [{"id": OTHER}]),
        ([{"id": ID}], [{"id": ID}, {"id": OTHER}]),
        ([{"id": ID}], [7]),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ([], {}),
    ],
)
def test_two_values_say_different_things(one: Any, other: Any) -> None:
    """Of other kinds, of another length, in another order where there are no records in it, or of another record."""
    assert differing({"a": one}, {"a": other}) == ["a"]
    assert differing({"a": other}, {"a": one}) == ["a"]


@pytest.mark.parametrize(
    ("readings", "changing"),
    [
        ([], False),
        ([{"a": 1}], False),
        ([{"a": 1}, {"a": 1}, {"b": 1, "a": 1}], False),
        ([{"a": 1}, {"a": 2}], True),
    ],
)
def test_a_member_changes_where_two_readings_do_not_agree(
    readings: list[dict[str, Any]], changing: bool
) -> None:
    """Neighbours in time, the last ones too; to be there once and not again is a change."""
    assert changes("a", readings) is changing
    assert changes("a", [{"a": 1}, *readings, {"a": 1}]) is changing
    assert changes("a", [{"a": 1}, {"a": 1}, {}])


@pytest.mark.parametrize(
    ("resource", "name", "value", "fitting"),
    [
        ("Project", "videoCount", 0, True),
        ("Project", "videoCount", -1, False),
        ("Project", "id", ID, True),
        ("Project", "id", "x", False),
        ("Video", "localizations", [{"id": ID}], True),
        ("Video", "localizations", [{"id": 1}], False),
        ("Review", "status", "", True),
        ("Review", "status", None, False),
    ],
)
def test_a_value_fits_where_the_contract_allows_it(
    resource: str, name: str, value: Any, fitting: bool
) -> None:
    """In that member of that resource."""
    assert fits(openapi.load(), resource, name, value) is fitting


@pytest.mark.parametrize(
    ("record", "suiting"),
    [
        ({"approvalUnavailableReason": None}, True),
        ({"approvalUnavailableReason": None, "approvable": True}, True),
        ({"approvalUnavailableReason": None, "approvable": False}, False),
        ({"approvalUnavailableReason": 1, "approvable": True}, False),
        ({"approvalUnavailableReason": "late", "approvable": False}, True),
    ],
)
def test_a_reason_suits_a_review_that_leaves_room_for_it(
    record: dict[str, Any], suiting: bool
) -> None:
    """Null is none for a review that cannot be approved."""
    assert suits(openapi.load(), "Review", "approvalUnavailableReason", record) is suiting


def test_a_member_that_depends_on_no_other_suits_where_it_fits() -> None:
    """As all of a project do."""
    assert suits(openapi.load(), "Project", "name", {"name": "Onda Curta"})
    assert not suits(openapi.load(), "Project", "name", {"name": 7})


def test_what_has_no_id_is_compared_with_what_stands_in_its_place() -> None:
    """Beside records that have changed theirs."""
    one, other = [{"id": ID}, {"id": OTHER}, {"at": 1}], [{"id": OTHER}, {"id": ID}, {"at": 1.0}]
    assert differing({"a": one}, {"a": other}) == []


def test_lists_of_records_that_share_an_id_are_alike_in_their_order() -> None:
    """Nothing says that an id is that of one localization alone."""
    records = [{"id": ID, "language": "de"}, {"id": ID, "language": "fr"}]
    assert differing({"a": records}, {"a": [*records]}) == []


def test_half_of_a_surrogate_pair_is_text_that_fits() -> None:
    """JSON can spell it, and the fast validator cannot read it."""
    assert fits(openapi.load(), "Project", "name", "half a pair: \ud83d")
    assert not fits(openapi.load(), "Project", "videoCount", "\ud83d")


def test_values_are_alike_whatever_letters_their_ids_are_in() -> None:
    """At any depth; other texts are equal or not, and so are the numbers of members and of items."""
    assert alike(
        {"id": ID, "all": [ID.upper(), {"id": OTHER}]},
        {"id": ID.upper(), "all": [ID, {"id": OTHER.upper()}]},
    )
    assert not alike({"id": ID}, {"id": OTHER})
    assert not alike([ID], [OTHER])
    assert not alike({"name": "a"}, {"name": "A"})
    assert not alike({"id": ID}, {"id": ID, "more": 1})
    assert not alike([ID], [ID, ID])
    assert not alike(None, ID)
