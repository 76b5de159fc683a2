"""Ordinary traffic with a defect that no exchange shows alone, as browsers and proxies record it.

Beside each, the same traffic where a change of the data, or of the caller, explains what it shows.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import pytest

from conformance.__main__ import main

BASE = "https://api.example.com/v1"
BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ANNA, BEN = "key-of-anna-0001", "key-of-ben-00002"
Record = dict[str, Any]


def uuid(name: str) -> str:
    """An id of version 5, by a name."""
    return str(uuid5(UUID(int=0), name))


class Browser:
    """Records requests as the network panel of a browser exports them."""

    def __init__(self) -> None:
        self.entries: list[Record] = []
        self._now = BEGIN

    def get(self, path: str, data: Any, key: str = ANNA, after: float = 1.0) -> None:
        """A read that succeeds, so many seconds after the last request."""
        self._now += timedelta(seconds=after)
        self._add({"method": "GET", "url": f"{BASE}{path}"}, data, key)

    def approve(
        self, id: str, revision: int, result: Record | None, key: str = ANNA, use: str = "one"
    ) -> None:
        """An approval that succeeds, or conflicts where it has no result."""
        self._now += timedelta(seconds=1)
        body = json.dumps({"expectedSubjectRevision": revision, "idempotencyKey": use})
        request = {
            "method": "POST",
            "url": f"{BASE}/reviews/{id}/approve",
            "postData": {"mimeType": "application/json", "text": body},
        }
        self._add(request, result, key)

    def _add(self, request: Record, data: Any, key: str) -> None:
        number = uuid(f"request {len(self.entries)}")
        conflict = {"code": "conflict", "requestId": number}
        text = json.dumps(conflict if data is None else {"data": data, "requestId": number})
        json_type = {"name": "content-type", "value": "application/json"}
        typed = [json_type] if "postData" in request else []
        headers = [{"name": "x-api-key", "value": key}, *typed]
        response = {
            "status": 409 if data is None else 200,
            "statusText": "",
            "headers": [json_type],
            "content": {"size": len(text), "mimeType": "application/json", "text": text},
            "bodySize": -1,
        }
        self.entries.append(
            {
                "startedDateTime": self._now.isoformat(timespec="milliseconds"),
                "time": 41.7,
                "request": request | {"httpVersion": "HTTP/2.0", "headers": headers},
                "response": response,
                "cache": {},
                "timings": {"send": 0.1, "wait": 40.0, "receive": 1.6},
            }
        )


def page(*items: Record, cursor: str | None = None) -> Record:
    """The data of a page."""
    return {"items": list(items), "nextCursor": cursor}


def project(name: str, company: str = "Acme") -> Record:
    """A project of a company."""
    return {
        "id": uuid(f"project {name}"),
        "companyId": uuid(f"company {company}"),
        "name": name,
        "status": "active",
        "sourceLanguage": "en",
        "createdAt": "2026-01-05T10:00:00Z",
        "videoCount": 2,
        "localizationCount": 4,
        "completedLocalizationCount": 1,
        "updatedAt": "2026-02-01T10:00:00Z",
    }


def review(status: str, revision: int = 3) -> Record:
    """A review of a video."""
    return {
        "id": uuid("review"),
        "companyId": uuid("company Acme"),
        "projectId": uuid("project A"),
        "subjectRevision": revision,
        "status": status,
        "approvable": status == "pending",
    }


def leak(browser: Browser, *, is_granted: bool) -> None:
    """A project of Ben's company is shown to Anna, whose list lacks it, or has it."""
    bens, annas = (
        project("B", "Bolt"),
        [project("A"), *([project("B", "Bolt")] if is_granted else [])],
    )
    browser.get("/projects", page(*annas))
    browser.get("/projects", page(bens), BEN)
    browser.get(f"/projects/{bens['id']}", bens)


def two_names(browser: Browser, *, is_updated: bool) -> None:
    """A project has another name in the list than by its id, also after an update of it."""
    later = {**project("A"), "name": "A, renamed"}
    later |= {"updatedAt": "2026-03-02T08:59:59Z"} if is_updated else {}
    browser.get("/projects", page(project("A")))
    browser.get(f"/projects/{later['id']}", later)


def two_statuses(browser: Browser, *, is_changed: bool) -> None:
    """List and record take turns, or the status has changed once."""
    later = {**project("A"), "status": "archived"}
    for number in range(3):
        is_later = is_changed and number > 0
        browser.get("/projects", page(later if is_later else project("A")), after=3)
        browser.get(f"/projects/{later['id']}", later, after=3)


