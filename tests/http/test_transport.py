"""Transports: calls of an application in this process, and real connections."""

import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import httpx
import pytest
from faulty_server import OK, deafness, head, repeating, responding, served, silence
from scripted_app import ScriptedApp, scripted_response

from conformance.http.in_process import InProcess
from conformance.http.network import WRITE_SIZE, Network
from conformance.http.proxy import proxy_of

COMPLETE = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
URL = "http://somewhere.test:8080/v1/projects/a%2Fb?limit=1&x=%C3%BC"


def in_process(application: Any) -> InProcess:
    """A transport that ignores waiting times."""
    return InProcess(application, lambda _: None)


def timed(url: str, read: float = 5.0, whole: float = 5.0, **request: Any) -> httpx.Request:
    """A request with timeouts."""
    timeout = {"connect": 5.0, "read": read, "write": read, "pool": 5.0, "whole": whole}
    return httpx.Request(
        request.pop("method", "GET"), url, extensions={"timeout": timeout}, **request
    )


def test_an_application_receives_the_request_as_from_a_server() -> None:
    """Decoded and raw path, query, lower-case headers, host and port, body."""
    script = ScriptedApp([scripted_response(201, b"body", x_one="1")])
    transport = in_process(script)

    response = transport.handle_request(
        httpx.Request("POST", URL, headers={"X-Key": "k"}, content=b"sent")
    )
    transport.close()

    scope, body = script.requests[0]
    assert {
        key: scope[key]
        for key in (
            "type",
            "method",
            "scheme",
            "path",
            "raw_path",
            "query_string",
            "root_path",
            "server",
        )
    } == {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "path": "/v1/projects/a/b",
        "raw_path": b"/v1/projects/a%2Fb",
        "query_string": b"limit=1&x=%C3%BC",
        "root_path": "",
        "server": ("somewhere.test", 8080),
    }
    assert (b"x-key", b"k") in scope["headers"]
    assert body == b"sent"
    assert (response.status_code, response.headers["x-one"], b"".join(response.iter_raw())) == (
        201,
        "1",
        b"body",
    )


def test_a_url_without_a_port_has_the_default_port() -> None:
    """The default port of http is 80."""
    script = ScriptedApp([scripted_response()])
    transport = in_process(script)
    transport.handle_request(httpx.Request("GET", "http://somewhere.test/v1"))
    transport.close()

    assert script.requests[0][0]["server"] == ("somewhere.test", 80)


def test_bodies_may_be_sent_in_pieces_in_both_directions() -> None:
    """Each piece of the request is a message; the pieces of the response are joined."""
    seen: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.extend([await receive(), await receive(), await receive()])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"one ", "more_body": True})
        await send({"type": "http.response.body", "body": b"two"})

    transport = in_process(application)
    response = transport.handle_request(httpx.Request("POST", URL, content=iter([b"a", b"b"])))
    transport.close()

    assert [(message["body"], message["more_body"]) for message in seen] == [
        (b"a", True),
        (b"b", True),
        (b"", False),
    ]
    assert response.read() == b"one two"


