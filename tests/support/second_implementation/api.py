"""The ten operations as functions: a request is a dict, a response a status, headers and JSON."""

from typing import Any

from second_implementation import approval, arguments, callers, errors, pages, shapes
from second_implementation.arguments import PARENTS
from second_implementation.choices import Choices
from second_implementation.errors import RequestError
from second_implementation.world import Record, World

Response = tuple[int, dict[str, str], Any]
Route = tuple[str, tuple[str, ...], str]
"""Method, path and permission; `*` is an id."""

ROUTES: tuple[Route, ...] = (
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
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="other", ApiKey'}


def handle(world: World, choices: Choices, request: Record) -> Response:
    """Handle a request with the keys method, path, query, headers and body."""
    try:
        data = _perform(world, choices, request)
    except RequestError as error:
        headers = CHALLENGE if error.status == 401 else error.headers
        return error.status, headers, errors.body(choices, error.status, error.message)
    return 200, {}, {"data": data, "requestId": shapes.request_id(choices)}


def _perform(world: World, choices: Choices, request: Record) -> Any:
    route = next((route for route in ROUTES if _matches(route, request)), None)
    if route is None:
        # Unknown paths are 404 for valid credentials only.
        callers.authenticate(world, choices, request)
        raise RequestError(404, "no such path")
    _, path, permission = route
    if choices.errors.permission_last:
        given = arguments.parse(choices, request)
        caller = callers.authenticate(world, choices, request)
    else:
        caller = callers.authenticate(world, choices, request)
        callers.check_permission(caller, permission)
        given = arguments.parse(choices, request)
    complete = {**given, **request, "permission": permission}
    operation = {"account": _account, "approve": approval.approve, "*": _read}.get(path[-1], _list)
    return operation(world, choices, complete, caller)


def _matches(route: Route, request: Record) -> bool:
    method, path, _ = route
    segments = request["path"]
    if request["method"] != method or len(segments) != len(path):
        return False
    return all(part in ("*", segment) for part, segment in zip(path, segments, strict=True))


def _account(world: World, choices: Choices, request: Record, caller: Record) -> Record:
    callers.check_permission(caller, request["permission"])
    account = world["accounts"][caller["account"]]
    return shapes.shape("account", account, choices, listed=False)


def _read(world: World, choices: Choices, request: Record, caller: Record) -> Record:
    kind = request["path"][0]
    record = callers.find(world, choices, kind, request["id"], caller)
    callers.check_permission(caller, request["permission"])
    return shapes.shape(kind, record, choices, listed=False)


def _list(world: World, choices: Choices, request: Record, caller: Record) -> Record:
    kind = request["path"][-1]
    if kind in PARENTS:
        callers.find(world, choices, PARENTS[kind][0], request["id"], caller)
    callers.check_permission(caller, request["permission"])
    for role in ("company", "project"):
        callers.check_filter(world, choices, caller, role, request.get(role))
    return pages.page(world, choices, request, caller)
