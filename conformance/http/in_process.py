"""The transport into an ASGI application, without a network."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any

import httpx

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]


class InProcess(httpx.BaseTransport):
    """An ASGI application, called in the calling thread on an event loop of that thread.

    The loop runs from the first moment on in which the application waits: most requests need none
    of it. An application that needs a task of its own yields once before, by `asyncio.sleep(0)`.
    `advance` moves the clock of the application, so that waiting takes no time.
    """

    concurrency = 1

    def __init__(self, application: Application, advance: Callable[[float], None]) -> None:
        self._application = application
        self._advance = advance
        self._local = threading.local()
        self._loops: list[asyncio.AbstractEventLoop] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Run the application to the end of its response."""
        loop = self._loop()
        call = _call(self._application, request)
        asyncio._set_running_loop(loop)  # what the application awaits belongs to this loop
        try:
            awaited = call.send(None)
        except StopIteration as end:
            response: httpx.Response = end.value
            return response
        finally:
            asyncio._set_running_loop(None)
        return loop.run_until_complete(_Started(call, awaited))

    def wait(self, seconds: float, _since: float | None = None, /) -> None:
        """Move the application's clock instead of sleeping: nothing else moves it."""
        self._advance(seconds)

    def abort(self) -> None:
        """Nothing: nobody waits."""

    def close(self) -> None:
        """Close the loops of every thread that sent something."""
        while self._loops:
            self._loops.pop().close()

    def _loop(self) -> asyncio.AbstractEventLoop:
        loop: asyncio.AbstractEventLoop | None = getattr(self._local, "loop", None)
        if loop is None or loop.is_closed():
            loop = self._local.loop = asyncio.new_event_loop()
            self._loops.append(loop)
        return loop


@dataclass(frozen=True)
class _Started:
    """A coroutine that waits for something, as something to await."""

    call: Coroutine[Any, Any, httpx.Response]
    awaited: Any

    def __await__(self) -> Generator[Any, Any, httpx.Response]:
        """Wait for what it waits for, and then for its end."""
        yield self.awaited
        return (yield from self.call.__await__())


async def _call(application: Application, request: httpx.Request) -> httpx.Response:
    chunks = _chunks(request)
    response: dict[str, Any] = {"headers": [], "ended": False}
    body: list[bytes] = []

    async def receive() -> Message:
        chunk = next(chunks, None)
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(message: Message) -> None:
        response.update(message)
        body.append(message.get("body", b""))
        response["ended"] = message["type"] == "http.response.body" and not message.get(
            "more_body", False
        )

    try:
        await application(_scope(request), receive, send)
    except Exception as problem:
        # A served application that raises breaks the connection or sends 500.
        if not response["ended"]:
            raise httpx.RemoteProtocolError(
                f"the application raised {type(problem).__name__}", request=request
            ) from problem
    if not response["ended"]:
        raise httpx.RemoteProtocolError(
            "the application sent an incomplete response", request=request
        )
    return httpx.Response(
        response["status"],
        headers=response["headers"],
        stream=httpx.ByteStream(b"".join(body)),
        request=request,
    )


def _chunks(request: httpx.Request) -> Iterator[bytes]:
    stream = request.stream
    assert isinstance(stream, httpx.SyncByteStream)
    yield from stream


def _scope(request: httpx.Request) -> Message:
    url = request.url
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": url.scheme,
        "path": url.path,
        "raw_path": url.raw_path.split(b"?")[0],
        "query_string": url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "server": (url.host, url.port or 80),
        "client": ("127.0.0.1", 50000),
    }