@pytest.mark.parametrize("ended", ["nothing", "start", "half", "whole"])
@pytest.mark.parametrize("raises", [False, True])
def test_an_incomplete_response_of_an_application_is_an_error(ended: str, raises: bool) -> None:
    """The application raises or returns early; an exception after its response is ignored."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        messages = [
            {"type": "http.response.start", "status": 200, "headers": []},
            {"type": "http.response.body", "body": b"{", "more_body": True},
            {"type": "http.response.body", "body": b"}", "more_body": False},
        ]
        for message in messages[: ("nothing", "start", "half", "whole").index(ended)]:
            await send(message)
        if raises:
            raise KeyError("secret")

    transport = in_process(application)
    if ended == "whole":
        assert transport.handle_request(httpx.Request("GET", URL)).read() == b"{}"
    else:
        pattern = (
            "the application raised KeyError"
            if raises
            else "the application sent an incomplete response"
        )
        with pytest.raises(httpx.RemoteProtocolError, match=pattern):
            transport.handle_request(httpx.Request("GET", URL))
    transport.close()


def test_an_application_runs_in_a_task_once_it_has_waited() -> None:
    """Most requests never wait; what needs a task yields before."""
    tasks: list[bool] = []
    fine = ScriptedApp([scripted_response(204)])

    async def application(scope: Any, receive: Any, send: Any) -> None:
        tasks.append(asyncio.current_task() is not None)
        await asyncio.sleep(0)
        tasks.append(asyncio.current_task() is not None)
        await asyncio.sleep(0.001)
        await fine(scope, receive, send)

    transport = in_process(application)
    response = transport.handle_request(httpx.Request("GET", URL))
    transport.close()

    assert (response.status_code, tasks) == (204, [False, True])


def test_waiting_advances_the_clock_of_an_application_and_takes_no_time() -> None:
    """An hour passes immediately."""
    passed: list[float] = []
    started = time.monotonic()
    InProcess(ScriptedApp([]), passed.append).wait(3600.0)

    assert (passed, time.monotonic() - started < 1) == ([3600.0], True)


def test_each_thread_has_its_own_loop_and_a_closed_transport_opens_new_ones() -> None:
    """Two threads run concurrently, and again after `close`."""
    transport = in_process(ScriptedApp([scripted_response(204)]))
    statuses: list[int] = []

    def send() -> None:
        statuses.append(transport.handle_request(httpx.Request("GET", URL)).status_code)

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    send()
    transport.close()
    send()
    transport.close()

    assert statuses == [204] * 4


def test_connections_are_reused() -> None:
    """Two requests share one connection."""
    accepted: list[int] = []

    def behave(connection: Any) -> None:
        accepted.append(1)
        for _ in range(2):
            responding(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")(connection)

    with served(behave) as url:
        network = Network()
        bodies = [network.handle_request(httpx.Request("GET", url)).read() for _ in range(2)]
        network.close()

    assert (bodies, len(accepted)) == ([b"{}", b"{}"], 1)


def test_no_log_has_the_headers_of_a_response(caplog: pytest.LogCaptureFixture) -> None:
    """A target may repeat a secret there, and pytest shows what is logged."""
    echo = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-echo: secret-0123\r\n\r\n{}"
    with caplog.at_level("DEBUG"), served(responding(echo)) as url:
        network = Network()
        response = network.handle_request(httpx.Request("GET", url))
        response.read()
        network.close()

    assert response.headers["x-echo"] == "secret-0123"
    assert "secret-0123" not in caplog.text


def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    """The next request gets a new one, and no failure."""
    accepted: list[Any] = []
    closed: SimpleQueue[None] = SimpleQueue()

    def behave(connection: Any) -> None:
        accepted.append(connection)
        responding(COMPLETE)(connection)
        connection.close()
        closed.put(None)

    with served(behave) as url:
        network = Network()
        bodies = []
        for _ in range(2):
            bodies.append(network.handle_request(httpx.Request("GET", url)).read())
            closed.get(timeout=10)
        network.close()

    assert (bodies, len(accepted)) == ([b"{}", b"{}"], 2)


def test_a_connection_with_an_unread_response_is_not_used_again() -> None:
    """What is left of the response would be taken for the next one."""
    accepted: list[int] = []

    def behave(connection: Any) -> None:
        accepted.append(1)
        responding(COMPLETE, silence)(connection)

    with served(behave) as url:
        network = Network()
        network.handle_request(timed(url)).close()
        body = network.handle_request(timed(url)).read()
        network.close()

    assert (body, len(accepted)) == (b"{}", 2)


def test_requests_at_once_have_connections_of_their_own() -> None:
    """A later one uses one of these; a response that is closed twice frees its connection once."""
    accepted: list[int] = []

    def behave(connection: Any) -> None:
        accepted.append(1)
        for _ in range(3):
            responding(COMPLETE)(connection)

    with served(behave) as url:
        network = Network()
        for _ in range(2):
            responses = [network.handle_request(timed(url)) for _ in range(3)]
            bodies = [response.read() for response in responses]
            for response in responses:
                assert isinstance(response.stream, httpx.SyncByteStream)
                response.stream.close()
        network.close()

    assert (bodies, len(accepted)) == ([b"{}"] * 3, 3)


def test_a_network_waits_by_sleeping() -> None:
    """It sleeps for the given seconds."""
    network = Network()
    started = time.monotonic()
    network.wait(0.05)
    network.close()

    assert 0.05 <= time.monotonic() - started < 1


def test_each_read_has_a_timeout() -> None:
    """A silent server times out after `read`, long before the timeout of the whole exchange."""
    with served(silence) as url:
        network = Network()
        started = time.monotonic()
        with pytest.raises(httpx.ReadTimeout):
            network.handle_request(timed(url, read=0.2, whole=30))
        network.close()

    assert 0.2 <= time.monotonic() - started < 5


def test_the_whole_exchange_has_one_timeout() -> None:
    """Single bytes do not extend it, neither in the headers nor in the body."""
    drip = repeating(b"x", 0.02)
    for start in (b"HTTP/1.1 200 OK\r\nx-drip: ", b"HTTP/1.1 200 OK\r\n\r\n"):
        with served(responding(start, drip)) as url:
            network = Network()
            started = time.monotonic()
            with pytest.raises(httpx.ReadTimeout):
                network.handle_request(timed(url, read=5, whole=0.4)).read()
            network.close()
        assert 0.4 <= time.monotonic() - started < 4


def test_the_timeout_includes_sending() -> None:
    """A server that reads nothing causes a timeout."""
    with served(deafness) as url:
        network = Network()
        started = time.monotonic()
        with pytest.raises((httpx.WriteTimeout, httpx.ReadTimeout)):
            network.handle_request(
                timed(url, whole=0.4, method="POST", content=b" " * 32 * 1024 * 1024)
            )
        network.close()

    assert time.monotonic() - started < 4


def test_a_response_before_the_end_of_the_request_is_read() -> None:
    """A 413 is read although the server keeps the connection open and the body unread."""
    with served(
        responding(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\n{}", deafness)
    ) as url:
        network = Network()
        response = network.handle_request(
            timed(url, read=0.5, method="POST", content=b" " * 32 * 1024 * 1024)
        )
        assert (response.status_code, response.read()) == (413, b"{}")
        network.close()


def test_an_exchange_sends_nothing_after_its_timeout() -> None:
    """The timeout is checked before each write."""
    with served(silence) as url:
        network = Network()
        with pytest.raises(httpx.TransportError, match="the exchange does not end"):
            network.handle_request(
                timed(url, whole=0.0, method="POST", content=b" " * (WRITE_SIZE + 1))
            )
        network.close()


def test_a_request_without_timeouts_is_sent() -> None:
    """The transport can be used without the client."""
    with served(responding(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")) as url:
        network = Network()
        body = network.handle_request(
            httpx.Request("POST", url, content=b"x" * (2 * WRITE_SIZE + 7))
        ).read()
        network.close()

    assert body == b"{}"


def test_a_server_without_tls_is_a_connection_error_for_https() -> None:
    """The URL is https, and the server responds in plain text."""
    with served(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as url:
        network = Network()
        with pytest.raises(httpx.ConnectError):
            network.handle_request(timed(url.replace("http", "https")))
        network.close()


# --- through a proxy -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://api.test/v1", "http://one.test:3128"),
        ("https://api.test/v1", "http://two.test"),
        ("https://API.inside.test:8443/v1", None),
        ("http://127.0.0.1:8000/v1", None),
        ("http://[::1]:8000/v1", None),
        ("http://localhost/v1", None),
    ],
)
def test_the_environment_sets_the_proxy(
    url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each scheme has its own; hosts of NO_PROXY and this machine have none."""
    for name, value in {
        "http_proxy": "one.test:3128",
        "https_proxy": "http://two.test",
        "no_proxy": ".inside.test",
    }.items():
        monkeypatch.setenv(name, value)
    assert proxy_of(httpx.URL(url)) == proxy


