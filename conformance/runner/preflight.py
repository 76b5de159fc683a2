"""The requests before the first check: whether there is anything to check at all."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import MISSING, Call, Exchange
from conformance.http.retry import is_unavailable
from conformance.http.sending import Sending
from conformance.runner import gateway_response
from conformance.runner.context import Context
from conformance.runner.facts import PREFLIGHT
from conformance.runner.session import Session
from conformance.target.target import Credential

VERSION = "v1"
"""The version segment, which the base address ends with (Versioning)."""
UNREADABLE = "DecodingError"
"""The beginning of the failure of a response in another content coding than was asked for."""
SERVED_OR_PROTECTED = frozenset({200, 401, 403})
NAMES = {"api-key": "API key", "bearer": "bearer token"}


def obstacle(session: Session) -> str | None:
    """Why nothing can be checked on this target, in one line; None where something can.

    Nothing responds; or every request of `primary`, by each of its schemes, is rejected with 401 or
    meets a transient error. One other response is enough to begin; and so is a budget that ends
    meanwhile, since nothing is known of the target then: every check says so.
    """
    found = _found(session)
    return found and session.redactor.text(found)  # it quotes a response


def _found(session: Session) -> str | None:
    if session.dispatcher.concurrency == 1:
        return session.facts.ask(PREFLIGHT, _obstacle)
    # Python heeds a signal in this thread alone, and not while the system looks up a name in it.
    found: Future[str | None] = Future()
    threading.Thread(target=_find, args=(session, found), name="preflight", daemon=True).start()
    return found.result()


def _find(session: Session, found: Future[str | None]) -> None:
    try:
        found.set_result(session.facts.ask(PREFLIGHT, _obstacle))
    except BaseException as problem:  # noqa: BLE001 - whoever waits for the result gets it
        found.set_exception(problem)


def _obstacle(context: Context) -> str | None:
    try:
        return _stated_obstacle(context)
    except Inconclusive:
        return None


def _stated_obstacle(context: Context) -> str | None:
    base_url = context.target.base_url
    alive = _send(context, context.api.simplest, None, None)
    if alive.response is None:
        is_there = str(alive.failure).startswith(UNREADABLE)
        what = "the response cannot be decoded" if is_there else "nothing responds"
        return f"{what} at {base_url}: {alive.failure}"
    is_elsewhere = alive.status == 404 and not base_url.endswith(f"/{VERSION}")
    if is_elsewhere and _is_at(f"{base_url}/{VERSION}", context):
        return f"the API is not at {base_url}, but at {base_url}/{VERSION}: add the version segment"
    primary = context.target.credentials.get("primary")
    responses = list(_until_served(context, primary)) if primary else []
    if all(map(_is_of_gateway, (alive, *responses))):
        return gateway_response.described(alive, context.target)
    if primary is None:
        return None
    rejected = [response for response in responses if response.status == 401]
    if rejected == responses:
        return _rejected(primary, rejected)
    if all(is_unavailable(response) for response in responses):
        described = ", ".join(dict.fromkeys(response.describe() for response in responses))
        return f"every request to {base_url} returned {described}"
    return None


def _is_of_gateway(found: Exchange) -> bool:
    """Whether a request without arguments was turned away by something that is not the API."""
    is_away = found.status in gateway_response.TURNED_AWAY
    return is_away and found.response is not None and found.response.json is MISSING


def _is_at(base_url: str, context: Context) -> bool:
    """Whether the simplest operation is below another base URL: it serves or asks who it is."""
    purpose = "whether the API is below the version segment"
    url = base_url + context.api.simplest.path
    sending = Sending(None, None, purpose, in_contract=False, url=url)
    found = context.client.send(Call(context.api.simplest.id), sending)
    return found.status in SERVED_OR_PROTECTED


def _until_served(context: Context, primary: Credential) -> Iterator[Exchange]:
    """The responses to requests without arguments, up to the first that lets a run begin."""
    for operation in _plain(context):
        for scheme in primary.schemes:
            response = _send(context, operation, primary, scheme)
            yield response
            if response.status != 401 and not is_unavailable(response):
                return


def _plain(context: Context) -> Iterator[Operation]:
    """The operations that need no argument, the simplest first."""
    yield context.api.simplest
    for operation in context.contract.operations.values():
        has_arguments = "{" in operation.path or operation.writes
        if operation != context.api.simplest and not has_arguments:
            yield operation


def _send(
    context: Context, operation: Operation, credential: Credential | None, scheme: str | None
) -> Exchange:
    purpose = "whether the target serves anybody" if credential else "whether the target responds"
    sending = Sending(credential, scheme, purpose, in_contract=False)
    return context.client.send(Call(operation.id), sending)


def _rejected(primary: Credential, responses: list[Exchange]) -> str:
    schemes = dict.fromkeys(response.scheme for response in responses if response.scheme)
    named = " and ".join(f"the {NAMES[scheme]} in {_source(primary, scheme)}" for scheme in schemes)
    verb = "were" if len(schemes) > 1 else "was"
    return f"{named} {verb} rejected with 401 by every operation: nothing can be checked"


def _source(primary: Credential, scheme: str) -> str:
    """Where the secret comes from: a variable of the environment, or a key of the profile."""
    variable = {"api-key": primary.api_key_variable, "bearer": primary.bearer_variable}[scheme]
    return variable or f"credentials.{primary.name}.{scheme}"
