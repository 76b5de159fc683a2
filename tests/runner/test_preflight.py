"""The preflight: why a run cannot begin."""

from typing import Any

import pytest
from scripted_app import ScriptedApp, scripted_response

from conformance.http.in_process import InProcess
from conformance.runner import preflight
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.target.profile import parse

BASE = "http://target.test/v1"
BOTH = {"primary": {"api-key": "${KEY}", "bearer": "token-0123"}}
ERROR = b'{"code": "c", "requestId": "r"}'
REJECTED = scripted_response(401, ERROR)
LIMITED = scripted_response(429, ERROR, retry_after="1")
AWAY = scripted_response(503, ERROR)
FORBIDDEN = scripted_response(403, ERROR)
SERVED = scripted_response(200)


def obstacle(*responses: Any, credentials: dict[str, Any] = BOTH) -> tuple[str | None, int]:
    """The message of the preflight for these responses, and the number of its requests."""
    target = parse({"credentials": credentials}, base_url=BASE, environ={"KEY": "secret-0123"})
    app = ScriptedApp(list(responses))
    transport = InProcess(app, lambda _: None)
    session = Session(target, transport, seed=1, depth=DEPTHS["quick"])
    try:
        return preflight.obstacle(session), len(app.requests)
    finally:
        session.close()


@pytest.mark.parametrize("response", [SERVED, FORBIDDEN, scripted_response(500, b"")])
def test_one_response_that_is_not_401_is_enough(response: Any) -> None:
    """The checks can then report any defect."""
    assert obstacle(REJECTED, response)[0] is None


def test_a_run_begins_after_two_requests() -> None:
    """The first has no credential, and the second has the first scheme."""
    assert obstacle(REJECTED, SERVED) == (None, 2)


def test_the_other_scheme_may_be_served() -> None:
    """A rejected API key is left to the checks where the bearer token works."""
    assert obstacle(REJECTED, REJECTED, SERVED) == (None, 3)


def test_another_operation_may_be_served() -> None:
    """If a list is served, a rejected account is a defect for the checks."""
    assert obstacle(REJECTED, REJECTED, REJECTED, SERVED) == (None, 4)


def test_a_credential_that_is_always_rejected_is_named() -> None:
    """The name is its variable, or its key if the secret stands in the profile."""
    message, _ = obstacle(REJECTED)

    assert message == (
        "the API key in KEY and the bearer token in credentials.primary.bearer were rejected "
        "with 401 by every operation: nothing can be checked"
    )


def test_the_message_names_a_single_scheme() -> None:
    """The message is in the singular."""
    message, _ = obstacle(REJECTED, credentials={"primary": {"api-key": "${KEY}"}})

    assert message == (
        "the API key in KEY was rejected with 401 by every operation: nothing can be checked"
    )


@pytest.mark.parametrize(("response", "described"), [(AWAY, "503 c"), (LIMITED, "429 c")])
def test_an_unavailable_target_is_named(response: Any, described: str) -> None:
    """The client has retried before."""
    assert obstacle(response)[0] == f"every request to {BASE} returned {described}"


def test_an_unreachable_target_is_named() -> None:
    """The message has the connection error."""
    message, _ = obstacle(ConnectionResetError("gone"))

    assert str(message).startswith(f"nothing responds at {BASE}: ")


def test_a_response_that_cannot_be_decoded_is_one() -> None:
    """Something responds, in a content coding that nobody has asked for."""
    message, _ = obstacle(scripted_response(200, b"x", content_encoding="br"))

    assert str(message).startswith(f"the response cannot be decoded at {BASE}: DecodingError: ")


def test_without_a_credential_only_the_connection_is_checked() -> None:
    """A target that rejects every request can still be checked."""
    assert obstacle(REJECTED, credentials={}) == (None, 1)
