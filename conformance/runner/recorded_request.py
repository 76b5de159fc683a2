"""A recorded request as it may be sent to a target: its texts are values, and decide nothing.

A report may come from anybody. Where a request goes and which secrets it has is up to the target
of the user; what the suite does not send is not sent.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import parse_qsl, unquote, urlsplit

from conformance.contract import api, openapi
from conformance.http.exchange import Call
from conformance.http.media_type import bare
from conformance.http.replay import content
from conformance.report.document_types import ExchangeEntry
from conformance.runner import recorded_headers, tool_message
from conformance.runner.recorded_headers import SESSION, Header, NotSent
from conformance.runner.tool_message import ToolMessage, Unreadable
from conformance.target.forged import MADE_UP, made_up
from conformance.target.target import Credential, Target, frozen

THROTTLED = "throttled"
"""The caller whose requests use up a rate limit."""

DESCRIPTION = "description"
"""The name of the request for the published description, in place of an operation."""

MOST_DECODINGS = 5
"""How often a path parameter may be percent-encoded."""


class Interface(StrEnum):
    """The address that a request goes to; the value names it in a test file."""

    API = "BASE_URL"
    TOOLS = "TOOLS_URL"
    DESCRIPTION = "DESCRIPTION_URL"

    def url(self, target: Target) -> str | None:
        """The address at a target; None where the profile has none."""
        match self:
            case Interface.API:
                return target.base_url
            case Interface.TOOLS:
                return target.tools_url
            case Interface.DESCRIPTION:
                return target.description_url


@dataclass(frozen=True)
class Repetition:
    """A request to send: it goes to an address of the target, with `rest` after it.

    `secrets` are the schemes and credentials that it carries, that of its caller first. `review` is
    the one that it would approve. `needs_session`: it needs a session of the tool interface.
    """

    operation: str
    method: str
    interface: Interface
    rest: str
    headers: tuple[Header, ...] = ()
    secrets: tuple[tuple[str, Credential], ...] = ()
    body: bytes | None = None
    is_streamed: bool = False
    review: str | None = None
    needs_session: bool = False

    def url(self, target: Target) -> str:
        """Where it goes."""
        return f"{self.interface.url(target)}{self.rest}"

    @property
    def call(self) -> Call:
        """The call of the contract that it is; without arguments where it goes elsewhere."""
        types = [value for name, value in self.headers if name == "content-type"]
        call = Call(self.operation, body=self.body, content_type=types[0] if types else None)
        path, _, query = self.rest.partition("?")
        found = openapi.load().operation_at(self.method, path)
        if self.interface is not Interface.API or found is None:
            return call
        arguments = {name: unquote(value) for name, value in found[1].items()}
        pairs = parse_qsl(query, keep_blank_values=True)
        return replace(call, path=arguments, query=tuple(pairs))


def with_made_up(target: Target, seed: int) -> Target:
    """The target, and the caller that the run of a seed has made up."""
    secrets = {scheme: made_up(seed, scheme).secret(scheme) for scheme in api.load().schemes}
    caller = Credential(MADE_UP, secrets["api-key"], secrets["bearer"])
    return replace(target, credentials=frozen({**target.credentials, MADE_UP: caller}))


def repetition(exchange: ExchangeEntry, base_url: str, target: Target) -> Repetition:
    """A request that was recorded at a base URL, as it may be sent to a target.

    Raises NotSent for what the suite does not send, and for what the target has no part for.
    """
    message = message_of(exchange)
    operation, interface, rest, review = _place(exchange, base_url, target, message)
    if review is not None and not is_named(review, target):
        raise NotSent("it is an approval of a review that the fixtures of the profile do not list")
    secrets, empty = recorded_headers.secrets(exchange, target)
    if secrets and interface is Interface.DESCRIPTION and _is_elsewhere(target):
        raise NotSent("the description is on another host, and no credential is sent there")
    recorded = exchange["request"]
    shown = {name for name, _ in recorded["headers"]}
    return Repetition(
        operation,
        recorded["method"],
        interface,
        rest,
        (
            *recorded_headers.plain(exchange, message if interface is Interface.TOOLS else None),
            *empty,
        ),
        secrets,
        _body(exchange),
        is_streamed=["transfer-encoding", "chunked"] in recorded["headers"],
        review=review,
        needs_session=interface is Interface.TOOLS and SESSION in shown,
    )


def is_named(review: str, target: Target) -> bool:
    """Whether the profile lets a run send approvals of a review, in any spelling of its id."""
    fixtures = target.fixtures
    others = (each["review"] for each in (fixtures.foreign, fixtures.ungranted) if "review" in each)
    named = {*fixtures.approvable_reviews, *fixtures.unapprovable_reviews, *others}
    return target.consent.fuzz_writes or normal(review) in set(map(normal, named))


def normal(id: str) -> str:
    """An id in one spelling: checks send it in capitals, without dashes and in braces."""
    return re.sub(r"[-{}]", "", unquote(id)).lower()


def _place(
    exchange: ExchangeEntry, base_url: str, target: Target, message: ToolMessage | None
) -> tuple[str, Interface, str, str | None]:
    """The operation of a request, its address, what follows that, and the approved review."""
    request = exchange["request"]
    found = _of_api(exchange, base_url)
    if found is not None:
        operation, rest, review = found
        return operation, Interface.API, rest, review
    if message is not None and request["method"] == "POST":
        return _of_tools(request["url"], target, message)
    is_read = request["method"] == "GET" and request["body"] is None
    if exchange["operation"] != DESCRIPTION or not is_read:
        raise NotSent("it is no request of the contract")
    if target.description_url is None:
        raise NotSent("the profile has no description.url")
    return DESCRIPTION, Interface.DESCRIPTION, "", None


def _of_api(exchange: ExchangeEntry, base_url: str) -> tuple[str, str, str | None] | None:
    """The operation, its path and query, and the approved review; None for other requests."""
    request = exchange["request"]
    if not request["url"].startswith(base_url) or not re.fullmatch(r"[!-~]+", request["url"]):
        return None
    rest = request["url"].removeprefix(base_url)
    found = openapi.load().operation_at(request["method"], rest.partition("?")[0])
    if found is None or "#" in rest or any(map(_leads_elsewhere, found[1].values())):
        return None
    operation, path = found
    if request["body"] is not None and operation.body_schema is None:
        return None
    if operation.writes and ("?" in rest or not _is_plain_json(exchange)):
        return None
    return operation.id, rest, path[api.load().approved_id] if operation.writes else None


def _is_plain_json(exchange: ExchangeEntry) -> bool:
    """Whether no server reads a body as a form, whose fields may name another method or record."""
    headers = exchange["request"]["headers"]
    types = [bare(value) for name, value in headers if name.lower() == "content-type"]
    return types in ([], ["application/json"])


def _leads_elsewhere(value: str) -> bool:
    """Whether a server may take a path parameter for several segments, or for another place."""
    plain = value
    for _ in range(MOST_DECODINGS):
        plain = unquote(plain)
    is_dots = plain.partition(";")[0].strip() in (".", "..")
    return is_dots or re.search(r"[/\\]", plain) is not None or unquote(plain) != plain


def _of_tools(
    url: str, target: Target, message: ToolMessage
) -> tuple[str, Interface, str, str | None]:
    if target.tools_url is None:
        raise NotSent("the profile has no tools.url")
    if not message.is_of_the_suite:
        raise NotSent("it is no message that the suite sends to tools")
    # Routers redirect to the same address with a slash, and the run has followed them.
    rest = "/" if url == f"{target.tools_url}/" else ""
    return message.tool or "tools", Interface.TOOLS, rest, message.review


def message_of(exchange: ExchangeEntry) -> ToolMessage | None:
    """The message of a request to the tool interface; None for other requests."""
    try:
        return tool_message.read((exchange["request"]["body"] or {}).get("text", ""))
    except Unreadable:
        return None


def _body(exchange: ExchangeEntry) -> bytes | None:
    body = exchange["request"]["body"]
    if body is None:
        return None
    if "length" in body:
        raise NotSent("its body was too long to be recorded")
    return content(body)


def _is_elsewhere(target: Target) -> bool:
    return urlsplit(target.description_url or "")[:2] != urlsplit(target.base_url)[:2]
