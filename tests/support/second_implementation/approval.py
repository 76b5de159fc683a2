"""The approval of a review."""

import time
from dataclasses import replace
from typing import Any

from second_implementation import callers, shapes
from second_implementation.choices import Choices
from second_implementation.errors import RequestError
from second_implementation.world import Record, World


def approve(world: World, choices: Choices, request: Record, caller: Record) -> Record:
    """The `data` of an approval, also of one that is repeated with its key."""
    callers.find(world, choices, "reviews", request["id"], caller)
    callers.check_permission(caller, request["permission"])
    if caller["role"] != "reviewer":
        raise RequestError(403, "your role may not approve")
    key = (_scope(choices, request, caller), request["key"])
    expected = (request["id"], request["revision"])
    stored = world["keys"].get(key)
    if stored is None:
        return _first(world, choices, request, key)
    if stored["request"] != expected:
        raise RequestError(409, "the key was used for another request")
    return dict(stored["data"])


def _scope(choices: Choices, request: Record, caller: Record) -> Any:
    """The scope of a key."""
    scopes = {"account": caller["account"], "review": request["id"], "credential": caller["pair"]}
    return scopes[choices.approving.scope]


def _first(world: World, choices: Choices, request: Record, key: tuple[Any, str]) -> Record:
    """Approve, and store the result with the key."""
    try:
        data = _approved(world, choices, request)
    except RequestError:
        if choices.approving.stuck:
            world["keys"][key] = {"request": None}
        raise
    world["keys"][key] = {"request": (request["id"], request["revision"]), "data": data}
    return data


def _approved(world: World, choices: Choices, request: Record) -> Record:
    """Change the review, unless it is approved already."""
    review = world["reviews"][request["id"]]
    if review["status"] != "approved":
        _check(choices, review, request["revision"])
        world["approved_at"][request["id"]] = (time.monotonic(), dict(review))
        review |= {
            "status": "approved",
            "subjectRevision": review["subjectRevision"] + choices.approving.bump,
            "approvable": False,
            "approvalUnavailableReason": "approved",
        }
    elif choices.errors.approved != 200:
        raise RequestError(choices.errors.approved, "approved already")
    result = {name: review[name] for name in ("id", "status", "subjectRevision")}
    return shapes.shape("approvals", result, _complete(choices), listed=False)


def _check(choices: Choices, review: Record, revision: int) -> None:
    """Raise an error if the review cannot be approved at this revision."""
    errors, difference = choices.errors, revision - review["subjectRevision"]
    if not review["approvable"]:
        raise RequestError(errors.unapprovable, "this review cannot be approved")
    is_far = abs(difference) > 10 or revision < 1
    if difference:
        raise RequestError(errors.far_revision if is_far else 409, "another revision")


def _complete(choices: Choices) -> Choices:
    """The same choices with all fields, since a result always has all of its properties."""
    return replace(choices, forms=replace(choices.forms, fields="all", extras=False))
