"""Which build of the target serves a run: read at its beginning and at its end."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain

import orjson

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import FACT, Call, Exchange
from conformance.http.replay import Unrecorded
from conformance.http.sending import Sending
from conformance.report.circumstances import BUILD
from conformance.report.run import Run
from conformance.runner import examination
from conformance.runner.context import Context
from conformance.runner.session import Session, again

PURPOSE = "which build is it?"
DESCRIPTION, TOOLS = "description", "tools"
"""What is asked for beside an operation."""

READINGS = 2
"""Readings at each moment: what differs between them is of the request, or of a replica."""

VERSION = re.compile(r"server|.*(version|build|release|commit|deploy).*")
"""The names of headers that identify a build."""

SERVER_INFO = re.compile(r'"serverInfo"\s*:\s*(\{[^{}]{1,2000}\})')
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "localization-api-conformance", "version": "1"},
    },
}
"""The message to a tool server whose response names it; it begins a session that nobody uses."""

MCP = (("accept", "application/json, text/event-stream"), ("content-type", "application/json"))


def note(session: Session, run: Run, moment: str) -> None:
    """Read what identifies the build, and note it; not of the reference in this process.

    A narrowed run sends what its checks need, and no more.
    """
    is_here = session.target.base_url == examination.IN_PROCESS
    if is_here or session.is_ending or session.focus is not None:
        return
    item = f"{FACT}build[{moment}]"
    times = session.found.get(item, 0)
    context = session.context(again(item, times) if times else item)
    with suppress(Inconclusive, Unrecorded):  # of a run that ends, or a recording without it
        asked = [*_asked(context)] * READINGS
        responses = context.client.send_all(*zip(*asked, strict=True))
        stated = Counter(chain.from_iterable(dict.fromkeys(_identity(each)) for each in responses))
        stable = dict(each for each, times in stated.items() if times == READINGS)
        if stable:
            context.observations.append((BUILD, moment, stable))
    run.add(orjson.dumps(context.finish()).decode())


def _asked(context: Context) -> Iterator[tuple[Call, Sending]]:
    """The requests whose responses identify a build."""
    target = context.target
    primary = target.credentials.get("primary")
    scheme = primary.schemes[0] if primary else None
    sending = Sending(primary, scheme, PURPOSE, in_contract=False)
    yield Call(context.api.simplest.id), sending
    if target.description_url is not None:
        public = Sending(None, None, PURPOSE, in_contract=False, url=target.description_url)
        yield Call(DESCRIPTION), public
    if target.tools_url is not None:
        tools = replace(sending, headers=MCP, method="POST", url=target.tools_url)
        yield Call(TOOLS, body=orjson.dumps(INITIALIZE)), tools


def _identity(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """Names and values of what identifies a build in a response."""
    if exchange.operation == DESCRIPTION:
        yield from _of_description(exchange)
    elif exchange.operation == TOOLS:
        yield from _of_tools(exchange)
    elif exchange.response is not None:
        named = (each for each in exchange.response.headers if VERSION.fullmatch(each[0]))
        yield from ((f"header {name}", value) for name, value in named)


def _of_description(exchange: Exchange) -> Iterator[tuple[str, str]]:
    if exchange.status == 200:
        yield "description sha256", hashlib.sha256(exchange.body).hexdigest()[:16]


def _of_tools(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """Name and version of the tool server, also from an event stream."""
    stated = SERVER_INFO.search(exchange.body.decode("utf-8", "replace"))
    if stated is not None:
        yield "tools serverInfo", stated[1]
