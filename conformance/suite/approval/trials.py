"""The trials of a run, one for each scheme: each is run when the first check asks for it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Exchange
from conformance.runner.context import Context
from conformance.runner.facts import fact_name
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import ahead
from conformance.suite.approval.plan import STALE_KIND
from conformance.suite.approval.review import Record, in_former_state, is_withheld
from conformance.suite.approval.review_pool import NEEDS
from conformance.suite.approval.trial import Attempt, NoneLeftToApprove, Trial
from conformance.suite.approval.trial_runner import TrialRunner
from conformance.suite.lists.live import Live

Value = TypeVar("Value")
FORBIDDEN, NOT_FOUND, CONFLICT = 403, 404, 409


class Trials:
    """The trials of a run, each a fact of it; that by primary's first scheme has every attempt."""

    def __init__(self, session: Context, live: Live, approvals: Approvals) -> None:
        self._live = live
        self._approvals = approvals
        self._runner = TrialRunner(session, live, approvals)

    def require_consent(self) -> None:
        """Raise Inconclusive unless the profile allows approvals here."""
        self._approvals.pool.require_consent()

    def by(self, scheme: str) -> Trial:
        """The trial of a review that primary approves by this scheme."""
        self._live.callers.credential_with("primary", scheme)
        return self._fact("trial", lambda trials: trials._run(scheme), scheme)

    def _fact(self, kind: str, find: Callable[["Trials"], Value], *parts: str) -> Value:
        return self._live.fact(fact_name(kind, *parts), lambda live: find(_of(live)))

    def _run(self, scheme: str) -> Trial:
        if scheme == self._schemes[0]:
            return self._runner.full(scheme)
        return self._runner.short(scheme, self.first())

    @property
    def _schemes(self) -> Sequence[str]:
        return self._live.callers.credential("primary").schemes

    def first(self) -> Trial:
        """The trial with every attempt."""
        return self.by(self._schemes[0])

    def _all(self) -> list[Trial]:
        """The trials by all schemes, the first one first; without those that lack a review.

        A narrow run has one, but for checks of another scheme.
        """
        trials = [self.first()]
        for scheme in self._live.session.some(self._schemes)[1:]:
            with suppress(Inconclusive):
                trials.append(self.by(scheme))
        return trials

    @property
    def schemes(self) -> list[str]:
        """The schemes of primary, without those by which it may not approve as by the first one."""
        return [scheme for scheme in self._schemes if not self._holds_less(scheme)]

    def _holds_less(self, scheme: str) -> bool:
        """Whether primary may not approve by a scheme, and may by its first one."""
        if self.first().approval.status != 200:
            return False
        with suppress(Inconclusive):
            return self.by(scheme).approval.status == FORBIDDEN
        return False

    def _require_entitled(self, scheme: str) -> None:
        if self._holds_less(scheme):
            raise NotApplicable(f"primary may not approve by {scheme}, and may otherwise")

    def all_but(self, scheme: str) -> list[Trial]:
        """The trials by other schemes."""
        return [trial for trial in self._all() if trial.scheme != scheme]

    def further(self, scheme: str, worth: Callable[[Record], int] | None = None) -> Trial:
        """A trial of yet another review, without attempts; Inconclusive where none is left.

        It is that of the review whose record in the list is worth the most.
        """
        return self._runner.plain(scheme, self.first(), worth)

    def approved(self, scheme: str) -> Trial:
        """The trial by a scheme; Inconclusive where its approval failed: others report that.

        NotApplicable where primary may approve by its first scheme alone: its check shows the same.
        """
        self.require_consent()
        self._live.callers.credential_with("primary", scheme)
        trial = self.by(scheme)
        self._require_entitled(scheme)
        if trial.approval.status != 200:
            raise _not_approved(trial)
        return trial

    def baseline(self, scheme: str | None = None) -> Trial:
        """The first trial.

        Raises Inconclusive unless its approval succeeded, and that by `scheme` if primary has it.
        """
        self.require_consent()
        trials = [self.first()]
        if scheme is not None and scheme in self._schemes:
            # Where no review is left to show that the scheme works, the first trial has to do.
            with suppress(Inconclusive):
                trials.append(self.by(scheme))
        for trial in trials:
            if trial.approval.status != 200:
                raise _not_approved(trial)
        return trials[0]

    def entitled(self, scheme: str) -> Trial:
        """The first trial, as `baseline`, for a check that is performed by each scheme.

        NotApplicable where primary may approve by its first scheme alone.
        """
        self.require_consent()
        self._require_entitled(scheme)
        return self.baseline(scheme)

    def attempt(self, label: str, scheme: str | None = None) -> Attempt:
        """An attempt of the first trial.

        Raises Inconclusive unless the same request without its defect succeeded by the same scheme,
        or the attempt itself took the last review.
        """
        taking = self.taking_the_last()
        if label in taking:
            return taking[label]
        trial = self.baseline() if scheme is None else self.entitled(scheme)
        if label not in trial.attempts:
            raise Inconclusive(f"no approvable review was left to attempt: {label}", needs=NEEDS)
        found = trial.attempts[label]
        if found.response.status == FORBIDDEN and found.response.credential == "primary":
            # The credential of this scheme may hold less than the other one of primary.
            self.entitled(str(found.response.scheme))
        return found

    def taking_the_last(self) -> Mapping[str, Attempt]:
        """The attempts that took the last review, so that none was left to approve.

        Where the approval itself failed, those that succeeded: a success needs no baseline.
        """
        self.require_consent()
        found: Mapping[str, Attempt] = {}
        try:
            trial = self.first()
            if trial.approval.status != 200:
                each = trial.attempts.items()
                found = {label: made for label, made in each if made.response.status == 200}
        except NoneLeftToApprove as problem:
            found = problem.attempts
        except Inconclusive:
            pass
        return {label: attempt for label, attempt in found.items() if not attempt.is_overtaken}

    def attempts(self, label: str, scheme: str) -> list[Attempt]:
        """An attempt of the first trial, and the same attempt of the other trials.

        Their reviews are of other kinds, where the target has several.
        """
        own = self.attempt(label, scheme)
        if label in self.taking_the_last():
            return [own]
        _, *others = self._all()
        succeeded = [trial for trial in others if trial.approval.status == 200]
        return [own, *(each.attempts[label] for each in succeeded if label in each.attempts)]

    def stale_attempts(self) -> list[Attempt]:
        """Every attempt of any trial with a revision that was not the current one."""
        return self.of_kind(STALE_KIND)

    def of_kind(self, kind: str) -> list[Attempt]:
        """Every attempt of any trial that is of a kind."""
        attempts = (each for trial in self._all() for each in trial.attempts.values())
        return [attempt for attempt in attempts if attempt.kind == kind]

    def not_overtaken(self, stale: Sequence[Attempt]) -> list[Attempt]:
        """The stale attempts but those whose revision another client may have made.

        One such attempt is excused anyway, several only where subjects are revised by others.
        """
        overtaken = [attempt for attempt in stale if attempt.is_overtaken]
        if len(overtaken) > 1 and not self.are_subjects_revised:
            del overtaken[1:]
        excused = {attempt.response.id for attempt in overtaken}
        return [attempt for attempt in stale if attempt.response.id not in excused]

    def require_unrevised(self, response: Exchange) -> None:
        """Inconclusive where others may have revised the subject before each of several approvals.

        `response` is that of the last one, a conflict.
        """
        if self.are_subjects_revised:
            raise Inconclusive(
                "others revised the subject before each approval",
                needs=("a review whose subject is not revised",),
                exchanges=[response.id],
            )

    @property
    def are_subjects_revised(self) -> bool:
        """Whether a review that this run does not approve gets another revision, or is withheld.

        It is watched while stale approvals of another, approved review take their time.
        """
        return self._fact("revisions", Trials._are_subjects_revised, "by-others")

    def _are_subjects_revised(self) -> bool:
        trial = self.first()
        # A stale attempt must not approve a review that is not approved yet.
        is_approved = trial.approval.status == 200
        id = trial.review.id if is_approved else self._live.made_up("no review")
        try:
            review = self._approvals.pool.pending()
        except Inconclusive:  # none is left to show it
            return False
        reader = self._approvals.reader
        for number in range(2 * len(self.stale_attempts())):
            self._send_stale(id, ahead(trial.review.revision), number)
            if reader.revised(review) is not None or is_withheld(reader.read(review.id)):
                return True
        return False

    def _send_stale(self, id: str, revision: int, number: int) -> None:
        key = self._approvals.key(id, f"stale meanwhile {number}")
        call = self._approvals.call(id, revision, key)
        self._live.callers.send(call, purpose="a stale approval, while others may revise subjects")

    def are_readable(self) -> bool:
        """Whether no review that was approved in a trial still shows its former status."""
        return self.in_former_state() is None

    def in_former_state(self) -> Trial | None:
        """The first trial whose review still shows its former status after the approval."""
        first, *others = self._all()
        approved = [trial for trial in others if trial.approval.status == 200]
        read = ((each, in_former_state(each.review, each.after)) for each in (first, *approved))
        return next((trial for trial, is_former in read if is_former), None)


def _of(live: Live) -> Trials:
    return Trials(live.session, live, Approvals(live.session, live))


def _not_approved(trial: Trial) -> Inconclusive:
    is_about_review = trial.approval.status in (NOT_FOUND, CONFLICT)
    return Inconclusive(
        f"the approval by {trial.scheme} returned {trial.approval.describe()}",
        needs=NEEDS if is_about_review else (),
        exchanges=[trial.approval.id],
    )
