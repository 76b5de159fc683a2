"""The HTTP server of the reference: framing, concurrency, restarts, signals."""

import os
import signal
import socket
import stat
import subprocess
import threading
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from process import COMMAND
from sse_starlette.sse import AppStatus

from conformance.__main__ import main
from conformance.reference import Reference, serve
from conformance.reference.request_body import MAXIMUM_BODY_BYTES

THREADS = 8


@contextmanager
def served(*instances: Reference) -> Iterator[list[str]]:
    """The base URLs of instances, served in threads of this process."""
    listeners = [serve.listen("127.0.0.1", 0) for _ in instances]
    ready = [threading.Event() for _ in instances]
    servers = [
        serve.server(instance.app, event.set)
        for instance, event in zip(instances, ready, strict=True)
    ]
    threads = [
        threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        for server, listener in zip(servers, listeners, strict=True)
    ]
    for thread, event in zip(threads, ready, strict=True):
        thread.start()
        assert event.wait(10)
    try:
        yield [serve.address(listener) for listener in listeners]
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.should_exit = True
            thread.join(10)


@contextmanager
def process(*arguments: object) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The base URL of a server in another process, and the process."""
    command = [*COMMAND, "serve", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        try:
            yield running.stdout.readline().strip(), running
        finally:
            running.terminate()
            running.wait(10)


def profile_of(seed: int, base_url: str) -> dict[str, Any]:
    """The profile of a new instance."""
    instance = Reference(seed)
    profile = instance.profile(base_url)
    instance.close()
    return profile


def client(base_url: str, profile: dict[str, Any]) -> httpx.Client:
    """A client with the credential primary, over real connections."""
    headers = {"x-api-key": profile["credentials"]["primary"]["api-key"]}
    return httpx.Client(base_url=base_url, headers=headers, trust_env=False, timeout=30)


def approval(review: dict[str, Any], key: str) -> tuple[str, dict[str, Any]]:
    """The path and the body of an approval."""
    return f"/reviews/{review['id']}/approve", {
        "expectedSubjectRevision": review["subjectRevision"],
        "idempotencyKey": key,
    }


def at_once(calls: list[Callable[[], httpx.Response]]) -> list[httpx.Response]:
    """The responses to calls that start together, each in its own thread."""
    barrier = threading.Barrier(len(calls))

    def call(one: Callable[[], httpx.Response]) -> httpx.Response:
        barrier.wait()
        return one()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(call, calls))


@pytest.mark.parametrize("keys", [1, THREADS], ids=["one key", "many keys"])
@pytest.mark.parametrize("instances", [1, 3], ids=["one instance", "three instances on one file"])
def test_concurrent_approvals_approve_once(tmp_path: Path, keys: int, instances: int) -> None:
    """With one key all return equal data; with many keys one returns 200 and the others 409."""
    made = [Reference(database=str(tmp_path / "reference.db")) for _ in range(instances)]
    profile = made[0].profile("")
    with served(*made) as urls:
        clients = [client(urls[number % instances], profile) for number in range(THREADS)]
        for identifier in profile["fixtures"]["approvable-reviews"][:5]:
            review = clients[0].get(f"/reviews/{identifier}").json()["data"]
            requests = [
                approval(review, f"{identifier} {number % keys}") for number in range(THREADS)
            ]
            responses = at_once(
                [
                    partial(each.post, path, json=body)
                    for each, (path, body) in zip(clients, requests, strict=True)
                ]
            )
            statuses = [response.status_code for response in responses]
            assert sorted(statuses) == (
                [200] * THREADS if keys == 1 else [200] + [409] * (THREADS - 1)
            )
            winner = statuses.index(200)
            path, body = requests[winner]
            replays = [each.post(path, json=body) for each in clients]
            assert [replay.json()["data"] for replay in replays] == [
                responses[winner].json()["data"]
            ] * THREADS
            assert clients[-1].get(f"/reviews/{identifier}").json()["data"]["status"] == "approved"
        for each in clients:
            each.close()
    for instance in made:
        instance.close()


def test_concurrent_approvals_of_many_processes_approve_once(tmp_path: Path) -> None:
    """Processes that open the same new file have equal records, and one approval."""
    arguments = ("--database", tmp_path / "reference.db")
    profile = profile_of(1, "")
    with (
        process(*arguments) as (one, _),
        process(*arguments) as (two, _),
        client(one, profile) as first,
        client(two, profile) as second,
    ):
        for identifier in profile["fixtures"]["approvable-reviews"][:5]:
            path, body = approval(first.get(f"/reviews/{identifier}").json()["data"], identifier)
            responses = at_once(
                [partial(each.post, path, json=body) for each in (first, second) * 3]
            )
            assert [response.status_code for response in responses] == [200] * 6
            assert len({str(response.json()["data"]) for response in responses}) == 1


def test_a_restart_preserves_the_state(tmp_path: Path) -> None:
    """After a restart with the same file, replays return equal data, and cursors are valid."""
    database, target = tmp_path / "reference.db", tmp_path / "target.toml"
    arguments = ("--database", database, "--seed", 7, "--target-out", target)
    with process(*arguments) as (base_url, running):
        profile = tomllib.loads((tmp_path / "target.toml").read_text(encoding="utf-8"))
        with client(base_url, profile) as api:
            review = api.get(f"/reviews/{profile['fixtures']['approvable-reviews'][0]}").json()[
                "data"
            ]
            path, body = approval(review, "kept")
            first = api.post(path, json=body)
            cursor = api.get("/projects").json()["data"]["nextCursor"]
            page = api.get("/projects", params={"cursor": cursor}).json()["data"]
        running.kill()
    with process(*arguments) as (base_url, _):
        again = tomllib.loads((tmp_path / "target.toml").read_text(encoding="utf-8"))
        with client(base_url, again) as api:
            replay = api.post(path, json=body)
            assert (replay.status_code, replay.json()["data"]) == (200, first.json()["data"])
            assert api.get("/projects", params={"cursor": cursor}).json()["data"] == page
            assert review["id"] not in again["fixtures"]["approvable-reviews"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_server(tmp_path: Path, number: signal.Signals) -> None:
    """It prints its base URL first, writes a private profile, and exits with 0."""
    target = tmp_path / "target.toml"
    target.write_text("of an earlier run", encoding="utf-8")
    with process("--seed", 3, "--target-out", target) as (base_url, running):
        assert tomllib.loads(target.read_text(encoding="utf-8")) == profile_of(3, base_url)
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        assert httpx.get(f"{base_url}/account", trust_env=False).status_code == 401
        running.send_signal(number)
        assert running.stdout is not None
        assert running.stderr is not None
        output = running.stdout.read()  # communicate() would lose what came with the first line
        assert (running.wait(10), running.stderr.read()) == (0, "")
        assert "curl -s" in output


def test_serving_stops_on_a_signal_in_this_process(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the main thread, the command returns after the signal; the printed URL was correct."""
    monkeypatch.setattr(
        AppStatus, "should_exit", False
    )  # otherwise the signal leaves it True for every later stream of this process
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    port = free_port()
    threading.Thread(target=stop_once_it_listens, args=(port,)).start()
    assert main(["serve", "--port", str(port)]) == 0
    for number, handler in before.items():
        signal.signal(number, handler)
    assert capsys.readouterr().out.startswith(f"http://127.0.0.1:{port}/v1\n\n")


