"""What checks expect of answers; each function raises Violation, or Inconclusive where the answer says nothing."""

from typing import NoReturn

from conformance.contract.verdict import Inconclusive, Violation
from conformance.http.exchange import Exchange
from conformance.http.retry import is_weather


def status(answer: Exchange, *allowed: int, because: str = "") -> None:
    """The answer has one of the statuses."""
    if answer.status in allowed:
        return
    clear(answer)
    expected = " or ".join(map(str, allowed))
    raise Violation(
        f"{because or answer.purpose}: {answer.describe()}",
        expected=expected,
        exchanges=[answer.id],
    )


def refused(answer: Exchange, because: str = "") -> None:
    """The answer is neither a success nor a failure of the server."""
    clear(answer)
    assert answer.status is not None
    if not 400 <= answer.status < 500:
        raise Violation(
            f"{because or answer.purpose}: {answer.describe()}",
            expected="a refusal",
            exchanges=[answer.id],
        )


def served(answer: Exchange) -> None:
    """The answer is 200. A 401 or 403 here is judged by the checks of authentication and authorization, not by this one."""
    if answer.status in (401, 403):
        raise Inconclusive(
            f"{answer.credential} is answered {answer.describe()} on {answer.operation}",
            needs=(f"credentials.{answer.credential}",),
            exchanges=[answer.id],
        )
    status(answer, 200)


def clear(answer: Exchange) -> None:
    """The answer is the target's own, not one of the weather."""
    if is_weather(answer):
        needs = (
            ("limits.requests-per-second",) if answer.status == 429 else ("a target that answers",)
        )
        raise Inconclusive(
            f"{answer.operation}: {answer.describe()}", needs=needs, exchanges=[answer.id]
        )


def that(kept: bool, message: str, *answers: Exchange, expected: str = "") -> None:  # noqa: FBT001  (it is what is asserted)
    """A condition on answers that came."""
    if not kept:
        broken(message, *answers, expected=expected)


def broken(message: str, *answers: Exchange, expected: str = "") -> NoReturn:
    """The requirement is broken, as these answers show."""
    raise Violation(message, expected=expected, exchanges=[answer.id for answer in answers])
