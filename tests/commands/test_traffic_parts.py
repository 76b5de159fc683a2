"""Traffic is judged in parts of bounded size."""

from collections.abc import Sequence

import pytest

from conformance.commands.traffic.parts import OVERHEAD, Parts
from conformance.http.exchange import Call, Exchange, Request, Response

BODY = b"x" * 1000


def exchange(number: int) -> Exchange:
    """An exchange with a body of 1,000 bytes."""
    request = Request("GET", "http://target.invalid/v1/account", ())
    call = Call("account_get")
    return Exchange("traffic", number, call, "", None, None, request, Response(200, (), BODY))


def test_every_exchange_is_in_one_part() -> None:
    """A part ends with the exchange that fills it, and the last one with the traffic."""
    judged: list[tuple[int, list[int]]] = []

    def judge(number: int, exchanges: Sequence[Exchange]) -> None:
        judged.append((number, [each.number for each in exchanges]))

    parts = Parts(judge, largest=2 * (OVERHEAD + len(BODY)))
    for number in range(5):
        parts.add(exchange(number))
    parts.close()
    assert judged == [(1, [0, 1]), (2, [2, 3]), (3, [4])]


def test_what_a_judgement_raises_is_raised() -> None:
    """At the end, or where the next part ends."""

    def judge(_number: int, _exchanges: Sequence[Exchange]) -> None:
        raise ZeroDivisionError

    parts = Parts(judge)
    parts.add(exchange(1))
    with pytest.raises(ZeroDivisionError):
        parts.close()
