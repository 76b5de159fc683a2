"""Authentication, rate limit, permissions and grants."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from second_implementation.choices import Choices
from second_implementation.errors import RequestError
from second_implementation.world import Record, World


def authenticate(world: World, choices: Choices, request: Record) -> Record:
    """The credential of the caller, with `pair`: its scheme and secret."""
    pairs = _presented(request["headers"])
    credentials = world["credentials"]
    known = [{**credentials[pair], "pair": pair} for pair in pairs if pair in credentials]
    valid = [credential for credential in known if credential["state"] == "valid"]
    if not valid or (len(pairs) > 1 and not choices.errors.both_credentials):
        raise RequestError(401, "who are you?")
    _check_rate(world, choices, valid[0])
    return valid[0]


def check_permission(caller: Record, permission: str) -> None:
    """Raise 403 if the caller lacks the permission."""
    if permission not in caller["permissions"]:
        raise RequestError(403, f"needs {permission}")


def find(world: World, choices: Choices, kind: str, id: str, caller: Record) -> Record:
    """The record with this id, if it is within the grant of the caller."""
    record = world[kind].get(id)
    if record is None:
        raise RequestError(choices.errors.absent, "there is no such record")
    project = record["id"] if kind == "projects" else record["projectId"]
    if project not in world["grants"][caller["account"]]:
        raise RequestError(choices.errors.outside, "not yours")
    return delayed(world, choices, record)


def delayed(world: World, choices: Choices, record: Record) -> Record:
    """The record, or its earlier state while reads do not return an approval yet."""
    since, before = world["approved_at"].get(record["id"], (0.0, record))
    return before if time.monotonic() - since < choices.approving.delay else record


def check_filter(world: World, choices: Choices, caller: Record, role: str, id: str | None) -> None:
    """Raise an error for a filter outside the grant, if this deployment has one for it."""
    granted = world["grants"][caller["account"]]
    companies = {world["projects"][project]["companyId"] for project in granted}
    allowed = granted if role == "project" else companies
    if id is not None and id not in allowed and choices.errors.outside_filter != 200:
        raise RequestError(choices.errors.outside_filter, f"not your {role}")


def _presented(headers: dict[str, str]) -> list[tuple[str, str]]:
    """Scheme and secret of each credential in the request."""
    key = headers.get("x-api-key")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    pairs = [("api-key", key)] if key is not None else []
    return [*pairs, ("bearer", token)] if scheme.lower() == "bearer" else pairs


def _check_rate(world: World, choices: Choices, caller: Record) -> None:
    rate = choices.rate
    if not (caller["throttled"] or rate.everybody):
        return
    now = time.time()
    recent = [hit for hit in world["hits"].get(caller["pair"], []) if hit > now - rate.seconds]
    world["hits"][caller["pair"]] = recent
    if len(recent) >= rate.requests:
        until = datetime.now(UTC) + timedelta(seconds=rate.seconds)
        date = format_datetime(until, usegmt=True)
        wait = date if rate.dated else str(round(rate.seconds))
        raise RequestError(429, "slow down", {"Retry-After": wait})
    recent.append(now)
