"""The reference's answers: envelope, error bodies, methods, unknown paths, malformed bodies, failures."""

import asyncio
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
import reference_client

from conformance.http.transport import InProcess
from conformance.reference import ManualClock, Reference, store
from conformance.reference.request_body import MAXIMUM_BODY_BYTES


def is_refused(answer: httpx.Response, status: int) -> None:
    """Assert the status and the error body."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json()) == {"code", "requestId", "message", "title"}
    assert all(isinstance(member, str) and member for member in answer.json().values())


def test_a_success_is_an_envelope(api: httpx.Client) -> None:
    """`data` and `requestId`, as JSON, with its length."""
    answer = api.get("/projects")
    assert set(answer.json()) == {"data", "requestId"}
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-length"] == str(len(answer.content))


def test_request_ids_are_unique_and_repeatable(api: httpx.Client, profile: dict[str, Any]) -> None:
    """No answer shares its id with another, refusals included; an equal instance gives the same ids in the same order."""
    ids = [
        api.get(path).json()["requestId"]
        for path in ("/account", "/account", "/nothing", "/projects?limit=0")
    ]
    again = Reference(clock=ManualClock())
    with reference_client.client(again, api.headers) as client:
        assert [
            client.get(path).json()["requestId"]
            for path in ("/account", "/account", "/nothing", "/projects?limit=0")
        ] == ids
    again.close()
    assert len(set(ids)) == 4
    assert all(str(UUID(each)) == each for each in ids)


def test_request_ids_differ_after_a_restart(tmp_path: Path) -> None:
    """Each opening of a database file begins another series."""
    ids = set()
    for _ in range(3):
        opened = Reference(database=str(tmp_path / "reference.db"), clock=ManualClock())
        with reference_client.client(opened) as client:
            ids.add(client.get("/account").json()["requestId"])
        opened.close()
    assert len(ids) == 3


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/nothing",
        "/account/",
        "/projects/",
        "/projects//activity",
        "/Account",
        "/../account",
    ],
)
def test_an_unknown_path_is_not_found(api: httpx.Client, path: str) -> None:
    """404 with an error body, and never a redirect."""
    is_refused(api.get(f"http://reference.test/v1{path}"), 404)


def test_the_root_is_not_found(api: httpx.Client) -> None:
    """Nothing lies outside of /v1."""
    is_refused(api.get("http://reference.test/"), 404)
    is_refused(api.get("http://reference.test/account"), 404)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_a_wrong_method_is_refused(api: httpx.Client, method: str) -> None:
    """405, and Allow says what there is."""
    answer = api.request(method, "/projects")
    is_refused(answer, 405)
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_an_approval_is_posted(api: httpx.Client, profile: dict[str, Any], method: str) -> None:
    """Every other method on its path is 405 with Allow: POST."""
    answer = api.request(method, f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("path", ["/account", "/projects", "/projects?limit=0", "/nothing"])
def test_head_is_get_without_a_body(api: httpx.Client, path: str) -> None:
    """Status and headers are those of GET."""
    head, get = api.head(path), api.get(path)
    assert (head.status_code, head.headers, head.content) == (get.status_code, get.headers, b"")


@pytest.mark.parametrize(
    "path",
    ["/projects/{}", "/videos/{}", "/reviews/{}", "/reviews/{}/comments", "/projects/{}/activity"],
)
@pytest.mark.parametrize(
    "identifier",
    [
        "x",
        "7",
        "%00",
        "%0A",
        "3f0c1d52-7a94-9c1e-8f21-0b6d5a9e7c43",
        "3f0c1d527a944c1e8f210b6d5a9e7c43",
    ],
)
def test_a_path_id_that_is_no_uuid_is_refused(
    api: httpx.Client, path: str, identifier: str
) -> None:
    """422."""
    is_refused(api.get(path.format(identifier)), 422)


@pytest.mark.parametrize(("content", "status"), [(b"{", 400), (b"[]", 422), (b"{}", 422)])
def test_a_body_that_does_not_fit_is_refused(
    api: httpx.Client, profile: dict[str, Any], content: bytes, status: int
) -> None:
    """Malformed JSON is 400, JSON of another shape 422."""
    is_refused(
        api.post(
            f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve", content=content
        ),
        status,
    )


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
def test_a_body_past_the_maximum_is_refused(
    api: httpx.Client, profile: dict[str, Any], declared: bool
) -> None:
    """The maximum itself is read (and is no JSON); one byte more is 413, with or without a declared length."""
    path = f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve"
    for size, status in ((MAXIMUM_BODY_BYTES, 400), (MAXIMUM_BODY_BYTES + 1, 413)):
        body = b"x" * size
        is_refused(
            api.post(path, content=body if declared else iter([body[:1000], body[1000:]])), status
        )


def test_a_body_is_refused_while_it_is_read(reference: Reference, profile: dict[str, Any]) -> None:
    """Nothing is asked for beyond the chunk that exceeds the maximum, and nothing at all where the length says enough."""
    chunks = 0

    def endless() -> Iterator[bytes]:
        nonlocal chunks
        while True:
            chunks += 1
            yield b"x" * 10_000

    headers = {"x-api-key": profile["credentials"]["primary"]["api-key"]}
    url = f"{reference_client.URL}/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve"
    with httpx.Client(
        transport=InProcess(reference.app, lambda _: None), headers=headers
    ) as client:
        is_refused(client.post(url, content=endless()), 413)
        assert chunks == 7
        is_refused(client.post(url, content=endless(), headers={"content-length": "70000"}), 413)
        assert chunks == 7


def test_an_unhandled_exception_is_answered(
    reference: Reference, api: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    """500 with an error body that says nothing of the cause, which is in the log."""
    reference.store.close()
    with caplog.at_level(logging.ERROR):
        answer = api.get("/account")
    is_refused(answer, 500)
    assert "closed database" not in answer.text
    assert "closed database" in caplog.text


def test_a_database_that_stays_locked_is_unavailability(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: dict[str, Any]
) -> None:
    """503 once the patience is over, while another connection holds the write lock."""
    monkeypatch.setattr(store, "BUSY_TIMEOUT_SECONDS", 0.05)
    one, other = (
        Reference(database=str(tmp_path / "reference.db"), clock=ManualClock()) for _ in range(2)
    )
    headers = {"x-api-key": profile["credentials"]["primary"]["api-key"]}
    body = {"expectedSubjectRevision": 1, "idempotencyKey": "a"}
    with reference_client.client(one, headers) as client, other.store.transaction():
        is_refused(
            client.post(
                f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve", json=body
            ),
            503,
        )
    one.close()
    other.close()


def test_a_client_that_leaves_is_not_answered(
    reference: Reference, profile: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Where the body never becomes complete there is no answer, and no error in the log."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    path = f"/v1/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve"
    key = profile["credentials"]["primary"]["api-key"].encode()
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(b"x-api-key", key)],
    }
    asyncio.run(reference.app(scope, receive, send))
    assert (sent, caplog.records) == ([], [])


def test_one_instance_serves_several_event_loops(
    reference: Reference, profile: dict[str, Any]
) -> None:
    """Eight threads, each with a loop of its own, get the same data and request ids that no two share."""
    headers = {"x-api-key": profile["credentials"]["primary"]["api-key"]}

    def read(_: int) -> list[dict[str, Any]]:
        with reference_client.client(reference, headers) as client:
            return [client.get("/videos").json() for _ in range(20)]

    with ThreadPoolExecutor(8) as pool:
        answers = [answer for answers in pool.map(read, range(8)) for answer in answers]
    assert len({answer["requestId"] for answer in answers}) == len(answers) == 160
    assert [answer["data"] for answer in answers] == [answers[0]["data"]] * 160


def test_an_instance_starts_and_stops_with_its_server(reference: Reference) -> None:
    """The lifespan events of ASGI are answered."""
    events = iter(["lifespan.startup", "lifespan.shutdown"])
    sent: list[str] = []

    async def receive() -> dict[str, Any]:
        return {"type": next(events)}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    asyncio.run(reference.app({"type": "lifespan"}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
