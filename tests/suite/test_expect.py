"""Expectations of responses: which pass, which are violated, which are inconclusive."""

from collections.abc import Callable

import pytest

from conformance.contract.verdict import Inconclusive, Kind, Location, Part, Violation, defect
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.suite.callers import expect

REVIEW_IS_PENDING = defect(Kind.EFFECT, "the review is {state}", expected="approved", state="open")


def response(status: int | None, body: bytes = b'{"code": "c"}') -> Exchange:
    """A response with this status; a failed connection for None."""
    received = None if status is None else Response(status, (), body)
    failure = None if received else "timed out"
    return Exchange(
        "item",
        4,
        Call("video_get"),
        "a read",
        "primary",
        "bearer",
        Request("GET", "", ()),
        received,
        failure,
    )


def violation(act: Callable[[], None]) -> Violation:
    """The violation that is raised."""
    with pytest.raises(Violation) as caught:
        act()
    return caught.value


def sentences(act: Callable[[], None]) -> tuple[str, str]:
    """The sentence of the violation that is raised, and what was expected."""
    raised = violation(act)
    return raised.message, raised.expected


def inconclusive(act: Callable[[], None]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Why the check is inconclusive, what it needs, and its evidence."""
    with pytest.raises(Inconclusive) as caught:
        act()
    return caught.value.message, caught.value.needs, caught.value.exchanges


# --- one of several statuses ---


@pytest.mark.parametrize("status", [403, 404])
def test_an_allowed_status_passes(status: int) -> None:
    """Every allowed status passes."""
    expect.status(response(status), 403, 404)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_an_allowed_status_passes_even_if_it_is_transient(status: int) -> None:
    """A check may expect 429."""
    expect.status(response(status), status)


@pytest.mark.parametrize("status", [200, 201, 302, 400, 401, 405, 422, 500, 501])
def test_another_status_is_a_violation(status: int) -> None:
    """It has the purpose of the request, the response, the allowed statuses and the exchange."""
    raised = violation(lambda: expect.status(response(status), 403, 404))
    assert (raised.message, raised.expected) == (f"a read: {status} c", "403 or 404")
    assert (raised.exchanges, raised.operation) == (("item#4",), None)


def test_a_reason_replaces_the_purpose() -> None:
    """Where one is given."""
    sentence = sentences(lambda: expect.status(response(200), 401, because="no credential"))
    assert sentence == ("no credential: 200 c", "401")


@pytest.mark.parametrize(
    ("status", "allowed", "kind"),
    [
        (200, (403, 404), Kind.ACCEPTED),
        (299, (403, 404), Kind.ACCEPTED),
        (300, (403, 404), Kind.STATUS),
        (500, (403, 404), Kind.STATUS),
        (200, (400,), Kind.ACCEPTED),
        (200, (499,), Kind.ACCEPTED),
        (200, (500,), Kind.STATUS),
        (200, (399,), Kind.STATUS),
        (201, (200, 404), Kind.STATUS),
    ],
)
def test_a_success_instead_of_a_rejection_has_its_own_kind(
    status: int, allowed: tuple[int, ...], kind: Kind
) -> None:
    """The kind applies if every allowed status is 4xx."""
    defect = violation(lambda: expect.status(response(status), *allowed)).defect
    assert (defect.kind, defect.actual) == (kind, status)
    assert defect.where == (Location(Part.STATUS, exchange="item#4"),)


# --- any rejection ---


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 498])
def test_every_client_error_is_a_rejection(status: int) -> None:
    """These are the statuses from 400 to 499."""
    expect.rejected(response(status))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (200, Kind.ACCEPTED),
        (204, Kind.ACCEPTED),
        (302, Kind.STATUS),
        (399, Kind.STATUS),
        (500, Kind.STATUS),
        (501, Kind.STATUS),
    ],
)
def test_another_status_than_a_client_error_is_a_violation(status: int, kind: Kind) -> None:
    """A success has its own kind."""
    raised = violation(lambda: expect.rejected(response(status)))
    assert (raised.message, raised.expected, raised.exchanges) == (
        f"a read: {status} c",
        "4xx",
        ("item#4",),
    )
    assert (raised.defect.kind, raised.defect.actual) == (kind, status)


def test_a_missing_rejection_has_its_reason() -> None:
    """Where one is given."""
    assert sentences(lambda: expect.rejected(response(200), "expired")) == ("expired: 200 c", "4xx")


# --- a success ---


def test_only_200_is_served() -> None:
    """Other statuses of success are violations."""
    expect.served(response(200))
    assert sentences(lambda: expect.served(response(201))) == ("a read: 201 c", "200")
    assert sentences(lambda: expect.served(response(404))) == ("a read: 404 c", "200")


@pytest.mark.parametrize("status", [401, 403])
def test_a_rejected_credential_is_inconclusive(status: int) -> None:
    """The credential of the profile may be wrong; the requirement is not checked."""
    assert inconclusive(lambda: expect.served(response(status))) == (
        f"video_get with primary returned {status} c",
        ("credentials.primary",),
        ("item#4",),
    )


# --- transient errors ---


@pytest.mark.parametrize(
    ("status", "described", "needs"),
    [
        (429, "429 c", "limits.requests-per-second"),
        (502, "502 c", "a target that responds"),
        (503, "503 c", "a target that responds"),
        (504, "504 c", "a target that responds"),
        (None, "no response: timed out", "a target that responds"),
    ],
)
@pytest.mark.parametrize(
    "act",
    [expect.clear, expect.rejected, expect.served, lambda each: expect.status(each, 200, 403)],
    ids=["clear", "rejected", "served", "status"],
)
def test_a_transient_error_is_inconclusive(
    act: Callable[[Exchange], None], status: int | None, described: str, needs: str
) -> None:
    """The result names what is needed to check the requirement."""
    assert inconclusive(lambda: act(response(status))) == (
        f"video_get: {described}",
        (needs,),
        ("item#4",),
    )


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 409, 500])
def test_another_status_is_not_transient(status: int) -> None:
    """A 500 that remains is not transient either."""
    expect.clear(response(status))


# --- conditions ---


def test_a_condition_that_holds_passes() -> None:
    """The defect of the condition is not reported."""
    expect.that(response(200).status == 200, REVIEW_IS_PENDING, response(200))


def test_a_condition_that_does_not_hold_is_a_violation() -> None:
    """The responses are the evidence, in their order."""
    other = Exchange("item", 5, Call("video_list"), "", None, None, Request("GET", "", ()))
    holds = response(200).status == 201
    raised = violation(lambda: expect.that(holds, REVIEW_IS_PENDING, response(200), other))
    assert (raised.message, raised.expected) == ("the review is open", "approved")
    assert (raised.defect, raised.exchanges) == (REVIEW_IS_PENDING, ("item#4", "item#5"))
    assert violation(lambda: expect.that(holds, REVIEW_IS_PENDING)).exchanges == ()


def test_a_violation_is_raised_at_once() -> None:
    """The violation has its evidence."""
    raised = violation(lambda: expect.violated(REVIEW_IS_PENDING, response(200)))
    assert (raised.defect, raised.exchanges) == (REVIEW_IS_PENDING, ("item#4",))
    assert violation(lambda: expect.violated(REVIEW_IS_PENDING)).exchanges == ()
