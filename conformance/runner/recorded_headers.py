"""Headers of a recorded request: those that the suite sends, and the credentials of a profile."""

import re
from collections.abc import Iterator

from conformance.http import trace
from conformance.http.outgoing import authorization
from conformance.report.document_types import ExchangeEntry
from conformance.runner.tool_message import ToolMessage
from conformance.target.forged import EMPTY, MADE_UP
from conformance.target.target import Credential, Target

CREDENTIALS = frozenset({"x-api-key", "authorization"})
REMADE = trace.HEADERS | {"user-agent", "accept-encoding", "transfer-encoding"}
"""Headers that are made anew."""

PLAIN = frozenset({"accept", "content-type"})
SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"

Header = tuple[str, str]


class NotSent(Exception):
    """A recorded request is not sent; str() has the reason."""


def plain(exchange: ExchangeEntry, message: ToolMessage | None) -> Iterator[Header]:
    """The recorded headers that are no credential and not made anew."""
    for name, value in exchange["request"]["headers"]:
        if name in REMADE | CREDENTIALS or (message is not None and name == SESSION):
            continue
        if not re.fullmatch(r"[ -~]*", value) or not _is_of_the_suite(name, value, message):
            raise NotSent(f"the suite sends no such header: {name}")
        yield name, value


def _is_of_the_suite(name: str, value: str, message: ToolMessage | None) -> bool:
    if name in PLAIN or message is None:
        return name in PLAIN
    if name.startswith("mcp-param-"):
        return value in map(str, (message.arguments or {}).values())
    if name == VERSION:
        return re.fullmatch(r"[\w.-]{1,100}", value) is not None
    return (name, value) in (("mcp-method", message.method), ("mcp-name", message.tool))


def secrets(
    exchange: ExchangeEntry, target: Target
) -> tuple[tuple[tuple[str, Credential], ...], list[Header]]:
    """The credentials of the profile that a request has, and its headers without a credential."""
    own = _caller(exchange, target)
    known = {
        authorization(scheme, text): (scheme, credential)
        for credential in target.credentials.values()
        for scheme in credential.schemes
        for text in _texts(credential, scheme)
    }
    used = {authorization(scheme, "")[0] for scheme, _ in own}
    beside: list[tuple[str, Credential]] = []
    empty: list[Header] = []
    for name, value in exchange["request"]["headers"]:
        header = (name, value)
        if name not in CREDENTIALS or name in used:
            continue
        if header in known:
            beside.append(known[header])
        elif header in EMPTY:
            empty.append(header)
        else:
            raise NotSent("its credential was made for one request")
        used.add(name)
    return (*own, *beside), empty


def _texts(credential: Credential, scheme: str) -> Iterator[str]:
    """How a recorded header shows a secret."""
    yield credential.variable(scheme)
    if credential.name == MADE_UP:
        yield credential.secret(scheme)


def _caller(exchange: ExchangeEntry, target: Target) -> tuple[tuple[str, Credential], ...]:
    name, scheme = exchange["credential"], exchange["scheme"]
    if name is None:
        return ()
    credential = target.credentials.get(name)
    if credential is None or scheme is None or scheme not in credential.schemes:
        secret = f"credential {name}" if credential is None else f"{scheme} of {name}"
        raise NotSent(f"the profile has no {secret}")
    return ((scheme, credential),)
