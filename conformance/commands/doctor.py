"""`conformance doctor`: what a run would check and change, its duration, and what is wrong."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median

from conformance.commands import own_profile
from conformance.commands.diagnosis import credentials, expectation, fixtures, request_rate
from conformance.commands.diagnosis.complaint import Complaint
from conformance.commands.diagnosis.expectation import Duration
from conformance.commands.diagnosis.fixtures import Reviews, reviews_left
from conformance.commands.discovery.profile_text import MISSING, missing
from conformance.commands.reading_session import reading_session
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.contract.quantity import per_second
from conformance.http import quota
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.http.transport import Transport
from conformance.report import prospect
from conformance.report.console import output
from conformance.report.prospect import Prospect
from conformance.runner.session import Session
from conformance.suite.lists.live import Live
from conformance.target.target import Target

SAMPLES = 5


@dataclass(frozen=True)
class Diagnosis:
    """The result; `latency` is the median of a few responses in seconds.

    `rate` is how many requests per second the target allows; None where it rejected none. `limit`
    is what its headers state of that, and `reviews` how many are left to approve. `lag` is how many
    seconds reads may lag, and `fastest` the requests per second of a run by the profile.
    """

    base_url: str
    profile: str | None
    complaints: tuple[Complaint, ...]
    prospect: Prospect
    latency: float
    durations: tuple[Duration, ...]
    effects: tuple[str, ...]
    lag: float
    fastest: float | None
    rate: float | None = None
    limit: str | None = None
    reviews: Reviews | None = None


def run(arguments: argparse.Namespace) -> int:
    """Diagnose a target, without any request that changes something."""
    found = diagnose(*own_profile.subject(arguments))
    if arguments.json:
        output.document(asdict(found))
    else:
        output.lines(_lines(found))
    return NON_CONFORMANT if found.complaints else CONFORMANT


def diagnose(target: Target, transport: Transport) -> Diagnosis:
    """The diagnosis of a target.

    Raises UsageError where there is nothing to check, Inconclusive where it cannot be read in time.
    """
    with reading_session(target, transport, "doctor") as session:
        return _diagnosed(session, target)


def _diagnosed(session: Session, stated: Target) -> Diagnosis:
    live = Live(session.context("doctor"))
    responses = _responses(live)
    latency, allowed = median(each.elapsed for each in responses), request_rate.measured(session)
    reviews = reviews_left(live)
    found = (*credentials.complaints(live, stated), *fixtures.complaints(live))
    redact = session.redactor.text  # a problem quotes a response
    complaints = tuple(replace(each, problem=redact(each.problem)) for each in found)
    expected = prospect.of(session.target)
    return Diagnosis(
        session.target.base_url,
        session.target.source,
        complaints,
        expected,
        round(latency, 4),
        tuple(expectation.durations(session.target, expected, latency, allowed)),
        tuple(expectation.effects(session.target)),
        session.target.limits.lag,
        session.target.limits.requests_per_second,
        allowed,
        _limit(responses),
        reviews,
    )


def _limit(responses: Sequence[Exchange]) -> str | None:
    """The rate limit that the headers of a response state."""
    limits = (quota.stated(each.response) for each in responses if each.response is not None)
    return next(filter(None, limits), None)


def _responses(live: Live) -> list[Exchange]:
    primary = live.session.target.credentials.get("primary")
    sending = Sending(primary, purpose="how long does a response take?", in_contract=False)
    call = Call(live.session.api.simplest.id)
    return [live.session.client.send(call, sending) for _ in range(SAMPLES)]


def _lines(found: Diagnosis) -> Iterator[str]:
    yield f"target  {found.base_url} ({found.profile or 'without a profile'})"
    yield from _problems(found.complaints)
    expected = found.prospect
    part = f", {expected.part} in part" if expected.part else ""
    yield f"checks  {expected.whole} of {expected.requirements} requirements{part}"
    if expected.missing:
        yield f"        {MISSING}"
        yield from (f"          {line}" for line in missing(expected))
    if found.reviews is not None:
        yield f"reviews {_described(found.reviews)}"
    if found.limit is not None:
        yield f"rate    the target states a limit of {found.limit}"
    if found.rate is not None:
        yield f"rate    the target allows {per_second(found.rate)}"
    if found.fastest is not None:
        yield f"rate    limits.requests-per-second: at most {found.fastest:g} requests a second"
    yield f"lag     reads may lag {found.lag:g} s behind a write, or behind each other"
    for each in found.durations:
        exchanges = f"{each.exchanges:,} exchanges of {found.latency * 1000:.0f} ms"
        yield f"takes   about {each.seconds:.0f} s at depth {each.depth}: {exchanges}"
    for effect in found.effects or ("changes nothing: without consent it only reads",):
        yield f"effect  {effect}"


def _described(reviews: Reviews) -> str:
    left = f"{reviews.left} of the {reviews.read} that were read are left to approve"
    again = ", and a run makes all of them approvable again" if reviews.are_reset else ""
    return f"{left}{again}; a run approves about {reviews.taken}"


def _problems(complaints: tuple[Complaint, ...]) -> Iterator[str]:
    if not complaints:
        yield "profile every credential and record is as it should be"
    for each in complaints:
        yield f"WRONG   {each.key}: {each.problem}"
        yield f"        remedy: {each.remedy}"
