"""Approvals of reviews outside the caller's grant (Authentication).

A caller cannot read such a review, and so does not know its revision: some are tried.
"""

import re
from collections import Counter, deque
from contextlib import suppress

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import revision_of
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.lists.live import Live

MOST_TRIED = 24
FIRST = range(MOST_TRIED)
WHOLE_NUMBER = re.compile(r"\b\d{1,9}\b")
OUT_OF_REACH = frozenset({403, 404})


def check_out_of_reach(
    review: str, scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Violation where primary approves a review outside its grant.

    A 403 or 404 shows that it may not. Any other error may be about the revision: then another one
    is tried, first those that the error names.
    """
    trials.entitled(scheme)
    for spelling in (review, review.upper()):
        likely = deque(likely_revisions(review, live, approvals))
        tried: set[int] = set()
        while likely and len(tried) < MOST_TRIED:
            revision = likely.popleft()
            tried.add(revision)
            response = _approved(spelling, revision, scheme, live, approvals)
            if response.status in OUT_OF_REACH:
                break
            named = [each for each in _numbers(response) if each not in tried]
            likely = deque(dict.fromkeys([*named, *likely]))


def _numbers(response: Exchange) -> list[int]:
    """The numbers that an error names: one of them may be the current revision."""
    error = response.json if isinstance(response.json, dict) else {}
    return [int(number) for number in WHOLE_NUMBER.findall(str(error.get("message", "")))]


def _approved(id: str, revision: int, scheme: str, live: Live, approvals: Approvals) -> Exchange:
    """The response to an approval, which has to be an error."""
    primary = live.callers.credential_with("primary", scheme)
    key = approvals.key(id, f"outside at {revision} by {scheme}")
    approvals.record(id, revision, key)
    call = approvals.call(id, revision, key)
    purpose = "approve a review outside the grant"
    response = live.callers.send(call, primary, scheme, purpose=purpose)
    expect.rejected(response)
    return response


def likely_revisions(review: str, live: Live, approvals: Approvals) -> list[int]:
    """The revision that the outsider can read, or those that most reviews have."""
    outsider = live.session.target.credentials.get("outsider")
    if outsider is not None:
        call = Call("review_get", {"reviewId": review})
        read = live.callers.send(call, outsider, purpose="the review as the outsider reads it")
        with suppress(Inconclusive):
            return [revision_of(read)]
    listed = (record.get("subjectRevision") for record in approvals.reader.listed())
    known = Counter(each for each in listed if isinstance(each, int))
    usual = [revision for revision, _ in known.most_common(MOST_TRIED)]
    return list(dict.fromkeys([*usual, *FIRST]))
