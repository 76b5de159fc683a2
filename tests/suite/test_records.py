"""Records in several responses: which differ, and which agree."""

from collections.abc import Callable
from typing import Any

import pytest

from conformance.contract import openapi
from conformance.contract.identifiers import alike
from conformance.rules.records import (
    Record,
    changes,
    differing,
    differing_by_tool,
    every_value,
    fits,
    suits,
    values,
)

ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
OTHER = "5f0f5c1a-9d59-4b57-9e0c-6a3d1f6f1d22"


def test_only_properties_of_both_records_are_compared() -> None:
    """They have the order of the first record."""
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
        (
            [{"id": ID, "kind": "a"}, {"id": ID, "kind": "b"}],
            [{"id": ID, "kind": "b", "more": 1}, {"id": ID.upper(), "kind": "a"}],
        ),
        ([1, 2], [1, 2]),
        ([1, ID], [1, ID.upper()]),
        ([], []),
        (None, None),
    ],
)
def test_two_values_agree(one: Any, other: Any) -> None:
    """UUIDs in any case, nested records in any order, and with properties that one of them has."""
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
        (
            [{"id": ID, "kind": "a"}, {"id": ID, "kind": "b"}],
            [{"id": ID, "kind": "a"}, {"id": ID, "kind": "a"}],
        ),
        ([{"id": ID}, {"id": ID}], [{"id": ID}, 7]),
        ([{"id": ID}], [{"id": ID}, {"id": OTHER}]),
        ([{"id": ID}], [7]),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ([], {}),
    ],
)
def test_two_values_differ(one: Any, other: Any) -> None:
    """The types, lengths, orders of plain values, or records differ."""
    assert differing({"a": one}, {"a": other}) == ["a"]
    assert differing({"a": other}, {"a": one}) == ["a"]


@pytest.mark.parametrize(
    ("reads", "changing"),
    [
        ([], False),
        ([{"a": 1}], False),
        ([{"a": 1}, {"a": 1}, {"b": 1, "a": 1}], False),
        ([{"a": 1}, {"a": 2}], True),
    ],
)
def test_a_property_changes_if_two_consecutive_reads_differ(
    reads: list[dict[str, Any]], changing: bool
) -> None:
    """This includes the last two reads, and reads without the property."""
    assert changes("a", reads) is changing
    assert changes("a", [{"a": 1}, *reads, {"a": 1}]) is changing
    assert changes("a", [{"a": 1}, {"a": 1}, {}])


@pytest.mark.parametrize(
    ("resource", "name", "value", "is_fitting"),
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
    resource: str, name: str, value: Any, is_fitting: bool
) -> None:
    """The contract has a schema for the property of the resource."""
    assert fits(openapi.load(), resource, name, value) is is_fitting


@pytest.mark.parametrize(
    ("record", "is_suited"),
    [
        ({"approvalUnavailableReason": None}, True),
        ({"approvalUnavailableReason": None, "approvable": True}, True),
        ({"approvalUnavailableReason": None, "approvable": False}, False),
        ({"approvalUnavailableReason": 1, "approvable": True}, False),
        ({"approvalUnavailableReason": "late", "approvable": False}, True),
    ],
)
def test_a_reason_may_be_null_only_in_a_review_that_can_be_approved(
    record: dict[str, Any], is_suited: bool
) -> None:
    """Its type depends on `approvable`."""
    assert suits(openapi.load(), "Review", "approvalUnavailableReason", record) is is_suited


def test_an_independent_property_only_has_to_fit_its_schema() -> None:
    """Examples are the properties of a project."""
    assert suits(openapi.load(), "Project", "name", {"name": "Onda Curta"})
    assert not suits(openapi.load(), "Project", "name", {"name": 7})


def test_an_item_without_an_id_is_compared_with_the_one_at_its_index() -> None:
    """The records beside it may be in another order."""
    one, other = [{"id": ID}, {"id": OTHER}, {"at": 1}], [{"id": OTHER}, {"id": ID}, {"at": 1.0}]
    assert differing({"a": one}, {"a": other}) == []


def test_lists_of_records_that_share_an_id_are_compared_in_their_order() -> None:
    """The contract does not say that the id of a localization is unique."""
    records = [{"id": ID, "language": "de"}, {"id": ID, "language": "fr"}]
    assert differing({"a": records}, {"a": [*records]}) == []


def test_a_lone_surrogate_is_a_string() -> None:
    """JSON allows it as an escape; the fast validator cannot read it."""
    assert fits(openapi.load(), "Project", "name", "half a pair: \ud83d")
    assert not fits(openapi.load(), "Project", "videoCount", "\ud83d")


def test_values_are_alike_in_any_case_of_their_uuids() -> None:
    """At any depth; other strings, and numbers of properties and items, have to be equal."""
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


def test_some_values_of_a_property_are_chosen() -> None:
    """Those of the first and the last record, and the rarest ones; each once."""
    names = ["b", "d", "d", "c", "e", "e", "e", "a", "f", "f", "d", "b"]
    records = [{"name": name} for name in names]
    assert values(records, "name") == ["b", "a", "d", "e"]
    assert every_value(records, "name") == names
    assert values([{"name": "a"}, {"name": "a"}], "name") == ["a"]


@pytest.mark.parametrize("choose", [values, every_value])
def test_only_strings_are_chosen(choose: Callable[..., list[str]]) -> None:
    """A property may be absent, or have another type."""
    records = [{}, {"name": None}, {"name": 7}, {"name": "a"}, {"other": "b"}]
    assert choose(records, "name") == ["a"]
    assert choose([], "name") == []


@pytest.mark.parametrize(
    ("resource", "over_http", "by_tool", "expected"),
    [
        ("Video", {"name": "a"}, {"name": "a", "links": "b"}, []),
        ("Video", {"durationUs": 1}, {"durationUs": 1.0}, []),
        ("Video", {"name": "a", "links": "a"}, {"name": "b", "links": "b"}, ["name"]),
        ("Video", {"name": "a"}, {}, []),
        ("Project", {"name": "a"}, {}, ["name"]),
        ("Video", {"name": "a"}, {"name": None}, ["name"]),
        ("Video", {"durationUs": "long"}, {"durationUs": 1}, []),
        ("Video", {"name": None}, {"name": "a"}, []),
        ("Video", {}, {"name": "a"}, []),
    ],
)
def test_a_tool_shows_what_the_contract_names(
    resource: str, over_http: Record, by_tool: Record, expected: list[str]
) -> None:
    """It may leave out what is not required, and what HTTP shows against the contract."""
    assert differing_by_tool(openapi.load(), resource, over_http, by_tool) == expected
