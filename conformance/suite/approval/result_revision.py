"""The revision in the result of an approval: the expected one, or one that a read shows."""

from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Exchange
from conformance.rules.judgement import shown
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.result import result_of
from conformance.suite.approval.review import revision_of, shown_revision
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data


def check_revision(approval: Exchange, expected: int, approvals: Approvals, trials: Trials) -> None:
    """Raise Violation unless the result has the expected revision, or one that is read later."""
    data, review = result_of(approval), approval.call.path["reviewId"]
    result = data.get("subjectRevision")
    if isinstance(result, bool) or not isinstance(result, int | float):
        return  # a value of another type violates approval/result
    if str(data.get("id", review)).lower() != review.lower():
        return  # the result of another review violates approval/result-status
    if result == expected:
        return
    read = approvals.reader.read_until(review, lambda read: shown_revision(read) == result)
    revision = revision_of(read)
    otherwise = defect(
        Kind.VALUE,
        "subjectRevision of the result is {value}",
        expected=f"{expected} or {revision}",
        actual=result,
        value=shown(result),
    )
    where = in_data(approval, "subjectRevision")
    # Where others have revised the subject since, the review shows a later one.
    is_earlier = expected < result < revision
    is_right = result == revision or (is_earlier and trials.are_subjects_revised)
    expect.that(is_right, otherwise.on("subjectRevision").at(where), approval, read)
