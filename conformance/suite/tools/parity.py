"""The two faces of a target, compared: what a tool tells, and what the same operation tells over HTTP."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from conformance.contract.openapi import Contract
from conformance.http.exchange import MISSING
from conformance.suite.lists.records import alike, fits

Place = tuple[str | int, ...]
WHOLE: set[Place] = {(), ("items",)}
"""Where a change leaves nothing to compare."""
INNER = {"localizations": "Localization", "replies": "Reply"}
RESOURCES = (
    "Account",
    "Project",
    "Video",
    "Localization",
    "Review",
    "Comment",
    "Reply",
    "ActivityItem",
)


def differ(one: Any, other: Any, contract: Contract) -> bool:
    """Whether two values tell different things of what the contract speaks of."""
    return bool(promised(unlike(one, other), contract))


def promised(found: set[Place], contract: Contract) -> set[Place]:
    """The places that the contract speaks of; what else an answer carries may belong to the way by which it came."""
    names = _names(contract)
    return {
        place for place in found if all(name in names for name in place if isinstance(name, str))
    }


def added(found: set[Place], over_http: Any, schema: Mapping[str, Any]) -> set[Place]:
    """The members that a tool alone adds to a record which may have no others; what HTTP adds is judged by the rules.

    A requestId may stand in the data, since a tool has no envelope of its own to put it in.
    """
    if schema.get("additionalProperties") is not False or not isinstance(over_http, dict):
        return set()
    items = over_http.get("items")
    shown = (
        {("items", number): item for number, item in enumerate(items)}
        if isinstance(items, list)
        else {(): over_http}
    )
    records: dict[Place, Any] = {
        place: record for place, record in shown.items() if isinstance(record, dict)
    }
    members = [
        place for place in found if place and place[:-1] in records and place != ("requestId",)
    ]
    return {
        place for place in members if place[-1] not in {*records[place[:-1]], *schema["properties"]}
    }


@cache
def _names(contract: Contract) -> frozenset[str]:
    """Every name that a record or a page of them may carry."""
    return frozenset(
        {"items", "nextCursor"}.union(
            *(contract.schema(resource)["properties"] for resource in RESOURCES)
        )
    )


def sound(place: Place, data: Any, resource: str, contract: Contract) -> bool:
    """Whether what an answer has at a place, be it nothing, is what the contract allows; what is not is judged by the rules."""
    *way, name = place or ("",)
    owner = next((INNER[step] for step in reversed(way) if step in INNER), resource)
    schema = contract.schema(owner)
    if name not in schema["properties"]:
        return True
    for step in way:
        data = data[step]
    return (
        fits(contract, owner, str(name), data[name])
        if name in data
        else name not in schema.get("required", ())
    )


def unlike(one: Any, other: Any, place: Place = ()) -> set[Place]:
    """Where two values differ; a cursor may be another one in each answer, and an id in other letters."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = [name for name in {*one, *other} if _tells(name, one.get(name), other.get(name))]
        return set().union(
            *(
                unlike(one.get(name, MISSING), other.get(name, MISSING), (*place, name))
                for name in names
            )
        )
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return set().union(
            *(
                unlike(*pair, (*place, number))
                for number, pair in enumerate(zip(one, other, strict=True))
            )
        )
    return set() if alike(one, other) else {place}


def _tells(name: str, one: Any, other: Any) -> bool:
    """Whether the values of a member can tell different things: what is null on one face may be absent on the other."""
    if one is None or other is None:
        return one is not other
    return name != "nextCursor"
