"""A client that keeps its side of the contract; the mutants and variants beside are edits of it.

It reads the account, the projects, the videos of one and all reviews, and approves two reviews.
"""

import os
import sys
import time
import uuid
from collections.abc import Iterator
from typing import Any

import httpx

TRIES = 4
LIMIT = 100

BASE_URL = os.environ["LOCALIZATION_BASE_URL"]
API_KEY = os.environ["LOCALIZATION_API_KEY"]
TOKEN = os.environ["LOCALIZATION_TOKEN"]
REVIEWS = os.environ["LOCALIZATION_REVIEW_IDS"].split()
PROJECT = os.environ["LOCALIZATION_PROJECT_ID"]
HEADERS = {"authorization": f"Bearer {TOKEN}"}


class Rejected(Exception):
    """The service has rejected a request; the argument is the status."""


def sent(http: httpx.Client, method: str, path: str, **options: Any) -> Any:
    """The data of a response, after as many tries as are worth while. Raises Rejected."""
    for _ in range(TRIES):
        try:
            response = http.request(method, path, **options)
        except httpx.TransportError:
            continue  # nobody knows what became of it: the same request again
        if response.status_code == 429:
            time.sleep(float(response.headers["retry-after"]))
        elif response.status_code < 500:
            break
    else:
        raise Rejected("no response")
    if response.status_code != 200:
        raise Rejected(response.status_code)
    return response.json()["data"]


def pages(http: httpx.Client, path: str, **query: Any) -> Iterator[Any]:
    """The records of a list, page by page."""
    cursor: str | None = None
    while True:
        asked = {**query, "limit": LIMIT}
        if cursor is not None:
            asked["cursor"] = cursor
        page = sent(http, "GET", path, params=asked)
        yield from page["items"]
        cursor = page.get("nextCursor")
        if cursor is None or not page["items"]:
            return


def approve(http: httpx.Client, review: str) -> None:
    """Approve a review as it was read; once more, where it has changed meanwhile."""
    for _ in range(2):
        read = sent(http, "GET", f"/reviews/{review}")
        if read["status"] == "approved":
            return
        body = {
            "expectedSubjectRevision": read["subjectRevision"],
            "idempotencyKey": str(uuid.uuid4()),
        }
        try:
            sent(http, "POST", f"/reviews/{review}/approve", json=body)
            return
        except Rejected as problem:
            if problem.args[0] != 409:
                raise


def main() -> None:
    """Use the API; the process ends with 1 where the service rejects what it has to serve."""
    with httpx.Client(base_url=BASE_URL, headers=HEADERS, trust_env=False) as http:
        sent(http, "GET", "/account")
        projects = list(pages(http, "/projects"))
        sent(http, "GET", f"/projects/{projects[0]['id']}")
        list(pages(http, "/videos", projectId=PROJECT))
        list(pages(http, f"/projects/{PROJECT}/activity"))
        list(pages(http, "/reviews"))
        for review in REVIEWS:
            approve(http, review)


if __name__ == "__main__":
    try:
        main()
    except Rejected as problem:
        sys.exit(f"rejected: {problem}")
