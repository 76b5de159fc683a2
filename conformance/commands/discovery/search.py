"""The search: few requests to the host of the target alone, with the rate of a polite visitor."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx

from conformance.commands.connection import network
from conformance.commands.diagnosis import request_rate
from conformance.commands.discovery.discovered import Discovered
from conformance.commands.outcome import UsageError
from conformance.contract import api, openapi
from conformance.contract.description import described, loader
from conformance.contract.description.document import Document
from conformance.contract.description.source import SourceError
from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive, NotApplicable, Violation
from conformance.http.budget import Budget
from conformance.http.exchange import Call
from conformance.http.sending import Sending
from conformance.http.transport import Transport
from conformance.runner import preflight
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.suite.lists.live import Live
from conformance.suite.lists.parameters import is_known
from conformance.suite.lists.published import ACCEPT
from conformance.suite.tools.toolbox import Toolbox
from conformance.target.profile import VARIABLES
from conformance.target.target import Credential, ParameterName, Target, frozen

DESCRIPTIONS = ("openapi.json", "openapi.yaml", "openapi")
TOOLS = ("mcp",)
ITEM = "discovery"
REQUESTS_PER_SECOND = 20.0
MOST_REVIEWS = 40
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,60}")
"""Names of parameters that are tried."""
MOST_NAMES = 10
"""Names that are tried for one parameter: a description may have thousands."""
APPROVED = "approved"
HINT = "; write the table [connection] to a file, and name it with --connection"
NOTHING = (Inconclusive, NotApplicable, Violation)
"""What a check raises where it cannot go on: then nothing was found."""


def discover(
    target: Target, environ: Mapping[str, str], transport: Transport | None = None
) -> Discovered:
    """What a target shows, to whoever holds the secrets of the environment.

    Raises UsageError where nothing responds, or every secret is rejected, and Inconclusive where a
    budget ends before a secret was accepted.
    """
    secrets = {scheme: name for scheme, name in VARIABLES.items() if environ.get(name)}
    search = Search(target, transport or network(target))
    try:
        return search.everything(secrets, environ)
    finally:
        search.close()


class Counting:
    """A transport that counts its requests."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.concurrency = transport.concurrency
        self.requests = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Count a request, and send it."""
        self.requests += 1
        return self.transport.handle_request(request)

    def wait(self, seconds: float, since: float | None = None, /) -> None:
        """Let time pass."""
        self.transport.wait(seconds, since)

    def abort(self) -> None:
        """Let nobody wait any more."""
        self.transport.abort()

    def close(self) -> None:
        """Close all connections."""
        self.transport.close()


class Search:
    """The search on one target; what is found changes what is known of it."""

    def __init__(self, target: Target, transport: Transport) -> None:
        self._target = target
        self._transport = Counting(transport)
        self._budget = Budget()
        self._sessions: list[Session] = []
        self._allowed: float | None = None

    def close(self) -> None:
        """Close all connections."""
        for session in self._sessions:
            session.dispatcher.close()
        self._transport.close()

    def everything(self, secrets: Mapping[str, str], environ: Mapping[str, str]) -> Discovered:
        """Search for everything; only for the description without a secret."""
        schemes = self._schemes(secrets, environ)
        obstacle = preflight.obstacle(self._session())
        if obstacle is not None:
            raise UsageError(f"{obstacle}{HINT if 'connection.' in obstacle else ''}")
        self._allowed = request_rate.measured(self._session()) if schemes else None
        url, document = self._description()
        found = Discovered(self._target.base_url, schemes, description=url, rate=self._allowed)
        if schemes:
            tools_url, tools = self._tools()
            reviews, projects = self._records("review_list"), self._records("project_list")
            found = replace(
                found,
                tools=tools_url,
                tool_count=tools,
                parameters=self._parameters(document),
                approvable=_ids(reviews, _is_approvable),
                unapprovable=_ids(reviews, _is_unapprovable),
                companies=_companies(projects),
                projects=len(projects),
            )
        return replace(
            found, requests=self._transport.requests, is_complete=not self._budget.is_used_up
        )

    def _session(self) -> Session:
        """A session on what is known of the target now."""
        slow = request_rate.stated(self._allowed) if self._allowed else REQUESTS_PER_SECOND
        session = Session(
            self._target,
            self._transport,
            1,
            DEPTHS["quick"],
            rate=min(REQUESTS_PER_SECOND, slow),
            budget=self._budget,
        )
        self._sessions.append(session)
        return session

    def _live(self) -> Live:
        return Live(self._session().context(ITEM))

    # --- schemes ---------------------------------------------------------------------------------

    def _schemes(self, secrets: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
        """The variable whose value the target accepts, by scheme; each value by each scheme."""
        accepted: dict[str, str] = {}
        for scheme in api.load().schemes:
            own = secrets.get(scheme)
            for name in dict.fromkeys([*([own] if own else []), *secrets.values()]):
                if scheme not in accepted and self._accepts(scheme, environ[name]):
                    accepted[scheme] = name
        if accepted:
            self._use(accepted, environ)
        return accepted

    def _accepts(self, scheme: str, secret: str) -> bool:
        credential = _credential({scheme: secret}, {})
        sending = Sending(credential, scheme, "is the secret accepted?", in_contract=False)
        call = Call(api.load().simplest.id)
        return self._live().session.client.send(call, sending).status in (200, 403)

    def _use(self, accepted: Mapping[str, str], environ: Mapping[str, str]) -> None:
        secrets = {scheme: environ[name] for scheme, name in accepted.items()}
        primary = _credential(secrets, accepted)
        self._change(credentials=frozen({"primary": primary}))

    # --- interfaces ------------------------------------------------------------------------------

    def _description(self) -> tuple[str | None, Document | None]:
        for url in self._places(DESCRIPTIONS):
            with suppress(*NOTHING):
                document = self._document(url)
                if document is not None:
                    return url, document
        return None, None

    def _document(self, url: str) -> Document | None:
        primary, client = self._target.credentials.get("primary"), self._live().session.client
        for credential in dict.fromkeys([None, primary]):
            sending = Sending(
                credential, None, "the description", (ACCEPT,), in_contract=False, url=url
            )
            response = client.send(Call("description"), sending).response
            if response is not None and response.status == 200:
                return _openapi(response.body)
            if response is None or response.status not in (401, 403):
                return None
        return None

    def _tools(self) -> tuple[str | None, int]:
        known = openapi.load().operations.keys()
        for url in self._places(TOOLS):
            self._change(tools_url=url)
            tools = self._listed_tools()
            if named := known & tools.keys():
                return url, len(named)
        self._change(tools_url=None)
        return None, 0

    def _listed_tools(self) -> dict[str, Any]:
        with suppress(*NOTHING):
            return Toolbox(self._live()).tools
        return {}

    def _places(self, names: Sequence[str]) -> list[str]:
        """The usual addresses: below the base URL, beside its version segment, and the root."""
        base = self._target.base_url
        scheme, host = urlsplit(base)[:2]
        folders = dict.fromkeys([base, base.rpartition("/")[0], f"{scheme}://{host}"])
        return [f"{folder}/{name}" for folder in folders for name in names]

    # --- names and records -----------------------------------------------------------------------

    def _parameters(self, document: Document | None) -> dict[tuple[str, str], str]:
        found = {}
        for operation, role in api.load().open_names:
            described, usual = _candidates(operation, role, document)
            for name in dict.fromkeys([*described, usual]):
                is_stated = role == "cursor" or name in described
                if self._is_known(operation, role, name, is_stated=is_stated):
                    found[operation, role] = name
                    break
        return found

    def _is_known(self, operation: str, role: str, name: str, *, is_stated: bool) -> bool:
        """Whether responses show that the target knows a name for the query parameter of a role.

        A target that validates whatever looks like an id, and ignores it, knows no filter by it,
        unless its description states one.
        """
        names = {**self._target.parameters, (operation, role): ParameterName(name)}
        self._change(parameters=frozen(names))
        live = self._live()
        with suppress(*NOTHING):
            is_heeded = is_stated or self._filters(operation, name, live.made_up(role))
            return is_heeded and is_known(live.operation(operation), role, live)
        return False

    def _filters(self, operation: str, name: str, id: str) -> bool:
        """Whether a list leaves out its records where a parameter names an unknown id."""
        call = Call(operation).asking(**{name: id})
        response = self._live().callers.send(call, purpose=f"does {name} filter?")
        return response.status != 200 or not response.items

    def _records(self, operation: str) -> list[dict[str, Any]]:
        """The records of the first page of a list."""
        call = Call(operation).asking(limit="100")
        with suppress(*NOTHING):
            return self._live().callers.send(call, purpose="some records").items
        return []

    def _change(self, **parts: Any) -> None:
        self._target = replace(self._target, **parts)


def _credential(secrets: Mapping[str, str], variables: Mapping[str, str]) -> Credential:
    return Credential(
        "primary",
        api_key=secrets.get("api-key"),
        bearer=secrets.get("bearer"),
        api_key_variable=variables.get("api-key"),
        bearer_variable=variables.get("bearer"),
    )


def _openapi(body: bytes) -> Document | None:
    """The OpenAPI document in a body; None for anything else."""
    try:
        source = loader.read(body.decode("utf-8-sig", "replace"))
    except SourceError:
        return None
    return Document(source) if "openapi" in source.document else None


def _candidates(operation: str, role: str, document: Document | None) -> tuple[list[str], str]:
    """Names that the query parameter of a role may have: those described, and the usual one."""
    path = openapi.load().operation(operation).path
    names = [] if document is None else _described_names(document, path)
    harmless = filter(NAME.fullmatch, names)
    likely = [name for name in harmless if role in name.lower() or _is_cursor(role, name)]
    usual = api.load().open_names[operation, role] or f"{role}Id"
    return likely[:MOST_NAMES], usual


def _is_cursor(role: str, name: str) -> bool:
    return role == "cursor" and any(word in name.lower() for word in ("after", "page", "next"))


def _described_names(document: Document, path: str) -> list[str]:
    for operation in described.operations(document):
        if operation.method == "GET" and operation.path.rstrip("/") == path:
            return [name for place, name in operation.parameters if place == "query"]
    return []


def _ids(reviews: Sequence[Mapping[str, Any]], choose: Callable[[Any], bool]) -> tuple[str, ...]:
    chosen = (review.get("id") for review in reviews if choose(review))
    return _uuids(chosen)[:MOST_REVIEWS]


def _is_approvable(review: Mapping[str, Any]) -> bool:
    return review.get("approvable") is True


def _is_unapprovable(review: Mapping[str, Any]) -> bool:
    return review.get("approvable") is False and review.get("status") != APPROVED


def _companies(projects: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return _uuids(project.get("companyId") for project in projects)


def _uuids(values: Iterable[Any]) -> tuple[str, ...]:
    """Each UUID once; other texts of a target must not get into the profile."""
    return tuple(dict.fromkeys(value for value in values if is_uuid(value)))
