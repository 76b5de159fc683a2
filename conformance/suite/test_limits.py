"""The limit of the rate of requests (Limits)."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NoReturn

from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.retry import is_transient, is_unavailable, retry_after
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.target.target import RateLimit

SMALLEST_PATIENCE = 1.0
LONGEST_WAIT = 90
AT_ONCE = 16
"""Requests towards the limit that go together, whatever the transport likes: or a run could not be repeated against its recording."""
TIMES = 3


@requirement("limits/rate")
def test_too_many_requests_are_refused(live: Live) -> None:
    """A caller that sends more than the rate limit allows is answered 429, by whichever scheme."""
    for scheme in live.callers.credential("throttled").schemes:
        _exhausted(live, scheme)


@requirement("limits/retry-after")
def test_a_refusal_says_how_long_to_wait(live: Live) -> None:
    """Retry-After is a number of seconds or an HTTP-date; the rule looks at every 429, whichever operation it comes from."""
    _refused(live)
    caller = live.callers.credential("throttled")
    for call in _of_every_operation(live):
        live.session.client.send(
            call, Sending(caller, caller.schemes[0], "past the rate limit", patient=False)
        )


def _of_every_operation(live: Live) -> Iterator[Call]:
    """A call of each operation; to approve, where that has been consented to, one of an id that nothing has."""
    for operation in live.session.contract.operations.values():
        with suppress(Inconclusive):
            if not operation.writes:
                yield live.call(operation)
            elif live.session.target.consent.approve_reviews:
                body = {
                    "expectedSubjectRevision": 1,
                    "idempotencyKey": live.made_up("throttled key"),
                }
                yield Call(operation.id, {"reviewId": live.made_up("throttled")}).carrying(body)


@requirement("limits/recovery")
def test_who_waits_is_served_again(live: Live) -> None:
    """After the time that Retry-After names."""
    for scheme in live.callers.credential("throttled").schemes:
        answer = _refused(live, scheme)
        for _ in range(TIMES):
            if answer.status == 429:
                answer = _after_waiting(answer, scheme, live)
        expect.that(
            answer.status != 429,
            defect(
                Kind.UNSORTED,
                "429 again, each time after waiting as long as Retry-After said",
                expected="200",
            ),
            answer,
        )
        if answer.status != 200:  # what primary is not served either is judged elsewhere
            live.callers.baseline(answer.call)
        expect.status(answer, 200)


def _after_waiting(refused: Exchange, scheme: str, live: Live) -> Exchange:
    """The answer to one request after the time that a 429 names; more than one wait may be needed where seconds are rounded down."""
    assert refused.response is not None
    pause = retry_after(refused.response)
    if pause is None or pause > LONGEST_WAIT:
        raise Inconclusive(
            "Retry-After names no time that could be waited",
            needs=("limits.rate-limit",),
            exchanges=[refused.id],
        )
    live.session.transport.wait(max(pause, SMALLEST_PATIENCE))
    sending = Sending(live.callers.credential("throttled"), scheme, "after waiting", patient=False)
    answer = live.session.client.send(refused.call, sending)
    if answer.status == 403:  # who was throttled before may lack the permission
        answer = live.session.client.send(_within_reach(sending, live), sending)
    for _ in range(TIMES):
        if answer.status != 429 and (
            is_unavailable(answer) or is_transient(answer)
        ):  # which has nothing to do with the limit
            answer = live.session.client.send(answer.call, sending)
    return answer


def _refused(live: Live, scheme: str | None = None) -> Exchange:
    """A 429 of the throttled caller; Inconclusive where there is none, which is judged by the check of the rate limit."""
    try:
        return _exhausted(live, scheme)
    except Violation as problem:
        raise Inconclusive(
            f"no 429 to look at: {problem.message}", exchanges=problem.exchanges
        ) from None


def _exhausted(live: Live, scheme: str | None = None) -> Exchange:
    """The first 429 of the throttled caller; sends several times what the profile says the rate limit is."""
    target = live.session.target
    if not target.consent.exhaust_rate_limit:
        raise Inconclusive(
            "driving a caller into its rate limit has not been consented to",
            needs=("consent.exhaust-rate-limit",),
        )
    caller = live.callers.credential("throttled")
    rate = target.limits.rate_limit
    if rate is None:
        raise Inconclusive("the rate limit is not declared", needs=("limits.rate-limit",))
    sending = Sending(caller, scheme or caller.schemes[0], "towards the rate limit", patient=False)
    call = _within_reach(sending, live)
    sent: list[Exchange] = []
    spoiled = 0
    while len(sent) < TIMES * rate.requests + 10:
        answers = [
            _once_more(answer, sending, live)
            for answer in live.session.client.send_all([call] * AT_ONCE, [sending] * AT_ONCE)
        ]
        refused = [answer for answer in answers if answer.status == 429]
        if refused:
            return refused[0]
        clear = [answer for answer in answers if not is_unavailable(answer)]
        _no_weather_of_its_own(answers, len(sent), sending, live)
        spoiled = 0 if clear else spoiled + 1
        _all_served(clear if spoiled < TIMES else answers, sent)
        sent += clear
    if any(
        other.shares_secret(caller)
        for name, other in target.credentials.items()
        if name != caller.name
    ):
        told = f"none of {len(sent)} requests was answered 429, but by its secret the caller is another one of the profile as well"
        raise Inconclusive(told, needs=("credentials.throttled",), exchanges=[sent[-1].id])
    return _never_refused(sent, rate)


def _within_reach(sending: Sending, live: Live) -> Call:
    """A call that the caller has the permission for, as far as can be told: that of the account where nothing else is better."""
    simple = [
        each
        for each in live.session.contract.operations.values()
        if not each.writes and "{" not in each.path
    ]
    answers = (live.session.client.send(Call(each.id), sending) for each in simple)
    return next(
        (answer.call for answer in answers if answer.status not in (401, 403)), Call("account_get")
    )


def _all_served(answers: list[Exchange], before: list[Exchange]) -> None:
    """Violation where a caller that was served a moment ago is no more: it meets the limit, as something else than a 429."""
    served = bool(before) or any(answer.status == 200 for answer in answers)
    for answer in answers:
        turned = served and answer.status != 200 and not is_unavailable(answer)
        expect.that(
            not turned,
            defect(
                Kind.UNSORTED, f"after {len(before)} requests: {answer.describe()}", expected="429"
            ),
            answer,
        )
        _served(answer)


def _no_weather_of_its_own(
    answers: list[Exchange], before: int, sending: Sending, live: Live
) -> None:
    """Violation where the throttled caller, once served, goes on getting 503 or nothing, and primary is served in between."""
    away = [answer for answer in answers if is_unavailable(answer)]
    served = before + len(answers) - len(away)
    if not away or not served:
        return
    for _ in range(TIMES):
        control = Sending(
            live.callers.credential("primary"), None, "control", patient=False, probes_liveness=True
        )
        others = live.session.client.send(Call("account_get"), control)
        own = live.session.client.send(away[0].call, sending)
        if others.status != 200 or own.status == 429 or not is_unavailable(own):
            return
    expect.violated(
        defect(
            Kind.UNSORTED,
            f"after {served} requests, and not for primary: {away[0].describe()}",
            expected="429",
        ),
        away[0],
    )


def _served(answer: Exchange) -> None:
    """Inconclusive unless the answer is 200: who is not served without a limit says nothing about the limit."""
    expect.clear(answer)
    if answer.status != 200:
        told = f"{answer.credential} is answered {answer.describe()} on {answer.operation}"
        raise Inconclusive(told, needs=(f"credentials.{answer.credential}",), exchanges=[answer.id])


def _once_more(answer: Exchange, sending: Sending, live: Live) -> Exchange:
    """The same request again where it fails: one failure is no refusal, and one that stays is."""
    for _ in range(TIMES):
        if answer.status == 500:
            answer = live.session.client.send(answer.call, sending)
    return answer


def _never_refused(sent: list[Exchange], rate: RateLimit) -> NoReturn:
    lasted = sent[-1].started + sent[-1].elapsed - sent[0].started
    told = f"{len(sent)} requests in {lasted:.1f} s, none answered 429"
    if len(sent) <= rate.requests * (lasted // rate.seconds + 2):
        raise Inconclusive(
            f"{told}: not fast enough for the limit",
            needs=("limits.rate-limit",),
            exchanges=[sent[-1].id],
        )
    raise Violation(
        defect(
            Kind.UNSORTED,
            told,
            expected=f"429 after {rate.requests} requests in {rate.seconds:g} s",
        ),
        exchanges=[sent[-1].id],
    )
