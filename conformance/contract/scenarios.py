"""What clients do with several operations in a row: five stories, which `arazzo` writes down for people and for runners.

Expressions are Arazzo's. `$steps.ID.outputs.NAME` is a member of the data of an earlier answer, or of the first record in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Condition = str | Mapping[str, str]
"""A simple condition, or a criterion of Arazzo with its context and type."""

OK = "$statusCode == 200"
CONFLICT = "$statusCode == 409"
THROTTLED = "$statusCode == 429"
TOLD_HOW_LONG = {
    "context": "$response.header.Retry-After",
    "type": "regex",
    "condition": r"^\d+$|GMT$",
}

INPUTS: Mapping[str, Mapping[str, str]] = {
    "apiKey": {
        "type": "string",
        "description": "A key with every permission, whose role may approve reviews.",
    },
    "reviewId": {
        "type": "string",
        "description": "A review that can be approved, once: approval cannot be undone.",
    },
    "idempotencyKey": {"type": "string", "description": "A key that was never used."},
    "otherKey": {"type": "string", "description": "Another key that was never used."},
    "otherRevision": {
        "type": "integer",
        "description": "A revision next to the one that the review has.",
    },
}
"""What whoever runs a scenario has to bring, as JSON Schemas. They name no formats: a runner need not know them, and then refuses all."""


@dataclass(frozen=True)
class Step:
    """One request. `after` is the step whose answer leads to it, and the link that says how; `given` are its other arguments.

    It succeeds where all `conditions` hold. Where they do not and `again` does, it is made again, `tries` times at most: after as many
    seconds as Retry-After says, or `pause` where it says nothing.
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
    """A story of several requests by one caller."""

    id: str
    summary: str
    description: str
    steps: tuple[Step, ...]


KEY = {"idempotencyKey": "$inputs.idempotencyKey"}
STALE = {"expectedSubjectRevision": "$inputs.otherRevision"}
LOOK = Step(
    "look",
    "review_get",
    given={"reviewId": "$inputs.reviewId"},
    conditions=(OK, "$response.body#/data/approvable == true"),
)
APPROVED = (
    OK,
    "$response.body#/data/id == $steps.look.outputs.id",
    "$response.body#/data/status == 'approved'",
    "$response.body#/data/subjectRevision == $steps.look.outputs.subjectRevision",
)
APPROVE = Step(
    "approve", "review_approve", after=("look", "approve"), given=KEY, conditions=APPROVED
)

SCENARIOS = (
    Scenario(
        "read-through",
        "Read from the account down to a comment",
        "Two pages of projects, a project and its activity, a video, a review and its comments. The first review that is listed has one.",
        (
            Step("account", "account_get"),
            Step("projects", "project_list", given={"limit": 1}),
            Step(
                "more-projects", "project_list", after=("projects", "nextPage"), given={"limit": 1},
                conditions=(OK, "$response.body#/data/items/0/id != $steps.projects.outputs.id"),
            ),
            Step(
                "project", "project_get", after=("projects", "readProject"),
                conditions=(OK, "$response.body#/data/id == $steps.projects.outputs.id"),
            ),
            Step("activity", "activity_list", after=("project", "listActivity")),
            Step("videos", "video_list", given={"limit": 1}),
            Step(
                "video", "video_get", after=("videos", "readVideo"),
                conditions=(OK, "$response.body#/data/id == $steps.videos.outputs.id"),
            ),
            Step("reviews", "review_list", given={"limit": 1}),
            Step(
                "review", "review_get", after=("reviews", "readReview"),
                conditions=(OK, "$response.body#/data/id == $steps.reviews.outputs.id"),
            ),
            Step(
                "comments", "comment_list", after=("review", "listComments"),
                conditions=(OK, "$response.body#/data/items/0/reviewId == $steps.review.outputs.id"),
            ),
        ),
    ),
    Scenario(
        "approve-once",
        "Approve a review at the revision that was looked at",
        "The review says that it can be approved; afterwards it is approved.",
        (
            LOOK,
            APPROVE,
            Step(
                "look-again", "review_get", after=("approve", "readReview"),
                conditions=(OK, "$response.body#/data/status == 'approved'"),
            ),
        ),
    ),
    Scenario(
        "replay",
        "Send an approval again whose answer was lost",
        "The same key and the same revision: the same data, as often as it is sent.",
        (
            LOOK,
            APPROVE,
            *(
                Step(
                    id, "review_approve", after=("look", "approve"), given=KEY,
                    conditions=(
                        OK,
                        *(f"$response.body#/data/{name} == $steps.approve.outputs.{name}" for name in ("id", "status", "subjectRevision")),
                    ),
                )
                for id in ("replay", "replay-again")
            ),
        ),
    ),
    Scenario(
        "conflict",
        "Meet both conflicts of an approval",
        "A revision that is not the current one changes nothing. A key that has approved one revision approves no other.",
        (
            LOOK,
            Step(
                "stale", "review_approve", after=("look", "approve"), given={**STALE, "idempotencyKey": "$inputs.otherKey"},
                conditions=(CONFLICT,),
            ),
            Step(
                "look-again", "review_get", given={"reviewId": "$inputs.reviewId"},
                conditions=(OK, "$response.body#/data/status == $steps.look.outputs.status", "$response.body#/data/approvable == true"),
            ),
            APPROVE,
            Step("other-revision", "review_approve", after=("look", "approve"), given={**STALE, **KEY}, conditions=(CONFLICT,)),
        ),
    ),
    Scenario(
        "throttled",
        "Run into the rate limit and wait it out",
        "Requests until one is refused and says how long to wait; after that time the caller is served. The key should be nobody else's.",
        (
            Step(
                "spend", "account_get", again=OK, tries=1000,
                conditions=(THROTTLED, TOLD_HOW_LONG),
            ),
            Step("wait", "account_get", again=THROTTLED, pause=1, tries=5),
        ),
    ),
)  # fmt: skip
