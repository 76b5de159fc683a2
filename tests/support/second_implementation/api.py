"""The ten operations as plain functions over dicts: a request comes in as a dict, a status, headers and a document go out."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from second_implementation import shapes
from second_implementation.choices import Choices
from second_implementation.shapes import UUID
from second_implementation.world import Record, World

Answer = tuple[int, dict[str, str], Any]
ROUTES = (
    ("GET", ("account",), "account:read"),
    ("GET", ("projects",), "projects:read"),
    ("GET", ("projects", "*"), "projects:read"),
    ("GET", ("videos",), "videos:read"),
    ("GET", ("videos", "*"), "videos:read"),
    ("GET", ("reviews",), "reviews:read"),
    ("GET", ("reviews", "*"), "reviews:read"),
    ("POST", ("reviews", "*", "approve"), "reviews:approve"),
    ("GET", ("reviews", "*", "comments"), "comments:read"),
    ("GET", ("projects", "*", "activity"), "activity:read"),
)
PARENTS = {"comments": ("reviews", "reviewId"), "activity": ("projects", "projectId")}
FILTERS = {"projects": ("company",), "videos": ("company", "project"), "reviews": ("project",)}
BUSY = {"Retry-After": "0"}


class Refusal(Exception):
    """The request ends here, with this status."""

    def __init__(
        self, status: int, message: str = "", headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.answer = (status, message, headers or {})


def handle(world: World, choices: Choices, request: Record) -> Answer:
    """Answer one request of the keys method, path, query, headers and body."""
    try:
        return (
            200,
            {},
            {"data": _perform(world, choices, request), "requestId": shapes.request_id(choices)},
        )
    except Refusal as refusal:
        status, message, headers = refusal.answer
        if status == 401:
            headers = {"WWW-Authenticate": 'Bearer realm="other", ApiKey'}
        return status, headers, failure(choices, status, message)


def failure(choices: Choices, status: int, message: str) -> Record:
    """An error body; its optional members are left out where errors are plain."""
    body = {
        "code": "" if choices.forms.plain_errors else f"E{status}",
        "requestId": shapes.request_id(choices),
    }
    return (
        body
        if choices.forms.plain_errors
        else {**body, "message": message, "title": "", "details": [], "status": status}
    )


def _perform(world: World, choices: Choices, request: Record) -> Any:
    # Whoever is nobody learns nothing, not even which paths there are.
    route = next((route for route in ROUTES if _fits(route, request)), None)
    caller = None if choices.refusals.backwards and route else _caller(world, choices, request)
    if route is None:
        raise Refusal(404, "no such path")
    request = {**request, "route": route}
    given = _arguments(choices, request) if choices.refusals.backwards else {}
    caller = caller or _caller(world, choices, request)
    if not choices.refusals.backwards:
        _permit(caller, route)
        given = _arguments(choices, request)
    data = _operation(route)(world, choices, {**given, **request}, caller)
    return data()


def _fits(route: tuple[str, tuple[str, ...], str], request: Record) -> bool:
    method, path, _ = route
    segments = request["path"]
    return (
        request["method"] == method
        and len(segments) == len(path)
        and all(part in ("*", segment) for part, segment in zip(path, segments, strict=True))
    )


# --- who calls -----------------------------------------------------------------------------------------------------------


def _caller(world: World, choices: Choices, request: Record) -> Record:
    key, authorization = (
        request["headers"].get("x-api-key"),
        request["headers"].get("authorization", ""),
    )
    kind, _, token = authorization.partition(" ")
    sent = [("api-key", key)] if key is not None else []
    sent += [("bearer", token)] if kind.lower() == "bearer" else []
    known = [
        {**world["credentials"][pair], "pair": pair}
        for pair in sent
        if pair in world["credentials"]
    ]
    valid = [credential for credential in known if credential["state"] == "valid"]
    if not valid or (len(sent) > 1 and not choices.refusals.both_credentials):
        raise Refusal(401, "who are you?")
    _throttle(world, choices, valid[0])
    return valid[0]


def _throttle(world: World, choices: Choices, caller: Record) -> None:
    rate = choices.rate
    if not (caller["throttled"] or rate.everybody):
        return
    now, hits = time.time(), world["hits"].setdefault(caller["pair"], [])
    hits[:] = [hit for hit in hits if hit > now - rate.seconds]
    if len(hits) >= rate.requests:
        until = datetime.now(UTC) + timedelta(seconds=rate.seconds)
        raise Refusal(
            429,
            "slow down",
            {
                "Retry-After": format_datetime(until, usegmt=True)
                if rate.dated
                else str(round(rate.seconds))
            },
        )
    hits.append(now)


def _permit(caller: Record, route: tuple[str, tuple[str, ...], str]) -> None:
    if route[2] not in caller["permissions"]:
        raise Refusal(403, f"needs {route[2]}")


# --- what is asked -------------------------------------------------------------------------------------------------------


def _arguments(choices: Choices, request: Record) -> Record:
    """The id, the limit, the cursor, the filters and the body, each checked."""
    kind, *rest = request["path"]
    if rest and not UUID.fullmatch(rest[0]):
        raise Refusal(choices.refusals.malformed_id, "the id is no UUID")
    given = {"id": rest[0].lower() if rest else None}
    if request["method"] == "POST":
        return {**given, **_body(choices, request["body"])}
    listed = rest[1] if len(rest) > 1 else None if rest or kind == "account" else kind
    names = {**dict(choices.paging.names), "limit": "limit"}
    if listed == "projects":
        # The specification names these two.
        names |= {"cursor": "cursor", "company": "companyId"}
    if listed in PARENTS:
        names["cursor"] = "cursor"
    roles = (
        {
            names[role]: role
            for role in ("limit", "cursor", *FILTERS.get(listed or "", ()))
            if role in names
        }
        if listed
        else {}
    )
    for name, value in request["query"]:
        if name in roles:
            given[roles[name]] = _value(choices, roles[name], value)
        elif choices.refusals.strict:
            raise Refusal(choices.refusals.malformed, f"{name} is no parameter")
    return given


def _value(choices: Choices, role: str, value: str) -> Any:
    if role == "limit" and value.isascii() and value.isdecimal() and 1 <= int(value) <= 100:
        return int(value)
    if role != "limit" and UUID.fullmatch(value):
        return value.lower()
    raise Refusal(choices.refusals.malformed, f"{role} {value!r}")


def _body(choices: Choices, body: bytes) -> Record:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(400, "the body is no JSON") from None
    members = document if isinstance(document, dict) else {}
    revision, key = members.get("expectedSubjectRevision"), members.get("idempotencyKey")
    whole = (
        isinstance(revision, int | float)
        and not isinstance(revision, bool)
        and revision == int(revision)
    )
    if not whole or not isinstance(key, str) or not key:
        raise Refusal(choices.refusals.malformed, "the body needs a revision and a key")
    return {"revision": revision, "key": key}


# --- what is done --------------------------------------------------------------------------------------------------------


def _operation(route: tuple[str, tuple[str, ...], str]) -> Callable[..., Callable[[], Any]]:
    names = {("account",): _account, ("reviews", "*", "approve"): _approve}
    if route[1] in names:
        return names[route[1]]
    return _read if route[1][-1] == "*" else _list


def _account(world: World, choices: Choices, asked: Record, caller: Record) -> Callable[[], Any]:
    _permit(caller, asked["route"])
    return lambda: shapes.shape(
        "account", world["accounts"][caller["account"]], choices, listed=False
    )


def _read(world: World, choices: Choices, asked: Record, caller: Record) -> Callable[[], Any]:
    record = _find(world, choices, (asked["path"][0], asked["id"]), caller)
    _permit(caller, asked["route"])
    return lambda: shapes.shape(asked["path"][0], record, choices, listed=False)


def _list(world: World, choices: Choices, asked: Record, caller: Record) -> Callable[[], Any]:
    kind = asked["path"][-1]
    if kind in PARENTS:
        _find(world, choices, (PARENTS[kind][0], asked["id"]), caller)
    _permit(caller, asked["route"])
    for role in ("company", "project"):
        _check_filter(world, choices, (role, asked.get(role)), caller)
    return lambda: _page(world, choices, asked, caller)


def _find(world: World, choices: Choices, what: tuple[str, str], caller: Record) -> Record:
    kind, id = what
    record = world[kind].get(id)
    if record is None:
        raise Refusal(choices.refusals.absent, "there is no such record")
    if (
        record["id" if kind == "projects" else "projectId"]
        not in world["grants"][caller["account"]]
    ):
        raise Refusal(choices.refusals.outside, "not yours")
    return _lagging(world, choices, record)


def _lagging(world: World, choices: Choices, record: Record) -> Record:
    since, before = world["approved_at"].get(record["id"], (0.0, record))
    return before if time.monotonic() - since < choices.approving.lag else record


def _check_filter(
    world: World, choices: Choices, what: tuple[str, str | None], caller: Record
) -> None:
    role, id = what
    granted = world["grants"][caller["account"]]
    reach = (
        granted
        if role == "project"
        else {world["projects"][project]["companyId"] for project in granted}
    )
    if id is not None and id not in reach and choices.refusals.outside_filter != 200:
        raise Refusal(choices.refusals.outside_filter, f"not your {role}")


def _visible(world: World, asked: Record, caller: Record) -> Iterator[Record]:
    kind = asked["path"][-1]
    parent = PARENTS.get(kind, ("", ""))[1]
    for record in world[kind].values():
        project = record["id"] if kind == "projects" else record.get("projectId")
        wanted = (
            record[parent] == asked["id"]
            if parent
            else project in world["grants"][caller["account"]]
        )
        wanted = (
            wanted
            and asked.get("company") in (None, record.get("companyId"))
            and asked.get("project") in (None, project)
        )
        if wanted:
            yield record


def _page(world: World, choices: Choices, asked: Record, caller: Record) -> Record:
    kind = asked["path"][-1]
    owner = {"account": caller["account"], "credential": caller["pair"], "nobody": ""}[
        choices.paging.owner
    ]
    place = (owner, kind, asked["id"])
    records = list(_visible(world, asked, caller))
    start, cursor = _start(world, choices, place, asked.get("cursor"))
    if start < 0:
        return {"items": [], "nextCursor": None}
    turn = world["gaps"] = world.get("gaps", 0) + 1
    paging = choices.paging
    # A deployment that looks before it filters has pages with nothing in them, several in a row.
    skip = (
        paging.gaps
        and cursor is not None
        and asked.get("limit", 25) < 10
        and turn % (paging.gaps + 1)
    )
    size = 0 if skip else max(1, asked.get("limit", 25) // (2 if paging.short else 1))
    shown = [_lagging(world, choices, record) for record in records[start : start + size]]
    page: Record = {"items": [shapes.shape(kind, record, choices, listed=True) for record in shown]}
    after = _next(world, choices, place, (start + len(shown), len(records), cursor))
    if after is not None:
        page["nextCursor"] = shapes.spelled(after, choices, listed=True)
    elif kind == "projects" or paging.end != "absent":
        page["nextCursor"] = None
    return page


def _start(
    world: World, choices: Choices, place: tuple[Any, ...], cursor: str | None
) -> tuple[int, str | None]:
    if cursor is None:
        return 0, None
    issued = (
        world["cursors"].pop(cursor, None)
        if choices.paging.cursors == "single"
        else world["cursors"].get(cursor)
    )
    if issued is None or issued[0] != place:
        if choices.refusals.unissued_cursor == 200:
            return -1, cursor
        raise Refusal(choices.refusals.unissued_cursor, "that cursor was not issued for this list")
    return issued[1], cursor


def _next(
    world: World, choices: Choices, place: tuple[Any, ...], where: tuple[int, int, str | None]
) -> str | None:
    position, total, cursor = where
    end = "null" if place[1] == "projects" else choices.paging.end
    over = position >= total
    # One page more, empty, follows where a list ends with an empty page; it says that it is the last.
    is_last = end in ("null", "absent") or (
        end == "empty" and (position, "empty") == world["cursors"].get(cursor, ())[1:]
    )
    if over and is_last:
        return None
    fresh = str(uuid.uuid4())
    stable = str(uuid.uuid5(uuid.NAMESPACE_URL, repr((place, position))))
    issued = {"stable": stable, "fresh": fresh, "single": fresh, "scroll": cursor or fresh}[
        choices.paging.cursors
    ]
    world["cursors"][issued] = (
        (place, position, "empty") if over and end == "empty" else (place, position)
    )
    return issued


# --- approving -----------------------------------------------------------------------------------------------------------


def _approve(world: World, choices: Choices, asked: Record, caller: Record) -> Callable[[], Any]:
    scope = {"account": caller["account"], "review": asked["id"], "credential": caller["pair"]}[
        choices.approving.scope
    ]
    _find(world, choices, ("reviews", asked["id"]), caller)
    _permit(caller, asked["route"])
    if caller["role"] != "reviewer":
        raise Refusal(403, "your role may not approve")
    return lambda: _remembered(world, choices, asked, (scope, asked["key"]))


def _remembered(world: World, choices: Choices, asked: Record, key: tuple[Any, str]) -> Record:
    known = world["keys"].get(key)
    if known is not None:
        if known["asked"] != (asked["id"], asked["revision"]):
            raise Refusal(409, "the key was used for something else")
        return dict(known["data"])
    try:
        data = _approved(world, choices, asked)
    except Refusal:
        if choices.approving.stuck:
            world["keys"][key] = {"asked": None}
        raise
    world["keys"][key] = {"asked": (asked["id"], asked["revision"]), "data": data}
    return data


def _approved(world: World, choices: Choices, asked: Record) -> Record:
    review = world["reviews"][asked["id"]]
    refusals, difference = choices.refusals, asked["revision"] - review["subjectRevision"]
    if review["status"] != "approved":
        if not review["approvable"]:
            raise Refusal(refusals.unapprovable, "this review cannot be approved")
        if difference:
            raise Refusal(
                refusals.far_revision if abs(difference) > 10 or asked["revision"] < 1 else 409,
                "another revision",
            )
        changed = {
            "status": "approved",
            "subjectRevision": review["subjectRevision"] + choices.approving.bump,
            "approvable": False,
        }
        world["approved_at"][asked["id"]] = (time.monotonic(), dict(review))
        review |= {**changed, "approvalUnavailableReason": "approved"}
    elif refusals.approved != 200:
        raise Refusal(refusals.approved, "approved already")
    result = {name: review[name] for name in ("id", "status", "subjectRevision")}
    return shapes.shape("approvals", result, _whole(choices), listed=False)


def _whole(choices: Choices) -> Choices:
    """The same choices for a result, which has all its members always."""
    return replace(choices, forms=replace(choices.forms, fields="all", extras=False))
