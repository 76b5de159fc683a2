"""A used key that is sent for another review (States and transitions)."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Exchange
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import Review, in_former_state, is_approved, record_of
from conformance.suite.approval.trial import Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.lists.live import Live


@dataclass(frozen=True)
class Transfer:
    """The key of a trial, sent for another review, and that review as read afterwards."""

    trial: Trial
    other: Review
    response: Exchange
    after: Exchange

    @property
    def conforms(self) -> bool:
        """Whether it was rejected without effect, or really approved the other review."""
        if self.response.status != 200:
            return self.response.status == 409 and not is_approved(self.after)
        # A service whose results never carry the id of their review fails another requirement.
        is_of_other = _is_of(self.other, self.response) or not _is_of(
            self.trial.review, self.trial.approval
        )
        return is_of_other and not in_former_state(self.other, self.after)


def _is_of(review: Review, response: Exchange) -> bool:
    return str(record_of(response).get("id", review.id)).lower() == review.id.lower()


def transfers(live: Live, approvals: Approvals, trials: Trials) -> Iterator[Transfer]:
    """Send the first trial's key for another review; the next trial's too if that approved none."""
    first = trials.first()
    transfer = transferred(approvals, first)
    yield transfer
    schemes = [
        scheme for scheme in live.callers.credential("primary").schemes if scheme != first.scheme
    ]
    with suppress(Inconclusive):  # another review may not be left
        others = [trials.by(scheme) for scheme in schemes]
        for trial in others:
            if trial.approval.status == 200 and transfer.response.status == 409:
                yield transferred(approvals, trial)


def transferred(approvals: Approvals, trial: Trial) -> Transfer:
    """Send the key of a trial for another review."""
    # At the same revision both bodies are equal: only the path distinguishes the requests.
    other = approvals.pool.take(
        lambda record: record.get("subjectRevision") == trial.review.revision
    )
    purpose = "a key that was used for another review"
    response = approvals.approve(other, trial.key, scheme=trial.scheme, purpose=purpose)
    succeeded = response.status == 200
    reader = approvals.reader
    after = reader.read_approved(other) if succeeded else reader.read(other.id)
    if not approvals.is_spent(other, after):
        approvals.pool.give_back(other)
    return Transfer(trial, other, response, after)
