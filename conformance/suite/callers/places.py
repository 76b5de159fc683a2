"""Places in responses, for defects."""

from typing import Any

from conformance.contract.pointer import pointer
from conformance.contract.verdict import Location, Part
from conformance.http.exchange import Exchange


def status_line(response: Exchange) -> Location:
    """The status line of a response."""
    return Location(Part.STATUS, exchange=response.id)


def in_data(response: Exchange, *path: str | int) -> Location:
    """A place in the data of a response."""
    return Location(Part.BODY, pointer(("data", *path)), response.id)


def in_item(page: Exchange, item: dict[str, Any], *path: str) -> Location:
    """A place in one of the items of a page."""
    raw = page.data["items"]
    index = next(number for number, each in enumerate(raw) if each is item)
    return in_data(page, "items", index, *path)
