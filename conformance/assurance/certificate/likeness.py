"""Whether a response is like a recorded one, in what a deployment does not change by living on.

Statuses of records, counts, names and the order of lists may change at any time; the status of the
response, the types of the properties, and the identity of a record may not.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.http.media_type import bare
from conformance.report import recorded_body

Line = Mapping[str, Any]
SHOWN = 3


def differences(before: Line, now: Line) -> Iterator[str]:
    """What differs between a recorded exchange and the same request sent again."""
    old, new = before["response"], now.get("response")
    if not new:
        yield f"no response ({now.get('failure')})"
    elif old["status"] != new["status"]:
        yield f"status {old['status']} then, {new['status']} now"
    elif (types := [_media_type(each) for each in (old, new)]) and types[0] != types[1]:
        yield f"Content-Type {types[0]} then, {types[1]} now"
    else:
        yield from _of_bodies(recorded_body.value(old, None), recorded_body.value(new, None))


def _media_type(response: Mapping[str, Any]) -> str:
    values = [value for name, value in response["headers"] if name == "content-type"]
    return bare(values[0]) if values else "absent"


def _of_bodies(old: Any, new: Any) -> Iterator[str]:
    then, now = _types(old), _types(new)
    for place in then.keys() & now.keys():
        if then[place].isdisjoint(now[place]) and "null" not in then[place] | now[place]:
            was, is_now = (", ".join(sorted(types[place])) for types in (then, now))
            yield f"{place or 'the body'} was {was}, is {is_now}"
    yield from _of_identities(*(_data(value) for value in (old, new)))


def _data(value: Any) -> Any:
    return value.get("data") if isinstance(value, dict) else None


def _of_identities(old: Any, new: Any) -> Iterator[str]:
    """Another record, or a page that has none of the recorded records."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return
    if "id" in old and old["id"] != new.get("id"):
        yield f"the record was {old['id']}, is {new.get('id')}"
    before, after = (_ids(data.get("items")) for data in (old, new))
    if before and before.isdisjoint(after):
        shown = ", ".join(sorted(before)[:SHOWN])
        yield f"none of the {len(before)} recorded records is on the page: {shown}"


def _ids(items: Any) -> set[str]:
    records = items if isinstance(items, list) else []
    return {str(each["id"]) for each in records if isinstance(each, dict) and "id" in each}


def _types(value: Any) -> dict[str, set[str]]:
    """The JSON types at each place; the items of an array share a place."""
    found: dict[str, set[str]] = {}
    waiting = [("", value)]
    while waiting:
        place, each = waiting.pop()
        found.setdefault(place, set()).add(_type(each))
        if isinstance(each, dict):
            waiting += [(f"{place}/{name}", part) for name, part in each.items()]
        elif isinstance(each, list):
            waiting += [(f"{place}/*", part) for part in each]
    return found


def _type(value: Any) -> str:
    names = {bool: "boolean", type(None): "null", str: "string", dict: "object", list: "array"}
    return names.get(type(value), "number")
