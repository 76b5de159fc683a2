"""Pages of lists, and the cursors between them."""

import uuid
from collections.abc import Iterator
from typing import Any

from second_implementation import callers, shapes
from second_implementation.arguments import PARENTS
from second_implementation.choices import Choices
from second_implementation.errors import RequestError
from second_implementation.world import Record, World

Place = tuple[Any, ...]
"""What a cursor is bound to: its owner, the kind of records, and the id of their parent."""


def page(world: World, choices: Choices, request: Record, caller: Record) -> Record:
    """The `data` of a list."""
    kind = request["path"][-1]
    place = (_owner(choices, caller), kind, request["id"])
    records = list(_visible(world, request, caller))
    cursor = request.get("cursor")
    start = _start(world, choices, place, cursor)
    if start is None:
        return {"items": [], "nextCursor": None}
    size = _size(world, choices, request)
    items = [callers.delayed(world, choices, record) for record in records[start : start + size]]
    rendered = [shapes.shape(kind, record, choices, listed=True) for record in items]
    result: Record = {"items": rendered}
    following = _next(world, choices, place, (start + len(items), len(records), cursor))
    if following is not None:
        result["nextCursor"] = shapes.spelled(following, choices, listed=True)
    elif kind == "projects" or choices.paging.end != "absent":
        result["nextCursor"] = None
    return result


def _owner(choices: Choices, caller: Record) -> Any:
    """The owner of a cursor."""
    owners = {"account": caller["account"], "credential": caller["pair"], "nobody": ""}
    return owners[choices.paging.owner]


def _visible(world: World, request: Record, caller: Record) -> Iterator[Record]:
    """The records of a list, within the grant, the parent and the filters."""
    kind = request["path"][-1]
    parent = PARENTS.get(kind, ("", ""))[1]
    granted = world["grants"][caller["account"]]
    for record in world[kind].values():
        project = record["id"] if kind == "projects" else record.get("projectId")
        is_allowed = record[parent] == request["id"] if parent else project in granted
        fits_company = request.get("company") in (None, record.get("companyId"))
        fits_project = request.get("project") in (None, project)
        if is_allowed and fits_company and fits_project:
            yield record


def _size(world: World, choices: Choices, request: Record) -> int:
    """The number of records on the page."""
    paging, limit = choices.paging, request.get("limit", 25)
    count = world["gaps"] = world.get("gaps", 0) + 1
    # A deployment that filters after it reads has empty pages, several in succession.
    is_gap = paging.gaps and "cursor" in request and limit < 10 and count % (paging.gaps + 1)
    return 0 if is_gap else max(1, limit // (2 if paging.short else 1))


def _start(world: World, choices: Choices, place: Place, cursor: str | None) -> int | None:
    """The position of a cursor; None if an unissued one returns an empty page."""
    if cursor is None:
        return 0
    cursors, errors = world["cursors"], choices.errors
    is_single = choices.paging.cursors == "single"
    issued = cursors.pop(cursor, None) if is_single else cursors.get(cursor)
    if issued is not None and issued[0] == place:
        position: int = issued[1]
        return position
    if errors.unissued_cursor == 200:
        return None
    raise RequestError(errors.unissued_cursor, "that cursor was not issued for this list")


def _next(
    world: World, choices: Choices, place: Place, where: tuple[int, int, str | None]
) -> str | None:
    """The cursor of the next page; `where` is the position, the number of records, the cursor."""
    position, total, cursor = where
    end = "null" if place[1] == "projects" else choices.paging.end
    is_over = position >= total
    # If a list ends with an empty page, that page has no cursor.
    was_empty = (position, "empty") == world["cursors"].get(cursor, ())[1:]
    is_last = end in ("null", "absent") or (end == "empty" and was_empty)
    if is_over and is_last:
        return None
    fresh = str(uuid.uuid4())
    stable = str(uuid.uuid5(uuid.NAMESPACE_URL, repr((place, position))))
    kinds = {"stable": stable, "fresh": fresh, "single": fresh, "scroll": cursor or fresh}
    issued = kinds[choices.paging.cursors]
    mark = ("empty",) if is_over and end == "empty" else ()
    world["cursors"][issued] = (place, position, *mark)
    return issued