def test_without_a_proxy_in_the_environment_requests_are_direct(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The variables of all schemes are unset."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert proxy_of(httpx.URL("https://api.test/v1")) is None


def test_a_request_goes_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the whole URL, and the credentials of the proxy, which the target does not receive."""
    heads: list[bytes] = []

    def behave(connection: Any) -> None:
        heads.append(head(connection))
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")

    with served(behave) as url:
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.setenv("http_proxy", url.replace("://", "://user:word@"))
        network = Network()
        body = network.handle_request(timed("http://api.test/v1/account")).read()
        network.close()
    first, *fields = heads[0].lower().splitlines()

    assert (body, first) == (b"{}", b"get http://api.test/v1/account http/1.1")
    assert b"proxy-authorization: basic dxnlcjp3b3jk" in fields


def test_an_https_target_is_reached_through_a_tunnel_of_the_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A rejected tunnel is a proxy error; a silent proxy causes a timeout."""
    heads: list[bytes] = []

    def reject(connection: Any) -> None:
        heads.append(head(connection))
        connection.sendall(
            b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"
        )

    for behave, problem in ((reject, httpx.ProxyError), (silence, httpx.ReadTimeout)):
        with served(behave) as url:
            monkeypatch.setenv("https_proxy", url)
            network = Network()
            with pytest.raises(problem):
                network.handle_request(timed("https://api.test/v1/account", whole=0.4))
            network.close()
    assert heads[0].startswith(b"CONNECT api.test:443 HTTP/1.1\r\n")


def test_another_thread_may_read_the_body_of_a_response() -> None:
    """One that has begun no exchange of its own, as a proxy has it."""

    has_head = threading.Event()

    def then(connection: socket.socket) -> None:
        assert has_head.wait(10)
        connection.sendall(b"{}")

    network = Network()
    with served(responding(OK + b"content-length: 2\r\n\r\n", then)) as url:
        response = network.handle_request(httpx.Request("GET", url))
        has_head.set()
        with ThreadPoolExecutor(1) as other:
            assert other.submit(response.read).result() == b"{}"
    network.close()
