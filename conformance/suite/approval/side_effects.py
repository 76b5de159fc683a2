"""What an approval does to other reviews (States and transitions)."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Exchange
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.bystanders import is_tied, likeness
from conformance.suite.approval.review import shown_revision
from conformance.suite.approval.trial import Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data

REPEATED = 3
MOST_TRIALS = 5
"""Trials that have to change a review far away before they are blamed for it, and all of them."""
OTHERWISE = defect(
    Kind.EFFECT, "another review was approved as well", expected="one review approved"
).on("status")


@dataclass(frozen=True)
class SideEffects:
    """The effects of a trial on other reviews, which other clients may have had as well."""

    trial: Trial
    approvals: Approvals
    trials: Trials

    def check_approved_beside(self) -> None:
        """Raise Violation where watched reviews were approved together with that of the trial."""
        found = self.trial.also_approved
        if len(found) == 1 and self._is_by_others(found[0]):
            return
        where = (in_data(read, "status") for read in found)
        expect.that(not found, OTHERWISE.at(*where), self.trial.approval, *found)

    def check_approved_afar(self) -> None:
        """Raise Violation where trials approve reviews on later pages of the list."""
        found = self.trial.also_approved_afar
        again = self._repetition(lambda trial: trial.also_approved_afar) if found else ()
        listed = self._listed(again)
        if listed is None or self.approvals.reader.others_approve(listed):
            return
        where = (in_data(read, "status") for read in found)
        expect.violated(OTHERWISE.at(*where), self.trial.approval, *found)

    def check_revised(self) -> None:
        """Raise Violation where trials give unrelated reviews another revision."""
        found = self.trial.also_revised
        listed = self._listed(found)
        if listed is None or self._others_revise(listed):
            return
        if not self._repetition(lambda trial: trial.also_revised):
            return
        otherwise = defect(
            Kind.EFFECT,
            "an unrelated review got another revision as well",
            expected="one review changed",
            actual=shown_revision(found[0]),
        ).on("subjectRevision")
        where = (in_data(read, "subjectRevision") for read in found)
        expect.violated(otherwise.at(*where), self.trial.approval, *found)

    def _others_revise(self, listed: str) -> bool:
        """Whether others revise reviews, between reads or while an approval takes its time."""
        is_revised = self.approvals.reader.others_revise(listed)
        return is_revised or self.trials.are_subjects_revised

    def _is_by_others(self, read: Exchange) -> bool:
        """Whether another client may have approved one review: no further approval repeats it.

        The further one is that of a review which has another like this one.
        That shows nothing where the review is at an end of the list, which a target may always
        pick, where it alone is tied to that of the trial as no others are, or where another trial
        has already repeated it. Then, and where it is repeated now, the list shows whether others
        approve at all.
        """
        id = read.call.path["reviewId"]
        records = self.approvals.reader.listed()
        ids = [record["id"] for record in records]
        found = next((each for each in records if each["id"].lower() == id.lower()), None)
        listed = None if found is None else found["id"]
        is_at_end = listed is not None and listed in (ids[0], ids[-1])
        scheme = self.trial.scheme
        is_repeated = any(other.also_approved for other in self.trials.all_but(scheme))
        own = self.trial.review.record
        alike = likeness(own, found or {}, records)
        left = [each for each in records if each["id"] in self.approvals.pool.ids]
        is_unlike = is_tied(own, found or {}) and not any(map(alike, left))
        if listed is None or not (is_at_end or is_repeated or is_unlike):
            try:
                if not self.trials.further(scheme, alike).also_approved:
                    return True
            except Inconclusive:  # none is left
                return False
        # What another client approves now and then may repeat it by chance.
        return listed is not None and self.approvals.reader.others_approve(listed)

    def _repetition(self, effect: Callable[[Trial], Sequence[Exchange]]) -> Sequence[Exchange]:
        """The effect of the last one of several trials that have it; empty if too few have it."""
        scheme = self.trial.scheme
        seen = [effect(other) for other in (self.trial, *self.trials.all_but(scheme))]
        with suppress(Inconclusive):  # no review is left
            while sum(map(bool, seen)) < REPEATED and len(seen) < MOST_TRIALS:
                seen.append(effect(self.trials.further(scheme)))
        found = [reads for reads in seen if reads]
        return found[-1] if len(found) >= REPEATED else ()

    def _listed(self, reads: Sequence[Exchange]) -> str | None:
        """The first review in the list that one of these reads shows; None without one."""
        lower = {read.call.path["reviewId"].lower() for read in reads}
        ids = (record["id"] for record in self.approvals.reader.listed())
        return next((id for id in ids if id.lower() in lower), None)
