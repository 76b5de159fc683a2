"""Sequences of operations that clients use: five scenarios, which `arazzo` writes as a document.

Expressions are those of Arazzo. `$steps.ID.outputs.NAME` is a field of the data in an earlier
response, or of the first item in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Condition = str | Mapping[str, str]
"""A simple condition, or a criterion of Arazzo with its context and type."""

OK = "$statusCode == 200"
CONFLICT = "$statusCode == 409"
THROTTLED = "$statusCode == 429"
HAS_RETRY_AFTER = {
    "context": "$response.header.Retry-After",
    "type": "regex",
    "condition": r"^\d+$|GMT$",
}
APPROVABLE = "$response.body#/data/approvable == true"
IS_APPROVED = "$response.body#/data/status == 'approved'"

INPUTS: Mapping[str, Mapping[str, str]] = {
    "apiKey": {
        "type": "string",
        "description": "A key with every permission, whose role may approve reviews.",
    },
    "reviewId": {
        "type": "string",
        "description": "An approvable review. Its approval cannot be undone.",
    },
    "idempotencyKey": {"type": "string", "description": "A key that was never used."},
    "otherKey": {"type": "string", "description": "Another key that was never used."},
    "otherRevision": {
        "type": "integer",
        "description": "A revision next to the current one of the review.",
    },
}
"""The inputs of a run as JSON Schemas, without formats: runners reject formats that they lack."""


@dataclass(frozen=True)
class Step:
    """One request.

    `after` is an earlier step and the link from its response to this request; `given` are the
    other arguments. The step succeeds if all `conditions` hold. If they do not and `again` holds,
    it is repeated up to `tries` times, after the seconds in Retry-After or else after `pause`.
    """

    id: str
    operation: str
    after: tuple[str, str] | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = (OK,)
    again: str | None = None
    pause: int = 0
    tries: int = 0


@dataclass(frozen=True)
class Scenario:
    """A sequence of requests by one caller."""

    id: str
    summary: str
    description: str
    steps: tuple[Step, ...]


def _equals(name: str, step: str, output: str) -> str:
    """The condition that a field of the response equals an output of a step."""
    return f"$response.body#/data/{name} == $steps.{step}.outputs.{output}"


def _read(id: str, operation: str, source: str, link: str) -> Step:
    """The read of the first item of a list by its id."""
    conditions = (OK, _equals("id", source, "id"))
    return Step(id, operation, after=(source, link), conditions=conditions)


def _approve(id: str, given: Mapping[str, str], *conditions: str) -> Step:
    """An approval of the review that the step `look` has read."""
    return Step(id, "review_approve", ("look", "approve"), given, conditions)


FIRST = {"limit": 1}
KEY = {"idempotencyKey": "$inputs.idempotencyKey"}
OTHER_KEY = {"idempotencyKey": "$inputs.otherKey"}
STALE = {"expectedSubjectRevision": "$inputs.otherRevision"}
REVIEW = {"reviewId": "$inputs.reviewId"}

LOOK = Step("look", "review_get", given=REVIEW, conditions=(OK, APPROVABLE))
APPROVE = _approve(
    "approve",
    KEY,
    OK,
    _equals("id", "look", "id"),
    IS_APPROVED,
    _equals("subjectRevision", "look", "subjectRevision"),
)
SAME_RESULT = tuple(_equals(name, "approve", name) for name in ("id", "status", "subjectRevision"))

READ_THROUGH = Scenario(
    "read-through",
    "Read from the account down to a comment",
    "Two pages of projects, a project and its activity, a video, a review and its comments. "
    "The first listed review has a comment.",
    (
        Step("account", "account_get"),
        Step("projects", "project_list", given=FIRST),
        Step(
            "more-projects",
            "project_list",
            after=("projects", "nextPage"),
            given=FIRST,
            conditions=(OK, "$response.body#/data/items/0/id != $steps.projects.outputs.id"),
        ),
        _read("project", "project_get", "projects", "readProject"),
        Step("activity", "activity_list", after=("project", "listActivity")),
        Step("videos", "video_list", given=FIRST),
        _read("video", "video_get", "videos", "readVideo"),
        Step("reviews", "review_list", given=FIRST),
        _read("review", "review_get", "reviews", "readReview"),
        Step(
            "comments",
            "comment_list",
            after=("review", "listComments"),
            conditions=(OK, _equals("items/0/reviewId", "review", "id")),
        ),
    ),
)

APPROVE_ONCE = Scenario(
    "approve-once",
    "Approve a review at the revision that was read",
    "The review is approvable first and approved afterwards.",
    (
        LOOK,
        APPROVE,
        Step(
            "look-again",
            "review_get",
            after=("approve", "readReview"),
            conditions=(OK, IS_APPROVED),
        ),
    ),
)

REPLAY = Scenario(
    "replay",
    "Repeat an approval whose response was lost",
    "Each repetition with the same key and revision returns the same data.",
    (
        LOOK,
        APPROVE,
        _approve("replay", KEY, OK, *SAME_RESULT),
        _approve("replay-again", KEY, OK, *SAME_RESULT),
    ),
)

CONFLICTS = Scenario(
    "conflict",
    "Meet both conflicts of an approval",
    "A revision other than the current one changes nothing. "
    "A key that has approved one revision approves no other.",
    (
        LOOK,
        _approve("stale", {**STALE, **OTHER_KEY}, CONFLICT),
        Step(
            "look-again",
            "review_get",
            given=REVIEW,
            conditions=(OK, _equals("status", "look", "status"), APPROVABLE),
        ),
        APPROVE,
        _approve("other-revision", {**STALE, **KEY}, CONFLICT),
    ),
)

RATE_LIMIT = Scenario(
    "throttled",
    "Exceed the rate limit and wait",
    "Requests until one returns 429 with Retry-After; a request after that time succeeds. "
    "No other client should use the key.",
    (
        Step("spend", "account_get", again=OK, tries=1000, conditions=(THROTTLED, HAS_RETRY_AFTER)),
        Step("wait", "account_get", again=THROTTLED, pause=1, tries=5),
    ),
)

SCENARIOS = (READ_THROUGH, APPROVE_ONCE, REPLAY, CONFLICTS, RATE_LIMIT)
