"""Fuzzing: requests generated from the contract, sent to every operation (Endpoints, Errors).

The rules check the response to each of them; these checks look for failures of the service.
"""

from dataclasses import replace

from conformance.contract.identifiers import EXTREMES
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call
from conformance.http.sending import Sending
from conformance.rules import response as form
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.fuzzing import odd_values
from conformance.suite.fuzzing.fuzz import Fuzz, RequestSource, failure
from conformance.suite.fuzzing.generate import Mode
from conformance.suite.lists.live import LISTS, Live
from conformance.target.target import Credential

ODD_KEYS = (
    *("", " ", "a'b\"c", "Schl\u00fcssel \u65e5\u672c \U0001f511", "k" * 300),
    *("k\0", "k\ud800"),  # what some databases and encoders cannot hold
    "k\n\x1b%_\\",  # control characters, and those with a meaning in patterns
    "".join(f"{number**3 % 65_521:x}" for number in range(2_000)),  # too long for an index
)
ODD_REVISIONS = (2**31, 2**63, -(2**63) - 1, 10**30)


@requirement("arguments/accepted")
def test_generated_valid_arguments_are_accepted(
    operation: Operation, live: Live, request_source: RequestSource
) -> None:
    """Generated requests within the contract are served."""
    Fuzz(operation, Mode.POSITIVE, live, request_source).run()


@requirement("arguments/no-failure", observes="observe/parameters")
def test_generated_invalid_arguments_cause_no_failure(
    operation: Operation, live: Live, request_source: RequestSource
) -> None:
    """Generated requests outside the contract, and any approvals, cause no failure."""
    if operation.writes:
        if not live.session.target.consent.fuzz_writes:
            raise Inconclusive(
                f"fuzzing {operation.id} has no consent", needs=("consent.fuzz-writes",)
            )
        Fuzz(operation, Mode.POSITIVE, live, request_source).run()
    Fuzz(operation, Mode.NEGATIVE, live, request_source).run()  # the smallest requests come first
    if operation.is_list:
        _check_odd_cursors(operation, live)
    if operation.writes:
        _check_odd_approvals(operation, live)
    else:
        _check_odd_values(operation, live)


def _check_odd_values(operation: Operation, live: Live) -> None:
    """Violation where the service fails for values that few clients send."""
    live.callers.require_baseline(live.call(operation))
    for response in odd_values.responses(operation, live):
        expect.that(response.status != 500, failure(response), response)
        if response.response is None:
            continue
        judged = form.examine(response.response, live.session.contract.statuses)
        for problem in [each.problem for each in judged if each.defect is not None][:1]:
            subject = f"{operation.id}: {response.purpose}"
            found = f"{response.describe()}: {problem}"
            live.session.observe("observe/parameters", subject, found)


def _check_odd_cursors(operation: Operation, live: Live) -> None:
    """Violation where the service fails for a cursor that it did not issue for this list.

    One of another list, or in upper case, may be rejected, or be good for a page.
    """
    name = live.session.name(operation, "cursor")
    if name is None:
        return
    cursors = {
        "a cursor that was never issued": live.made_up("unissued cursor"),
        **{f"the cursor {extreme}": extreme for extreme in EXTREMES},
    }
    if (issued := _issued(operation, live)) is not None:
        cursors["a cursor in upper case"] = issued.upper()
    elsewhere = next(id for id in LISTS.values() if id != operation.id)
    if (other := _issued(live.operation(elsewhere), live)) is not None:
        cursors["the cursor of another list"] = other
    outsider = live.session.target.credentials.get("outsider")
    if outsider is not None and (theirs := _issued(operation, live, outsider)) is not None:
        cursors["the cursor of another caller"] = theirs
    primary, call = live.callers.credential("primary"), live.call(operation)
    requests = [
        (call.asking(**{name: cursor}), Sending(primary, None, purpose, judge_arguments=False))
        for purpose, cursor in cursors.items()
    ]
    for response in live.callers.send_each(requests):
        expect.that(response.status != 500, failure(response), response)


def _issued(operation: Operation, live: Live, caller: Credential | None = None) -> str | None:
    """A cursor that a list has just issued, to primary or to another caller."""
    call = live.call(operation).asking(limit="1")
    asking = caller or live.callers.credential("primary")
    return live.callers.send(call, asking, purpose="a page of one record").cursor


def _check_odd_approvals(operation: Operation, live: Live) -> None:
    """Violation where the service fails for unusual keys, or revisions beyond most columns."""
    unapprovable = live.session.target.fixtures.unapprovable_reviews
    id = next(iter(unapprovable), live.made_up("odd approval"))
    bodies = [{"expectedSubjectRevision": 1, "idempotencyKey": key} for key in ODD_KEYS]
    bodies += [
        {"expectedSubjectRevision": revision, "idempotencyKey": live.made_up("odd revision")}
        for revision in ODD_REVISIONS
    ]
    call = Call(operation.id, {"reviewId": id})
    calls = [call.carrying(body) for body in bodies]
    calls += [replace(call, body=body) for body in odd_values.BODIES]
    primary = live.callers.credential("primary")
    sendings = [Sending(primary, None, "an odd approval", judge_arguments=False)] * len(calls)
    for response in live.session.client.send_all(calls, sendings):
        expect.that(response.status != 500, failure(response), response)
