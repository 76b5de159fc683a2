"""What the second judge says of single exchanges, and where it leaves a target alone."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import pytest

from conformance.assurance.second import opinion, recording

BASE = "http://target.test/v1"
ONE, TWO, THREE, FOUR = (f"{digit}0000000-0000-4000-8000-000000000000" for digit in "1234")
CREDENTIALS = ("primary", "outsider", "expired", "no-review-role", "lacking.account:read")
TARGET: dict[str, Any] = {
    "base-url": BASE,
    "credentials": {
        name: {"api-key": {"variable": name.upper(), "command": False}} for name in CREDENTIALS
    },
    "fixtures": {
        "approvable-reviews": [],
        "unapprovable-reviews": [THREE],
        "foreign": {"project": TWO},
        "ungranted": {},
    },
    "limits": {"max_body_bytes": 100},
    "parameters": [
        ["video_list", "cursor", "after", False],
        ["review_list", "company", None, True],
    ],
}
ACCOUNT = {"id": ONE, "displayName": "n", "accountType": "internal"}
APPROVAL = {"expectedSubjectRevision": 4, "idempotencyKey": "k"}


class Recording:
    """A recording that grows by one exchange in each second."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def add(
        self,
        path: str,
        status: int = 200,
        data: Any = None,
        caller: str | None = "primary",
        **more: Any,
    ) -> "Recording":
        """Add a request and its response: `data` of a success, or an error body."""
        sent, text = more.get("sent"), more.get("text")
        error = {"code": "c", "requestId": "r"}
        document = {"data": data, "requestId": "r"} if status == 200 else error
        headers = [["content-type", "application/json"]] if sent is not None else []
        if caller is not None:
            headers.append(["x-api-key", f"${caller.upper()}"])
        number = len(self.lines)
        self.lines.append(
            {
                "id": f"check#{number}",
                "item": "check",
                "request": {
                    "method": "GET" if sent is None else "POST",
                    "url": BASE + path,
                    "headers": [*headers, *more.get("headers", ())],
                    "body": None if sent is None else {"text": sent},
                },
                "started": float(number),
                "elapsed": more.get("elapsed", 0.5),
                "response": {
                    "status": status,
                    "headers": more.get("answered", [["content-type", "application/json"]]),
                    "body": more.get("body", {"text": text or json.dumps(document)}),
                },
            }
        )
        return self

    def approve(self, status: int, data: Any = None, **more: Any) -> "Recording":
        """Add an approval of the first review."""
        sent = json.dumps(more.pop("body_sent", APPROVAL))
        return self.add(
            f"/reviews/{more.pop('review', ONE)}/approve", status, data, sent=sent, **more
        )

    def read(self, **shown: Any) -> "Recording":
        """Add a read of the first review."""
        id = shown.pop("id", ONE)
        return self.add(f"/reviews/{id}", data={"id": id, **shown})

    @property
    def failed(self) -> set[str]:
        """The requirements that the second judge fails."""
        exchanges = b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)
        verdicts = opinion.of({"requirements": []}, TARGET, exchanges).verdicts
        return {id for id, verdict in verdicts.items() if verdict == "fail"}


def page(*ids: str, cursor: str | None = None, **more: Any) -> dict[str, Any]:
    """The data of a page of videos."""
    return {"items": [{"id": id, **more} for id in ids], "nextCursor": cursor}


def lost(status: int, text: str = "<html>") -> Recording:
    """A response with another body than one of the service."""
    return Recording().add("/account", status, text=text, answered=[["content-type", "text/html"]])


RESULT = {"id": ONE, "status": "approved", "subjectRevision": 4}
STALE = {**APPROVAL, "expectedSubjectRevision": 3}
AHEAD = {**APPROVAL, "expectedSubjectRevision": 6}
WORDS = {**APPROVAL, "expectedSubjectRevision": "4"}

CAPITAL = "A0000000-0000-4000-8000-000000000000"

