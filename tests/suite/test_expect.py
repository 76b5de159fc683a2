"""What checks expect of answers: what passes, what breaks a requirement, and what says nothing."""

from collections.abc import Callable
from typing import Any

import pytest

from conformance.contract.verdict import Inconclusive, Violation
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.suite.callers import expect


def answer(status: int | None, body: bytes = b'{"code": "c"}') -> Exchange:
    """An answer with this status; None for none at all."""
    response = None if status is None else Response(status, (), body)
    failure = None if response else "timed out"
    return Exchange(
        "item",
        4,
        Call("video_get"),
        "a read",
        "primary",
        "bearer",
        Request("GET", "", ()),
        response,
        failure,
    )


def violation(act: Callable[[], None]) -> tuple[Any, ...]:
    """What is held against the target."""
    with pytest.raises(Violation) as caught:
        act()
    return (
        caught.value.message,
        caught.value.expected,
        caught.value.exchanges,
        caught.value.operation,
    )


def inconclusive(act: Callable[[], None]) -> tuple[Any, ...]:
    """Why nothing can be said."""
    with pytest.raises(Inconclusive) as caught:
        act()
    return caught.value.message, caught.value.needs, caught.value.exchanges


# --- one of several statuses ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [403, 404])
def test_a_status_that_is_allowed_passes(status: int) -> None:
    """Each of them."""
    expect.status(answer(status), 403, 404)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_an_allowed_status_passes_in_any_weather(status: int) -> None:
    """A check that asks for a 429 is content with it."""
    expect.status(answer(status), status)


@pytest.mark.parametrize("status", [200, 201, 302, 400, 401, 405, 422, 500, 501])
def test_any_other_status_breaks_the_requirement(status: int) -> None:
    """With what was asked, what came, what was expected, and the exchange that shows it."""
    expected = (f"a read: {status} c", "403 or 404", ("item#4",), None)
    assert violation(lambda: expect.status(answer(status), 403, 404)) == expected


def test_a_reason_takes_the_place_of_the_purpose() -> None:
    """Where one is given."""
    assert violation(lambda: expect.status(answer(200), 401, because="no credential")) == (
        "no credential: 200 c",
        "401",
        ("item#4",),
        None,
    )


# --- any refusal ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 499])
def test_every_client_error_is_a_refusal(status: int) -> None:
    """From 400 to 499."""
    expect.refused(answer(status))


@pytest.mark.parametrize("status", [200, 204, 302, 399, 500, 501])
def test_what_is_no_client_error_is_no_refusal(status: int) -> None:
    """Neither a success nor a failure of the server is."""
    assert violation(lambda: expect.refused(answer(status))) == (
        f"a read: {status} c",
        "a refusal",
        ("item#4",),
        None,
    )


def test_a_refusal_that_does_not_come_has_its_reason() -> None:
    """Where one is given."""
    assert violation(lambda: expect.refused(answer(200), "expired"))[0] == "expired: 200 c"


# --- a success -----------------------------------------------------------------------------------------------------------


def test_a_success_is_served() -> None:
    """200, and no other one."""
    expect.served(answer(200))
    assert violation(lambda: expect.served(answer(201))) == (
        "a read: 201 c",
        "200",
        ("item#4",),
        None,
    )
    assert violation(lambda: expect.served(answer(404))) == (
        "a read: 404 c",
        "200",
        ("item#4",),
        None,
    )


@pytest.mark.parametrize("status", [401, 403])
def test_who_is_turned_away_is_not_served_for_another_reason(status: int) -> None:
    """The credential of the profile is in question, not what the check is about."""
    expected = (
        f"primary is answered {status} c on video_get",
        ("credentials.primary",),
        ("item#4",),
    )
    assert inconclusive(lambda: expect.served(answer(status))) == expected


# --- the weather ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "told", "needs"),
    [
        (429, "429 c", "limits.requests-per-second"),
        (502, "502 c", "a target that answers"),
        (503, "503 c", "a target that answers"),
        (504, "504 c", "a target that answers"),
        (None, "no response: timed out", "a target that answers"),
    ],
)
@pytest.mark.parametrize(
    "act",
    [expect.clear, expect.refused, expect.served, lambda each: expect.status(each, 200, 403)],
    ids=["clear", "refused", "served", "status"],
)
def test_the_weather_says_nothing(
    act: Callable[[Exchange], None], status: int | None, told: str, needs: str
) -> None:
    """And names what would make it pass."""
    assert inconclusive(lambda: act(answer(status))) == (
        f"video_get: {told}",
        (needs,),
        ("item#4",),
    )


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 409, 500])
def test_an_answer_of_the_target_is_clear(status: int) -> None:
    """A 500 that stays is its own."""
    expect.clear(answer(status))


# --- conditions ----------------------------------------------------------------------------------------------------------


def test_a_condition_that_holds_passes() -> None:
    """Whatever it would have said."""
    expect.that(answer(200).status == 200, "so it is not", answer(200), expected="so it is")


def test_a_condition_that_does_not_hold_breaks_the_requirement() -> None:
    """With all answers that show it, in their order."""
    other = Exchange("item", 5, Call("video_list"), "", None, None, Request("GET", "", ()))
    assert violation(
        lambda: expect.that(
            answer(200).status == 201, "so it is", answer(200), other, expected="not so"
        )
    ) == (
        "so it is",
        "not so",
        ("item#4", "item#5"),
        None,
    )
    assert violation(lambda: expect.that(answer(200).status == 201, "so it is")) == (
        "so it is",
        "",
        (),
        None,
    )


def test_what_is_broken_is_broken_at_once() -> None:
    """With what shows it."""
    assert violation(lambda: expect.broken("so it is", answer(200), expected="not so")) == (
        "so it is",
        "not so",
        ("item#4",),
        None,
    )
    assert violation(lambda: expect.broken("so it is")) == ("so it is", "", (), None)
