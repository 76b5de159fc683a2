"""Responses of the reference: envelope, errors, methods, unknown paths, bodies, failures."""

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

from conformance.http.in_process import InProcess
from conformance.reference import ManualClock, Reference, store
from conformance.reference.request_body import MAXIMUM_BODY_BYTES


def assert_error(response: httpx.Response, status: int) -> None:
    """Assert the status and the error body."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert set(response.json()) == {"code", "requestId", "message", "title"}
    assert all(isinstance(value, str) and value for value in response.json().values())


def test_a_success_is_an_envelope(api: httpx.Client) -> None:
    """`data` and `requestId`, as JSON with Content-Length."""
    response = api.get("/projects")
    assert set(response.json()) == {"data", "requestId"}
    assert response.headers["content-type"] == "application/json"
    assert response.headers["content-length"] == str(len(response.content))


def test_request_ids_are_unique_and_repeatable(api: httpx.Client, profile: dict[str, Any]) -> None:
    """All responses have distinct ids; an equal instance returns the same ids in the same order."""
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
    """Each start with a database file begins another series of ids."""
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
    assert_error(api.get(f"http://reference.test/v1{path}"), 404)


def test_the_root_is_not_found(api: httpx.Client) -> None:
    """There is nothing outside /v1."""
    assert_error(api.get("http://reference.test/"), 404)
    assert_error(api.get("http://reference.test/account"), 404)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_an_unsupported_method_is_rejected(api: httpx.Client, method: str) -> None:
    """405 with Allow."""
    response = api.request(method, "/projects")
    assert_error(response, 405)
    assert response.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_an_approval_is_posted(api: httpx.Client, profile: dict[str, Any], method: str) -> None:
    """Every other method on its path is 405 with Allow: POST."""
    response = api.request(
        method, f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve"
    )
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("path", ["/account", "/projects", "/projects?limit=0", "/nothing"])
def test_head_is_get_without_a_body(api: httpx.Client, path: str) -> None:
    """The status and headers are those of GET."""
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
def test_a_path_id_that_is_not_a_uuid_is_rejected(
    api: httpx.Client, path: str, identifier: str
) -> None:
    """The response is 422."""
    assert_error(api.get(path.format(identifier)), 422)


@pytest.mark.parametrize(("content", "status"), [(b"{", 400), (b"[]", 422), (b"{}", 422)])
def test_an_invalid_body_is_rejected(
    api: httpx.Client, profile: dict[str, Any], content: bytes, status: int
) -> None:
    """Malformed JSON is 400; other JSON than an object with both fields is 422."""
    assert_error(
        api.post(
            f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve", content=content
        ),
        status,
    )


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
def test_a_body_beyond_the_maximum_is_rejected(
    api: httpx.Client, profile: dict[str, Any], declared: bool
) -> None:
    """A body of the maximum size is read (400); one more byte is 413, also without a length."""
    path = f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve"
    for size, status in ((MAXIMUM_BODY_BYTES, 400), (MAXIMUM_BODY_BYTES + 1, 413)):
        body = b"x" * size
        assert_error(
            api.post(path, content=body if declared else iter([body[:1000], body[1000:]])), status
        )


def test_a_large_body_is_rejected_while_it_is_read(
    reference: Reference, profile: dict[str, Any]
) -> None:
    """Reading stops at the chunk that exceeds the maximum; a declared length prevents it."""
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
        assert_error(client.post(url, content=endless()), 413)
        assert chunks == 7
        assert_error(client.post(url, content=endless(), headers={"content-length": "70000"}), 413)
        assert chunks == 7


def test_an_unhandled_exception_returns_500(
    reference: Reference, api: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    """500 with an error body; the cause is in the log only."""
    reference.store.close()
    with caplog.at_level(logging.ERROR):
        response = api.get("/account")
    assert_error(response, 500)
    assert "closed database" not in response.text
    assert "closed database" in caplog.text


def test_a_locked_database_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: dict[str, Any]
) -> None:
    """503 after the timeout, while another connection has the write lock."""
    monkeypatch.setattr(store, "BUSY_TIMEOUT_SECONDS", 0.05)
    one, other = (
        Reference(database=str(tmp_path / "reference.db"), clock=ManualClock()) for _ in range(2)
    )
    headers = {"x-api-key": profile["credentials"]["primary"]["api-key"]}
    body = {"expectedSubjectRevision": 1, "idempotencyKey": "a"}
    with reference_client.client(one, headers) as client, other.store.transaction():
        assert_error(
            client.post(
                f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve", json=body
            ),
            503,
        )
    one.close()
    other.close()


def test_a_client_that_disconnects_gets_no_response(
    reference: Reference, profile: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """An incomplete body gets no response, and causes no error in the log."""
    messages: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        messages.append(message)

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
    assert (messages, caplog.records) == ([], [])


def test_one_instance_serves_several_event_loops(
    reference: Reference, profile: dict[str, Any]
) -> None:
    """Eight threads with their own event loops get equal data and distinct request ids."""
    headers = {"x-api-key": profile["credentials"]["primary"]["api-key"]}

    def read(_: int) -> list[dict[str, Any]]:
        with reference_client.client(reference, headers) as client:
            return [client.get("/videos").json() for _ in range(20)]

    with ThreadPoolExecutor(8) as pool:
        responses = [response for batch in pool.map(read, range(8)) for response in batch]
    assert len({response["requestId"] for response in responses}) == len(responses) == 160
    assert [response["data"] for response in responses] == [responses[0]["data"]] * 160


def test_an_instance_starts_and_stops_with_its_server(reference: Reference) -> None:
    """The lifespan events of ASGI are handled."""
    events = iter(["lifespan.startup", "lifespan.shutdown"])
    messages: list[str] = []

    async def receive() -> dict[str, Any]:
        return {"type": next(events)}

    async def send(message: Any) -> None:
        messages.append(message["type"])

    asyncio.run(reference.app({"type": "lifespan"}, receive, send))
    assert messages == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