LEFT_ALONE: Mapping[str, Recording] = {
    "a gateway": lost(502),
    "a gateway timeout": lost(504),
    "a gateway with JSON": Recording().add("/account", 503, text="{}"),
    "another address": Recording().add("0/account", 418),
    "another path": Recording().add("/elsewhere", 418),
    "a path with an odd id": Recording().add("/projects/..%2Fx", 418),
    "a long value": Recording().add(f"/projects/{'a' * 300}", 414),
    "values that are long in an address": Recording().add(
        f"/projects?limit={'%25' * 150}&cursor={'%25' * 150}", 414
    ),
    "a conflict that wins over the role": Recording()
    .approve(200, RESULT)
    .approve(409, caller="no-review-role"),
    "an unknown parameter": Recording().add("/account?x=1", 418),
    "a language": Recording().add("/account", 418, headers=[["accept-language", "de"]]),
    "two credentials": Recording().add("/account", 418, headers=[["x-api-key", "$OUTSIDER"]]),
    "a body that is no JSON": Recording().add(f"/reviews/{ONE}/approve", 418, sent="{"),
    "a byte order mark": Recording().add(
        "/account", text="\ufeff" + json.dumps({"data": ACCOUNT, "requestId": "r"})
    ),
    "a huge number": Recording().add(
        f"/videos/{ONE}", text='{"data":{"durationUs":1e999},"requestId":""}'
    ),
    "a long number": Recording().add(
        f"/videos/{ONE}", text='{"data":{"durationUs":%s},"requestId":""}' % ("9" * 9000)
    ),
    "a body nested too deeply": Recording().add("/account", text="[" * 200_000),
    "a body that was cut": Recording().add("/account", body={"text": "{", "length": 9}),
    "another notation of a limit": Recording().add("/projects?limit=05", data=page()),
    "an empty cursor": Recording().add("/projects?cursor=", data=page()),
    "an expired credential that nobody else was served beside": Recording().add(
        "/account", 400, caller="expired"
    ),
    "a token that has expired": Recording().add("/account", data=ACCOUNT).add("/account", 401),
    "a replay beside another approval": Recording()
    .approve(200, RESULT)
    .approve(409, elapsed=1.5)
    .approve(409),
    "a replay that lost its access": Recording().approve(200, RESULT).approve(403),
    "a replay in capitals": Recording()
    .approve(200, {**RESULT, "id": CAPITAL}, review=CAPITAL)
    .approve(200, {**RESULT, "id": CAPITAL.lower()}, review=CAPITAL),
    "a revision that nobody has read": Recording().approve(200, RESULT),
    "an approval by tool": Recording()
    .read(subjectRevision=4)
    .add("/mcp", sent=f'{{"reviewId": "{ONE}"}}')
    .approve(200, {**RESULT, "subjectRevision": 3}, body_sent=STALE),
    "a record that was moved once": Recording()
    .add("/videos", data=page(ONE, cursor=TWO))
    .add(f"/videos?after={TWO}", data=page(ONE)),
}

