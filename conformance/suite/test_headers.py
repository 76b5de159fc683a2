"""Headers of requests: any Accept that allows JSON, and the media type of a body."""

from dataclasses import replace

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.result import check_replay
from conformance.suite.approval.trial import Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

ACCEPTS = (
    Sending(None, purpose="no Accept", left_out=frozenset({"accept"})),
    Sending(None, purpose="Accept: */*", headers=(("accept", "*/*"),)),
)
MEDIA_TYPES = ("application/json; charset=utf-8", "Application/JSON")


@requirement("read/success")
def test_any_accept_is_served(operation: Operation, live: Live) -> None:
    """A request that accepts anything gets what one that accepts JSON gets."""
    call, primary = live.call(operation), live.callers.credential("primary")
    live.callers.require_baseline(call)
    for sending in ACCEPTS:
        response = live.session.client.send(call, replace(sending, credential=primary))
        if response.status == 404:  # the record may have been deleted since the baseline
            live.callers.baseline(call, scheme=response.scheme)
        expect.status(response, 200)
    if call.path and not operation.is_list:  # the rules check the form of an error as well
        absent = call.at(**dict.fromkeys(call.path, live.made_up("any Accept")))
        live.session.client.send(absent, replace(ACCEPTS[0], credential=primary))


@requirement("approval/replay")
def test_a_replay_with_any_accept_repeats_the_result(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """An approval that accepts anything is the same request."""
    trial = trials.approved(trials.first().scheme)
    primary = live.callers.credential("primary")
    for sending in ACCEPTS:
        own = replace(sending, credential=primary, scheme=trial.scheme)
        response = live.session.client.send(_call(trial, approvals), own)
        approvals.reader.require_found(response, trial.after)
        because = f"a replay with {sending.purpose}"
        expect.status(response, 200, because=because, before=trial.approval)
        check_replay(response, trial.approval)


@requirement("approval/media-type")
def test_the_media_type_may_have_parameters(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """A body of application/json, in any letters and with parameters, is read as JSON."""
    trial = trials.approved(trials.first().scheme)
    _require_replay(approvals.approve(trial.review, trial.key, scheme=trial.scheme))
    for media_type in MEDIA_TYPES:
        call = _call(trial, approvals)
        typed = Call(call.operation, call.path, call.query, call.body, media_type)
        purpose = f"the same approval as {media_type}"
        response = live.callers.send(typed, scheme=trial.scheme, purpose=purpose)
        approvals.reader.require_found(response, trial.after)
        expect.status(response, 200)


def _require_replay(response: Exchange) -> None:
    """Inconclusive unless the same request with the usual media type was served."""
    if response.status != 200:
        raise Inconclusive(f"the replay returned {response.describe()}", exchanges=[response.id])


def _call(trial: Trial, approvals: Approvals) -> Call:
    return approvals.call(trial.review.id, trial.review.revision, trial.key)
