"""The rate limit (Limits)."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from conformance.contract.verdict import (
    Defect,
    Inconclusive,
    Kind,
    Violation,
    defect,
)
from conformance.http import http_date
from conformance.http.exchange import Call, Exchange, Response
from conformance.http.retry import is_transient, is_unavailable, retry_after
from conformance.http.sending import Sending
from conformance.runner.scheduling import Stage
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.callers import expect
from conformance.suite.callers.needs import needed
from conformance.suite.callers.places import of_status, status_line
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.target.target import RateLimit

ROUNDING = 1.0
"""Seconds that are waited beside those of a 429, which may be rounded down."""
WAITS = (0.0, ROUNDING, ROUNDING)
"""Seconds that each wait has beside those of its 429, after which a caller is served.

The first may end early, where a 429 has the least time left to say; the third is for another
server, with another clock.
"""
MAX_WAIT = 90
"""Seconds to wait at most for the end of a limit."""
BATCH = 16
"""Concurrent requests towards the limit: a fixed number, so that a recorded run can be repeated."""
ROUNDS = 3


@requirement("limits/rate", stage=Stage.ALONE)
def test_too_many_requests_are_rejected(live: Live, approvals: Approvals) -> None:
    """A caller who exceeds the rate limit gets 429, by either scheme, and nothing is done."""
    for scheme in live.callers.credential("throttled").schemes:
        _check_no_effect(scheme, live, approvals)
        caller = live.callers.credential("throttled")
        sending = Sending(caller, scheme, "past the rate limit", patient=False)
        for call in _one_call_of_each_operation(live):
            response = live.session.client.send(call, sending)
            is_failure = _fails_past_the_limit(response, sending, live)
            expect.that(not is_failure, _other_than_429(response), response)


def _check_no_effect(scheme: str, live: Live, approvals: Approvals) -> None:
    """Violation where no request gets 429, or where an approval that does is made all the same."""
    try:
        review = approvals.pool.pending()
    except Inconclusive:  # none is left to approve, or there is no consent
        _first_429(live, scheme)
        return
    key = approvals.key(review.id, f"past the rate limit by {scheme}")
    call = approvals.call(review.id, review.revision, key)
    _first_429(live, scheme)
    approvals.record(review.id, review.revision, key)
    caller = live.callers.credential("throttled")
    sending = Sending(caller, scheme, "an approval past the rate limit", patient=False)
    response = live.session.client.send(call, sending)
    after = approvals.reader.read(review.id)
    if approvals.is_spent(review, after):
        approvals.pool.spend(review)
    if response.status == 429:
        check_not_approved(response, after)


@requirement("limits/retry-after", stage=Stage.ALONE)
def test_a_429_says_how_long_to_wait(live: Live) -> None:
    """Every 429 has Retry-After; the rules check it on all exchanges."""
    _require_429(live)


def _one_call_of_each_operation(live: Live) -> Iterator[Call]:
    """A valid call of each operation; with consent to approve, an approval of an absent review."""
    for operation in live.session.contract.operations.values():
        with suppress(Inconclusive):
            if not operation.writes:
                yield live.call(operation)
            elif live.session.target.consent.approve_reviews:
                key = live.made_up("throttled key")
                body = {"expectedSubjectRevision": 1, "idempotencyKey": key}
                yield Call(operation.id, {"reviewId": live.made_up("throttled")}).carrying(body)


@requirement("limits/recovery", stage=Stage.ALONE)
def test_a_caller_who_waits_is_served_again(live: Live) -> None:
    """A request after the time of Retry-After succeeds."""
    for scheme in live.callers.credential("throttled").schemes:
        response = _require_429(live, scheme)
        for further in WAITS:
            if response.status == 429:
                response = _after_waiting(response, further, scheme, live)
        _check_not_throttled(response)
        if response.status != 200:  # inconclusive if primary is not served either
            live.callers.baseline(response.call)
        expect.status(response, 200)


def _check_not_throttled(response: Exchange) -> None:
    """Violation of a 429 after the wait; Inconclusive where the date in it has an unknown clock."""
    if response.status != 429:
        return
    assert response.response is not None
    if _is_of_unknown_clock(response.response):
        raise Inconclusive(
            "429 after the wait, whose Retry-After is a date, and no response has a Date",
            needs=("a Date header in each 429",),
            exchanges=[response.id],
        )
    expect.violated(_still_throttled(response), response)


def _is_of_unknown_clock(response: Response) -> bool:
    """Whether `Retry-After` is a date, and the response does not have the time of its clock."""
    after, now = (response.header(name) or "" for name in ("retry-after", "date"))
    return http_date.parse(after.strip()) is not None and http_date.parse(now) is None


def _still_throttled(response: Exchange) -> Defect:
    violation = defect(
        Kind.STATUS,
        "429 again, each time after waiting as long as Retry-After says",
        expected="200",
        actual=response.status,
    )
    return violation.at(status_line(response))


def _after_waiting(throttled: Exchange, further: float, scheme: str, live: Live) -> Exchange:
    """The response to a request after the time of a 429, and some further seconds."""
    assert throttled.response is not None
    seconds = retry_after(throttled.response, datetime.now(UTC))
    if seconds is None:  # another form than HTTP's
        seconds = _declared_rate(live).seconds
    if _is_of_unknown_clock(throttled.response):
        seconds = min(seconds, MAX_WAIT)  # the time of this machine decides on no verdict
    if seconds > MAX_WAIT:
        raise Inconclusive(
            "Retry-After has no time that is short enough to wait",
            needs=("limits.rate-limit",),
            exchanges=[throttled.id],
        )
    live.session.transport.wait(seconds + further)
    sending = Sending(live.callers.credential("throttled"), scheme, "after waiting", patient=False)
    response = live.session.client.send(throttled.call, sending)
    if response.status == 403:  # the throttled caller may lack the permission
        response = live.session.client.send(_permitted_call(sending, live), sending)
    for _ in range(ROUNDS):
        # Transient errors have nothing to do with the limit.
        is_error = is_unavailable(response) or is_transient(response)
        if response.status != 429 and is_error:
            response = live.session.client.send(response.call, sending)
    return response


def _require_429(live: Live, scheme: str | None = None) -> Exchange:
    """A 429 of the throttled caller; Inconclusive if there is none (limits/rate reports that)."""
    try:
        return _first_429(live, scheme)
    except Violation as problem:
        message = f"no 429 to check: {problem.message}"
        raise Inconclusive(message, exchanges=problem.exchanges) from None


def _first_429(live: Live, scheme: str | None = None) -> Exchange:
    """The first 429 of the throttled caller; Violation if several times the limit brings none."""
    rate = _declared_rate(live)
    caller = live.callers.credential("throttled")
    sending = Sending(caller, scheme or caller.schemes[0], "towards the rate limit", patient=False)
    call = _permitted_call(sending, live)
    received: list[Exchange] = []
    batches_lost = 0
    while len(received) < ROUNDS * rate.requests + 10:
        batch = live.session.client.send_all([call] * BATCH, [sending] * BATCH)
        responses = [_repeated_after_500(response, sending, live) for response in batch]
        throttled = [response for response in responses if response.status == 429]
        if throttled:
            return throttled[0]
        arrived = [response for response in responses if not is_unavailable(response)]
        _check_not_unavailable_alone(responses, len(received), sending, live)
        batches_lost = 0 if arrived else batches_lost + 1
        _check_all_served(arrived if batches_lost < ROUNDS else responses, received)
        received += arrived
    _require_own_secret(live, received)
    raise _not_throttled(received, rate)


def _declared_rate(live: Live) -> RateLimit:
    target = live.session.target
    if not target.consent.exhaust_rate_limit:
        raise Inconclusive(
            "exceeding the rate limit has no consent", needs=("consent.exhaust-rate-limit",)
        )
    live.callers.credential("throttled")
    if target.limits.rate_limit is None:
        raise Inconclusive("the rate limit is not declared", needs=("limits.rate-limit",))
    return target.limits.rate_limit


def _permitted_call(sending: Sending, live: Live) -> Call:
    """A call that the caller may make, as far as is known; that of the account otherwise."""
    operations = live.session.contract.operations.values()
    simple = [Call(each.id) for each in operations if not each.writes and "{" not in each.path]
    for call in simple:
        if live.session.client.send(call, sending).status not in (401, 403):
            return call
    return Call(live.session.api.simplest.id)


def _check_all_served(responses: list[Exchange], before: list[Exchange]) -> None:
    """Violation where a caller who was served meets the limit as another status than 429."""
    was_served = bool(before) or any(response.status == 200 for response in responses)
    for response in responses:
        is_rejected = was_served and response.status != 200 and not is_unavailable(response)
        expect.that(not is_rejected, _other_than_429(response), response)
        _require_served(response)


def _other_than_429(response: Exchange) -> Defect:
    return of_status(
        response, "the rate limit is another status than 429: {response}", expected="429"
    )


def _check_not_unavailable_alone(
    responses: list[Exchange], before: int, sending: Sending, live: Live
) -> None:
    """Violation where only the throttled caller repeatedly gets 503, or no response."""
    unavailable = [response for response in responses if is_unavailable(response)]
    was_served = before + len(responses) > len(unavailable)
    if not unavailable or not was_served:
        return
    baseline = _as_primary(live)
    for _ in range(ROUNDS):
        of_primary = live.session.client.send(Call(live.session.api.simplest.id), baseline)
        own = live.session.client.send(unavailable[0].call, sending)
        if of_primary.status != 200 or own.status == 429 or not is_unavailable(own):
            return
    expect.violated(_other_than_429(unavailable[0]), unavailable[0])


def _require_served(response: Exchange) -> None:
    """Inconclusive unless the caller is served below the limit."""
    expect.clear(response)
    if response.status != 200:
        raise Inconclusive(
            f"{response.operation} with {response.credential} returned {response.describe()}",
            needs=(needed(response.status, str(response.credential)),),
            exchanges=[response.id],
        )


def _fails_past_the_limit(response: Exchange, sending: Sending, live: Live) -> bool:
    """Whether a request fails each time for the throttled caller, and never for primary."""
    baseline = _as_primary(live)
    for _ in range(ROUNDS):
        if not is_transient(response):
            return False
        if is_transient(live.session.client.send(response.call, baseline)):
            return False
        response = live.session.client.send(response.call, sending)
    return is_transient(response)


def _as_primary(live: Live) -> Sending:
    primary = live.callers.credential("primary")
    return Sending(primary, None, "the baseline request", patient=False)


def _repeated_after_500(response: Exchange, sending: Sending, live: Live) -> Exchange:
    """The response to the same request again after a 500, which may be transient."""
    for _ in range(ROUNDS):
        if response.status == 500:
            response = live.session.client.send(response.call, sending)
    return response


def _require_own_secret(live: Live, sent: list[Exchange]) -> None:
    """Inconclusive where another caller of the profile has the same secret."""
    throttled = live.callers.credential("throttled")
    others = (
        each for each in live.session.target.credentials.values() if each.name != throttled.name
    )
    if any(other.shares_secret(throttled) for other in others):
        raise Inconclusive(
            f"{len(sent)} requests brought no 429, but another caller has the same secret",
            needs=("credentials.throttled",),
            exchanges=[sent[-1].id],
        )


def _not_throttled(sent: list[Exchange], rate: RateLimit) -> Violation | Inconclusive:
    """The violation; Inconclusive if the requests were too slow for the limit."""
    seconds = sent[-1].started + sent[-1].elapsed - sent[0].started
    if len(sent) <= rate.requests * (seconds // rate.seconds + 2):
        return Inconclusive(
            f"{len(sent)} requests in {seconds:.1f} s are too slow for the rate limit",
            needs=("limits.rate-limit",),
            exchanges=[sent[-1].id],
        )
    violation = defect(
        Kind.COUNT,
        "no request past the rate limit got 429",
        expected=f"429 after {rate.requests} requests in {rate.seconds:g} s",
        actual=len(sent),
    )
    return Violation(violation, exchanges=[sent[-1].id])
