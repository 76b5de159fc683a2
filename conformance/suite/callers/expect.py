"""What checks expect of responses.

Each function raises Violation, or Inconclusive where the response does not show the requirement.
"""

from dataclasses import replace
from typing import NoReturn

from conformance.contract.verdict import (
    Defect,
    Inconclusive,
    Kind,
    Violation,
)
from conformance.http.exchange import Exchange
from conformance.http.retry import is_unavailable
from conformance.suite.callers.places import of_status


def status(
    response: Exchange, *allowed: int, because: str = "", before: Exchange | None = None
) -> None:
    """The response has one of the statuses; `because` replaces the purpose in the message.

    `before` is an earlier response without which a reader cannot follow.
    """
    if response.status in allowed:
        return
    clear(response)
    *most, last = map(str, sorted(allowed))
    expected = f"{', '.join(most)} or {last}" if most else last
    must_be_rejected = all(400 <= each < 500 for each in allowed)
    found = _other_status(response, expected, because, must_be_rejected)
    shown = (response,) if before is None else (before, response)
    violated(replace(found, values={**found.values, "allowed": sorted(allowed)}), *shown)


def rejected(response: Exchange, because: str = "", before: Exchange | None = None) -> None:
    """The response has a status of 4xx; `before` is that of `status`."""
    clear(response)
    assert response.status is not None
    if not 400 <= response.status < 500:
        shown = (response,) if before is None else (before, response)
        violated(_other_status(response, "4xx", because, must_be_rejected=True), *shown)


def not_served(*responses: Exchange) -> None:
    """No response is a success; a failure for another reason is reported by other checks."""
    for response in responses:
        if response.status is not None and response.status < 300:
            rejected(response)


def _other_status(
    response: Exchange,
    expected: str,
    because: str,
    must_be_rejected: bool,  # noqa: FBT001
) -> Defect:
    accepted = must_be_rejected and response.status is not None and response.status < 300
    return of_status(
        response,
        "{request}: {response}",
        expected=expected,
        kind=Kind.ACCEPTED if accepted else Kind.STATUS,
        request=because or response.purpose,
    )


def reached(response: Exchange) -> None:
    """The response is no 404; Inconclusive otherwise: what one credential shows is not expected of
    another, even of the same caller (Authentication).
    """
    if response.status == 404:
        raise Inconclusive(
            f"{response.operation} with {response.credential} by {response.scheme} returned 404",
            needs=(f"credentials.{response.credential}.{response.scheme}",),
            exchanges=[response.id],
        )


def served(response: Exchange, before: Exchange | None = None) -> None:
    """The response is 200; Inconclusive for 401 and 403, which other checks are about.

    `before` is the response that shows what was asked for.
    """
    if response.status in (401, 403):
        raise Inconclusive(
            f"{response.operation} with {response.credential} returned {response.describe()}",
            needs=(f"credentials.{response.credential}",),
            exchanges=[response.id],
        )
    status(response, 200, before=before)


def clear(response: Exchange) -> None:
    """The response is the target's own: no transient error, and no rate limit."""
    if is_unavailable(response):
        limited = response.status == 429
        needs = "limits.requests-per-second" if limited else "a target that responds"
        raise Inconclusive(
            f"{response.operation}: {response.describe()}", needs=(needs,), exchanges=[response.id]
        )


def that(holds: bool, otherwise: Defect, *responses: Exchange) -> None:  # noqa: FBT001
    """A condition on responses; Violation with them as evidence where it does not hold."""
    if not holds:
        violated(otherwise, *responses)


def violated(found: Defect, *responses: Exchange) -> NoReturn:
    """The requirement is violated, as these responses show."""
    raise Violation(found, exchanges=[response.id for response in responses])