def repeat(browser: Browser, *, has_new: bool) -> None:
    """The second page begins with the last project of the first; a new one may have come before."""
    first, second, third = project("A"), project("B"), project("C")
    cursor = uuid("cursor")
    browser.get("/projects?limit=2", page(first, second, cursor=cursor))
    browser.get(f"/projects?limit=2&cursor={cursor}", page(second, third))
    again = (project("D"), first) if has_new else (first, second)
    browser.get("/projects?limit=2", page(*again, cursor=uuid("cursor again")))


def other_result(browser: Browser, *, is_another_key: bool) -> None:
    """The replay of an approval returns another revision; Ben's approval is none."""
    id = uuid("review")
    browser.approve(id, 3, {"id": id, "status": "approved", "subjectRevision": 3})
    key = BEN if is_another_key else ANNA
    browser.approve(id, 3, {"id": id, "status": "approved", "subjectRevision": 4}, key)


def stale(browser: Browser, *, is_soon: bool) -> None:
    """A review is pending again after its approval: when reads lag no more, or right after it."""
    id = uuid("review")
    browser.get(f"/reviews/{id}", review("pending"))
    browser.approve(id, 3, {"id": id, "status": "approved", "subjectRevision": 3})
    browser.get("/reviews", page(review("pending")), after=1 if is_soon else 30)


def two_revisions(browser: Browser, *, conflicts: bool) -> None:
    """A key that has approved a review is used with another revision."""
    id = uuid("review")
    browser.approve(id, 3, {"id": id, "status": "approved", "subjectRevision": 3})
    later = {"id": id, "status": "approved", "subjectRevision": 4}
    browser.approve(id, 4, None if conflicts else later)


def two_reviews(browser: Browser, *, is_own: bool) -> None:
    """A key that has approved a review is used for another one."""
    id, other = uuid("review"), uuid("other review")
    browser.approve(id, 3, {"id": id, "status": "approved", "subjectRevision": 3})
    browser.approve(
        other, 3, {"id": other if is_own else id, "status": "approved", "subjectRevision": 3}
    )


def never_current(browser: Browser, *, was_revised: bool) -> None:
    """An approval succeeds at a revision that the review has neither before nor afterwards."""
    id = uuid("review")
    browser.get(f"/reviews/{id}", review("pending", 3))
    browser.approve(id, 4, {"id": id, "status": "approved", "subjectRevision": 4})
    browser.get(f"/reviews/{id}", review("approved", 5 if was_revised else 3), after=30)


def needless_conflict(browser: Browser, *, has_changed: bool) -> None:
    """Approvals conflict, and the review can be approved before and afterwards."""
    id = uuid("review")
    browser.get(f"/reviews/{id}", review("pending", 3))
    browser.approve(id, 3, None)
    browser.approve(id, 3, None, use="another")
    browser.get(f"/reviews/{id}", review("pending", 4 if has_changed else 3), after=30)


@pytest.mark.parametrize(
    ("record", "excuse", "requirement"),
    [
        (leak, "is_granted", "authorization/company"),
        (two_names, "is_updated", "read/agreement"),
        (two_statuses, "is_changed", "read/agreement"),
        (repeat, "has_new", "pagination/once"),
        (other_result, "is_another_key", "approval/replay"),
        (stale, "is_soon", "approval/state"),
        (two_revisions, "conflicts", "approval/key-other-revision"),
        (two_reviews, "is_own", "approval/key-other-review"),
        (never_current, "was_revised", "approval/stale-revision"),
        (needless_conflict, "has_changed", "approval/success"),
    ],
)
def test_what_shows_in_many_exchanges_is_judged(
    record: Any, excuse: str, requirement: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The requirement fails, and no other; nothing fails where there is an excuse."""
    assert failed(record, {excuse: False}, tmp_path, capsys) == {requirement}
    assert failed(record, {excuse: True}, tmp_path, capsys) == set()


def failed(
    record: Any, excuses: dict[str, bool], folder: Path, capsys: pytest.CaptureFixture[str]
) -> set[str]:
    """The requirements that fail in a recording."""
    browser = Browser()
    record(browser, **excuses)
    path = folder / "traffic.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": browser.entries}}))
    code = main(["judge", "--json", str(path), "--base-url", BASE])
    entries = json.loads(capsys.readouterr().out)["requirements"]
    found = {each["id"] for each in entries if each["verdict"] == "fail"}
    assert code == (1 if found else 0)
    return found