def test_an_address_has_host_and_port() -> None:
    """IPv6 addresses are in brackets."""
    with serve.listen("127.0.0.1", 0) as four, serve.listen("::1", 0) as six:
        assert serve.address(four) == f"http://127.0.0.1:{four.getsockname()[1]}/v1"
        assert serve.address(six) == f"http://[::1]:{six.getsockname()[1]}/v1"


def test_a_request_has_no_delayed_acknowledgement() -> None:
    """Twenty requests on a connection take less than 44 ms each, the cost of Nagle's algorithm."""
    instance = Reference()
    with served(instance) as (base_url,), client(base_url, instance.profile(base_url)) as api:
        elapsed = sum(api.get("/account").elapsed.total_seconds() for _ in range(20))
    instance.close()
    assert elapsed < 20 * 0.03


@pytest.mark.parametrize("size", [MAXIMUM_BODY_BYTES + 1, 5_000_000])
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
def test_a_large_body_does_not_end_the_connection(size: int, declared: bool) -> None:
    """The client receives 413, and its next request succeeds."""
    instance = Reference()
    profile = instance.profile("")
    path = f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve"
    pieces = [b"x" * 10_000] * (size // 10_000) + [b"x" * (size % 10_000)]
    with served(instance) as (base_url,), client(base_url, profile) as api:
        response = api.post(path, content=b"".join(pieces) if declared else iter(pieces))
        assert (response.status_code, response.json()["code"]) == (413, "body_too_large")
        assert api.get("/account").status_code == 200
    instance.close()


def test_errors_are_json_over_http() -> None:
    """Each error has its status and an error body; for HEAD it has no body."""
    instance = Reference()
    profile = instance.profile("")
    path = f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve"
    with served(instance) as (base_url,), client(base_url, profile) as api:
        responses = [
            api.get("/nothing"),
            api.delete("/account"),
            api.post(path, content="{"),
            api.head("/nothing"),
        ]
        instance.store.close()
        responses.append(api.get("/account"))
    assert [response.status_code for response in responses] == [404, 405, 400, 404, 500]
    assert responses[1].headers["allow"] == "GET, HEAD"
    assert responses.pop(3).content == b""
    assert all(response.json()["requestId"] and response.json()["code"] for response in responses)


def stop_once_it_listens(port: int) -> None:
    """Send this process a signal once a server listens on the port."""
    with httpx.Client(transport=httpx.HTTPTransport(retries=10), trust_env=False) as api:
        assert api.get(f"http://127.0.0.1:{port}/v1/account").status_code == 401
    os.kill(os.getpid(), signal.SIGTERM)


def free_port() -> int:
    """A free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
