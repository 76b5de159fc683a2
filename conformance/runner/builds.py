"""Which build of the target serves a run: read at its beginning and at its end."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

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
        first, *others = [dict(_identity(context)) for _ in range(READINGS)]
        stable = {
            name: value
            for name, value in first.items()
            if all(other.get(name) == value for other in others)
        }
        if stable:
            context.observations.append((BUILD, moment, stable))
    run.add(orjson.dumps(context.finish()).decode())


def _identity(context: Context) -> Iterator[tuple[str, str]]:
    """Names and values of what identifies a build."""
    target = context.target
    primary = target.credentials.get("primary")
    scheme = primary.schemes[0] if primary else None
    sending = Sending(primary, scheme, PURPOSE, in_contract=False)
    response = context.client.send(Call(context.api.simplest.id), sending).response
    for name, value in response.headers if response else ():
        if VERSION.fullmatch(name):
            yield f"header {name}", value
    if target.description_url is not None:
        public = Sending(None, None, PURPOSE, in_contract=False, url=target.description_url)
        yield from _of_description(context.client.send(Call("description"), public))
    if target.tools_url is not None:
        call = Call("tools", body=orjson.dumps(INITIALIZE))
        tools = replace(sending, headers=MCP, method="POST", url=target.tools_url)
        yield from _of_tools(context.client.send(call, tools))


def _of_description(exchange: Exchange) -> Iterator[tuple[str, str]]:
    if exchange.status == 200:
        yield "description sha256", hashlib.sha256(exchange.body).hexdigest()[:16]


def _of_tools(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """Name and version of the tool server, also from an event stream."""
    stated = SERVER_INFO.search(exchange.body.decode("utf-8", "replace"))
    if stated is not None:
        yield "tools serverInfo", stated[1]