VIOLATIONS: Mapping[str, tuple[str, Recording]] = {
    "no JSON": ("response/json", Recording().add("/account", text="NaN")),
    "no UTF-8": (
        "response/json",
        Recording().add("/account", body={"base64": base64.b64encode(b"\xff").decode()}),
    ),
    "an error without a media type": (
        "response/content-type",
        Recording().add("/account", 404, answered=[]),
    ),
    "no page": ("page/items", Recording().add("/projects", data=[])),
    "no cursor": ("page/next-cursor-present", Recording().add("/projects", data={"items": []})),
    "an array as a success": ("envelope/data", Recording().add("/account", text="[]")),
    "an array as an error": ("error/object", Recording().add("/account", 404, text="[]")),
    "an empty Retry-After": (
        "limits/retry-after",
        Recording().add("/account", 429, answered=[["retry-after", " "]]),
    ),
    "a foreign form of Retry-After": (
        "limits/retry-after-form",
        Recording().add("/account", 429, answered=[["retry-after", "soon"]]),
    ),
    "a negative limit": ("arguments/limit", Recording().add("/projects?limit=-5", data=page())),
    "26 by default": (
        "pagination/default-limit",
        Recording().add("/projects", data=page(*[ONE] * 26)),
    ),
    "a record twice": ("pagination/once", Recording().add("/projects", data=page(ONE, ONE))),
    "a list that is rejected": ("read/success", Recording().add("/projects", 404)),
    "two accounts": (
        "read/identity",
        Recording().add("/account", data=ACCOUNT).add("/account", data={**ACCOUNT, "id": TWO}),
    ),
    "a key that is not always accepted": (
        "authentication/api-key",
        Recording().add("/account", 401).add("/account", data=ACCOUNT),
    ),
    "a caller who is served without a credential": (
        "authentication/missing",
        Recording().add("/account", data=ACCOUNT, caller=None),
    ),
    "a made-up credential": (
        "authentication/unknown",
        Recording().add("/account", data=ACCOUNT, caller="unknown_api_key"),
    ),
    "a permission that is missing": (
        "authorization/permission",
        Recording()
        .add("/account", data=ACCOUNT)
        .add("/account", 404, caller="lacking.account:read"),
    ),
    "a permission too many": (
        "authorization/no-more-than-permission",
        Recording()
        .add("/projects", data=page())
        .add("/projects", 403, caller="lacking.account:read"),
    ),
    "a role that may not approve": (
        "authorization/review-role",
        Recording().approve(200, RESULT).approve(200, RESULT, caller="no-review-role"),
    ),
    "a foreign project": (
        "authorization/company",
        Recording().add(f"/projects/{TWO}", data={"id": TWO}),
    ),
    "what primary was shown": (
        "authorization/lists",
        Recording()
        .add("/projects", data=page(ONE))
        .add("/projects", data=page(ONE), caller="outsider"),
    ),
    "a loop of cursors": (
        "pagination/end",
        Recording()
        .add("/projects", data=page(cursor=ONE))
        .add(f"/projects?cursor={ONE}", data=page(cursor=ONE)),
    ),
    "a text as a revision": ("arguments/body", Recording().approve(200, RESULT, body_sent=WORDS)),
    "an array as a body": ("arguments/body", Recording().approve(200, RESULT, body_sent=[])),
    "a body without a limit": (
        "limits/body",
        Recording().approve(200, RESULT, body_sent={**APPROVAL, "idempotencyKey": "k" * 100}),
    ),
    "a malformed id": ("arguments/approval-id", Recording().approve(200, RESULT, review="x")),
    "the result of another review": (
        "approval/result-status",
        Recording().approve(200, {**RESULT, "id": TWO}),
    ),
    "a revision that no read shows": (
        "approval/result-revision",
        Recording().approve(200, {**RESULT, "subjectRevision": 9}).read(subjectRevision=4),
    ),
    "an old revision": (
        "approval/stale-revision",
        Recording().read(subjectRevision=4).approve(200, RESULT, body_sent=STALE),
    ),
    "a revision ahead, with an effect": (
        "approval/stale-revision",
        Recording()
        .read(subjectRevision=4, status="pending")
        .approve(409, body_sent=AHEAD)
        .read(subjectRevision=4, status="approved"),
    ),
    "a used key": (
        "approval/key-other-revision",
        Recording().approve(200, RESULT).approve(200, RESULT, body_sent=AHEAD),
    ),
    "a replay with another result": (
        "approval/replay",
        Recording().approve(200, RESULT).approve(200, {**RESULT, "subjectRevision": 5}),
    ),
    "a review that nobody can approve": (
        "approval/unapprovable",
        Recording()
        .read(id=THREE, approvable=False, subjectRevision=4)
        .approve(200, {**RESULT, "id": THREE}, review=THREE),
    ),
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_the_contract_leaves_open_is_left_alone(name: str) -> None:
    """Nothing fails, and nothing is an error of the judge."""
    assert LEFT_ALONE[name].failed <= {"authentication/challenge"}


@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_violation_is_named(name: str) -> None:
    """By the requirement whose words it contradicts."""
    requirement, recording = VIOLATIONS[name]
    assert requirement in recording.failed


def test_a_record_on_two_pages_counts_where_every_walk_shows_it() -> None:
    """One walk alone shows nothing: records move while it goes on."""
    walk = Recording()
    for size in (1, 1):
        walk.add(f"/videos?limit={size}", data=page(ONE, cursor=TWO))
        walk.add(f"/videos?limit={size}&after={TWO}", data=page(ONE))
    walk.add("/videos?after=x", 422)
    assert walk.failed == {"pagination/once"}


def test_a_filter_is_respected() -> None:
    """A name that the contract leaves open counts once the target has rejected a value of it."""
    filtered = Recording().add(f"/videos?projectId={ONE}", data=page(FOUR, projectId=THREE))
    assert filtered.failed == set()
    assert filtered.add("/videos?projectId=x", 422).failed == {"pagination/filter"}


def test_a_review_with_endless_requests_is_not_judged() -> None:
    """Every attempt would be held beside every other one."""
    recording = Recording()
    for _ in range(501):
        recording.approve(200, RESULT)
    assert recording.approve(409).failed == set()


def test_another_version_of_the_base_address_is_a_flaw() -> None:
    """The address is that of the target, and no exchange shows it."""
    found = opinion.of({"requirements": []}, {**TARGET, "base-url": "http://target.test/v2"}, b"")
    assert found.verdicts == {"base/version-segment": "fail"}


@pytest.mark.parametrize(
    ("report", "exchanges"), [({"requirements": []}, b"{}\n"), ({"requirements": None}, b"")]
)
def test_evidence_that_no_run_has_written_is_malformed(report: Any, exchanges: bytes) -> None:
    """Whatever is missing, it is one kind of error."""
    with pytest.raises(recording.Malformed):
        opinion.of(report, TARGET, exchanges)
