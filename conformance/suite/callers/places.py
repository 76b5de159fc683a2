"""Places in responses, and what is wrong with a status, for defects."""

from typing import Any

from conformance.contract.pointer import pointer
from conformance.contract.verdict import Defect, Kind, Location, Part, defect
from conformance.http.exchange import Exchange


def status_line(response: Exchange) -> Location:
    """The status line of a response."""
    return Location(Part.STATUS, exchange=response.id)


def of_status(
    response: Exchange, text: str, *, expected: str, kind: Kind = Kind.STATUS, **values: Any
) -> Defect:
    """The defect of a response whose status is another than expected; the text names {response}."""
    values["response"] = response.describe()
    found = defect(kind, text, expected=expected, actual=response.status, **values)
    return found.at(status_line(response))


def in_data(response: Exchange, *path: str | int) -> Location:
    """A place in the data of a response."""
    return Location(Part.BODY, pointer(("data", *path)), response.id)


def in_item(page: Exchange, item: dict[str, Any], *path: str) -> Location:
    """A place in one of the items of a page."""
    raw = page.data["items"]
    index = next(number for number, each in enumerate(raw) if each is item)
    return in_data(page, "items", index, *path)
