"""The target profile of a deployment, as the text of a target.toml."""

import json
from collections.abc import Iterator

from second_implementation.choices import USUAL, Choices
from second_implementation.credentials import PERMISSIONS, secret
from second_implementation.world import World

NAMES = (
    "primary",
    "expired",
    "revoked",
    "outsider",
    "no-review-role",
    "throttled",
    *(f"lacking.{each}" for each in PERMISSIONS),
)
ROLES = {"video_list": ("cursor", "company", "project"), "review_list": ("cursor", "project")}


def text(world: World, choices: Choices, base_url: str) -> str:
    """The target profile of a deployment."""
    return "\n".join([f"base-url = {json.dumps(base_url)}", *_lines(world, choices)]) + "\n"


def _lines(world: World, choices: Choices) -> Iterator[str]:
    profile = choices.profile
    for name in NAMES[:1] if profile.extent == "bare" else NAMES:
        kind, _, permission = name.partition(".")
        suffix = f".{json.dumps(permission)}" if permission else ""
        yield f"[credentials.{kind}{suffix}]"
        yield from (f"{scheme} = {json.dumps(secret(name, scheme))}" for scheme in profile.schemes)
    if profile.names:
        yield from _parameters(choices)
    if profile.extent != "full":
        return
    yield from _fixtures(world, choices)
    yield "[limits]"
    yield f"max-body-bytes = {choices.wire.maximum}"
    yield f"rate-limit = {{ requests = {choices.rate.requests}, seconds = {choices.rate.seconds} }}"
    yield "[consent]"
    for consent in ("approve-reviews", "exhaust-rate-limit", "oversized-bodies", "fuzz-writes"):
        yield f"{consent} = true"


def _parameters(choices: Choices) -> Iterator[str]:
    names = dict(choices.paging.names)
    if choices.paging.names == USUAL:
        return
    for operation, roles in ROLES.items():
        yield f"[parameters.{operation}]"
        yield from (f"{role} = {json.dumps(names.get(role, False))}" for role in roles)


def _fixtures(world: World, choices: Choices) -> Iterator[str]:
    own = set().union(*list(world["grants"].values())[:1])
    reviews = [review for review in world["reviews"].values() if review["projectId"] in own]
    approvable = [review["id"] for review in reviews if review["approvable"]]
    unapprovable = [review["id"] for review in reviews if not review["approvable"]]
    yield "[fixtures]"
    yield f"approvable-reviews = {json.dumps(approvable)}"
    yield f"unapprovable-reviews = {json.dumps(unapprovable)}"
    if choices.data != "full":
        return
    for name, company in (("foreign", world["companies"][2]), ("ungranted", world["companies"][0])):
        review = next(
            r
            for r in world["reviews"].values()
            if r["companyId"] == company and r["projectId"] not in own
        )
        ids = {"project": review["projectId"], "video": review["videoId"], "review": review["id"]}
        ids |= {"company": company} if name == "foreign" else {}
        entries = ", ".join(f"{key} = {json.dumps(id)}" for key, id in ids.items())
        yield f"{name} = {{ {entries} }}"
