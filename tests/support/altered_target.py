"""An altered reference as the target of single checks.

Its sources, its profile and its responses can be changed.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import reduce
from typing import Any

import httpx
import orjson

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.contract import openapi
from conformance.http.budget import Budget
from conformance.http.in_process import InProcess
from conformance.runner.depth import TRIAL, named
from conformance.runner.session import Session
from conformance.suite import wiring
from conformance.target.profile import parse

Profile = dict[str, Any]
Change = Callable[[Profile], None]
Send = Callable[[httpx.Request], httpx.Response]
Spoil = Callable[[httpx.Request, Send], httpx.Response]


class Spoiled(InProcess):
    """A reference whose responses pass through `spoil`.

    `sent` are the requests so far; `waits` the waiting times in seconds.
    """

    def __init__(self, application: Any, advance: Callable[[float], None], spoil: Spoil) -> None:
        super().__init__(application, advance)
        self.spoil = spoil
        self.sent: list[httpx.Request] = []
        self.waits: list[float] = []

    def wait(self, seconds: float, since: float | None = None, /) -> None:
        """Advance the clock of the reference, and record by how much."""
        self.waits.append(seconds)
        super().wait(seconds, since)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Pass a request to `spoil`, with the function that sends it."""
        self.sent.append(request)
        return self.spoil(request, super().handle_request)


class Stage:
    """A target, its transport, and the fixtures of the checks."""

    def __init__(self, session: Session, transport: Spoiled) -> None:
        wiring.prepare(session)
        self.session = session.context("item")
        self.transport = transport
        self.things = wiring.Fixtures(self.session)

    def perform(
        self, check: Callable[..., None], operation: str | None = None, scheme: str | None = None
    ) -> None:
        """Run a check with the fixtures that it names, and raise its finding."""
        chosen = {
            "operation": openapi.load().operations[operation] if operation else None,
            "scheme": scheme,
        }
        wanted = check.__code__.co_varnames[: check.__code__.co_argcount]
        check(**{name: chosen[name] if name in chosen else self.things[name] for name in wanted})


@contextmanager
def stage(
    change: Change = lambda _: None,
    spoil: Spoil = lambda request, send: send(request),
    edits: Sequence[Edit] = (),
    pages: int = named(TRIAL).pages,
) -> Iterator[Stage]:
    """A new reference with these edits, this change of its profile, and `spoil`.

    `pages` are the most pages that are read of a list.
    """
    depth = replace(named(TRIAL), pages=pages)
    package = altered.load(edits)
    clock = package.ManualClock()
    reference = package.Reference(clock=clock)
    stated = reference.profile("http://reference.test/v1")
    change(stated)
    transport = Spoiled(reference.app, clock.advance, spoil)
    target = parse(stated, environ={})
    with (
        closing(
            Session(
                target,
                transport,
                seed=1,
                depth=depth,
                connections=target.limits.connections,
                budget=Budget(requests=None, seconds=None),
            )
        ) as session,
        closing(reference),
    ):
        yield Stage(session, transport)


def without(*places: str) -> Change:
    """Remove these values of a profile, each given by its path of keys."""

    def change(profile: Profile) -> None:
        for place in places:
            *way, last = place.split("/")
            del reduce(lambda table, key: table[key], way, profile)[last]

    return change


def having(place: str, value: Any) -> Change:
    """Set the value of a profile at a path of keys."""

    def change(profile: Profile) -> None:
        *way, last = place.split("/")
        reduce(lambda table, key: table.setdefault(key, {}), way, profile)[last] = value

    return change


def few(number: int) -> Change:
    """Limit the number of approvable reviews in a profile."""

    def change(profile: Profile) -> None:
        del profile["fixtures"]["approvable-reviews"][number:]

    return change


def json_response(status: int, document: Any = None, **headers: str) -> httpx.Response:
    """A JSON response; underscores in the names of headers stand for hyphens."""
    stated = {
        "content-type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    body = {"code": "spoiled", "requestId": "r"} if document is None else document
    return httpx.Response(status, headers=stated, stream=httpx.ByteStream(orjson.dumps(body)))


def edited(response: httpx.Response, change: Callable[[Any], object]) -> httpx.Response:
    """A response with its document changed."""
    document = orjson.loads(response.read())
    change(document)
    return json_response(response.status_code, document)
