"""The reference in one scenario, served on a loopback address while a client runs against it."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conformance.commands.traffic.recorder import Addresses
from conformance.commands.traffic.scenarios import Plain
from conformance.commands.traffic.severance import sever
from conformance.reference import Reference, serve
from conformance.runner.examination import IN_PROCESS

STARTING = 30.0
"""Seconds in which the server begins to listen, or ends after the signal to stop."""

REVIEWS = 2
"""Approvable reviews that a client is given."""

Profile = Mapping[str, Any]


class Losing:
    """An application whose first approval is made, and whose response is lost."""

    def __init__(self, app: ASGIApp, service: Plain) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        is_lost = False

        async def sent(message: Message) -> None:
            nonlocal is_lost
            is_lost = is_lost or self._service.take_loss()
            if not is_lost:
                await send(message)

        await self._app(scope, receive, sent)
        if is_lost:
            await sever(scope, receive)


@dataclass(frozen=True)
class Served:
    """A reference that accepts requests at the base URL of its profile."""

    profile: Profile
    project: str
    video: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables of a client."""
        primary = self.profile["credentials"]["primary"]
        reviews = self.profile["fixtures"]["approvable-reviews"]
        return {
            "LOCALIZATION_BASE_URL": self.profile["base-url"],
            "LOCALIZATION_TOOLS_URL": self.profile["tools"]["url"],
            "LOCALIZATION_API_KEY": primary["api-key"],
            "LOCALIZATION_TOKEN": primary["bearer"],
            "LOCALIZATION_REVIEW_IDS": " ".join(reviews[:REVIEWS]),
            "LOCALIZATION_PROJECT_ID": self.project,
            "LOCALIZATION_VIDEO_ID": self.video,
        }


RECORD = "SELECT project_id, video_id FROM reviews WHERE id = :review"


@contextmanager
def served(
    scenario: type[Plain], seed: int, recorded: Callable[[ASGIApp, Addresses], ASGIApp]
) -> Iterator[Served]:
    """Serve a reference in a scenario, behind what records its traffic.

    The exchanges have the address that the reference has in reports, so that they are the same each
    time.
    """
    reference = Reference(seed, make_service=scenario)
    service = reference.service
    assert isinstance(service, Plain)
    shown = reference.profile(IN_PROCESS)
    addresses = Addresses(IN_PROCESS, shown["tools"]["url"], shown["description"]["url"])
    app = recorded(Losing(reference.app, service), addresses)
    with listening(app) as base_url:
        profile = reference.profile(base_url)
        review = profile["fixtures"]["approvable-reviews"][0]
        (record,) = reference.store.rows(RECORD, {"review": review})
        yield Served(profile, record["project_id"], record["video_id"])
    reference.close()


@contextmanager
def listening(app: ASGIApp) -> Iterator[str]:
    """The base URL of an application that accepts requests, on a thread of its own."""
    ready, listener = threading.Event(), serve.listen("127.0.0.1", 0)
    server = serve.server(app, ready.set, severable=True)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    if not ready.wait(STARTING):
        raise RuntimeError("the reference did not begin to listen")
    try:
        yield serve.address(listener)
    finally:
        server.should_exit = True
        thread.join(STARTING)
