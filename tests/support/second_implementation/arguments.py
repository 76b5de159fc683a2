"""Arguments of requests: ids, limits, cursors, filters and bodies."""

import json
from typing import Any

from second_implementation.choices import Choices
from second_implementation.errors import RequestError
from second_implementation.shapes import UUID
from second_implementation.world import Record

PARENTS = {"comments": ("reviews", "reviewId"), "activity": ("projects", "projectId")}
FILTERS = {"projects": ("company",), "videos": ("company", "project"), "reviews": ("project",)}
LISTS = {*FILTERS, *PARENTS}


def parse(choices: Choices, request: Record) -> Record:
    """The arguments by role: `id`, and those of the query or of the body."""
    _, *rest = request["path"]
    if rest and not UUID.fullmatch(rest[0]):
        raise RequestError(choices.errors.malformed_id, "the id is not a UUID")
    arguments: Record = {"id": rest[0].lower() if rest else None}
    if request["method"] == "POST":
        return arguments | _body(choices, request["body"])
    roles = _roles(choices, _listed(request["path"]))
    for name, value in request["query"]:
        if name in roles:
            arguments[roles[name]] = _value(choices, roles[name], value)
        elif choices.errors.strict:
            raise RequestError(choices.errors.malformed, f"{name} is not a parameter")
    return arguments


def _listed(path: list[str]) -> str | None:
    """The kind of records that the path lists, or None."""
    return path[-1] if path[-1] in LISTS else None


def _roles(choices: Choices, listed: str | None) -> dict[str, str]:
    """The role of each query parameter of a list, by its name."""
    if listed is None:
        return {}
    names = {**dict(choices.paging.names), "limit": "limit"}
    if listed == "projects":
        # The specification has these two names.
        names |= {"cursor": "cursor", "company": "companyId"}
    if listed in PARENTS:
        names["cursor"] = "cursor"
    roles = ("limit", "cursor", *FILTERS.get(listed, ()))
    return {names[role]: role for role in roles if role in names}


def _value(choices: Choices, role: str, value: str) -> Any:
    if role == "limit" and value.isascii() and value.isdecimal() and 1 <= int(value) <= 100:
        return int(value)
    if role != "limit" and UUID.fullmatch(value):
        return value.lower()
    raise RequestError(choices.errors.malformed, f"{role} {value!r}")


def _body(choices: Choices, body: bytes) -> Record:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError(400, "the body is not JSON") from None
    properties = document if isinstance(document, dict) else {}
    revision, key = properties.get("expectedSubjectRevision"), properties.get("idempotencyKey")
    if not _is_integer(revision) or not isinstance(key, str) or not key:
        raise RequestError(choices.errors.malformed, "the body needs a revision and a key")
    return {"revision": revision, "key": key}


def _is_integer(value: object) -> bool:
    """Whether a JSON number has no fraction."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value == int(value)
