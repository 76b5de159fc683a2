"""What an approval does to other reviews (States and transitions)."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Exchange
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import place, shown_revision
from conformance.suite.approval.trial import Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect

READS = 64
"""More than twice as many as there are from before an approval until others have been read.

Who approves now and then, and by chance in that time, does so in this time as well.
"""
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
        if len(found) == 1 and self._is_by_others(found[0].call.path["reviewId"]):
            return
        where = (place(read, "status") for read in found)
        expect.that(not found, OTHERWISE.at(*where), self.trial.approval, *found)

    def check_approved_afar(self) -> None:
        """Raise Violation where trials approve reviews on later pages of the list."""
        found = self.trial.also_approved_afar
        others_approve = self.approvals.reader.others_approve
        if found and self._is_repeated(lambda trial: trial.also_approved_afar, others_approve):
            where = (place(read, "status") for read in found)
            expect.violated(OTHERWISE.at(*where), self.trial.approval, *found)

    def check_revised(self) -> None:
        """Raise Violation where trials give unrelated reviews another revision."""
        found = self.trial.also_revised
        others_revise = self.approvals.reader.others_revise
        if not found or not self._is_repeated(lambda trial: trial.also_revised, others_revise):
            return
        otherwise = defect(
            Kind.EFFECT,
            "an unrelated review got another revision as well",
            expected="one review changed",
            actual=shown_revision(found[0]),
        ).on("subjectRevision")
        where = (place(read, "subjectRevision") for read in found)
        expect.violated(otherwise.at(*where), self.trial.approval, *found)

    def _is_by_others(self, id: str) -> bool:
        """Whether another client may have approved one review: no further approval repeats it.

        That shows nothing where the review is at an end of the list, which a target may always
        pick, or where another trial has already repeated it. Then, and where it is repeated now,
        the list shows whether others approve at all.
        """
        ids = [record["id"] for record in self.approvals.reader.listed()]
        listed = next((each for each in ids if each.lower() == id.lower()), None)
        is_at_end = listed is not None and listed in (ids[0], ids[-1])
        scheme = self.trial.scheme
        is_repeated = any(other.also_approved for other in self.trials.all_but(scheme))
        if listed is None or not (is_at_end or is_repeated):
            try:
                if not self.trials.further(scheme).also_approved:
                    return True
            except Inconclusive:  # none is left
                return False
        # What another client approves now and then may repeat it by chance.
        return listed is not None and self.approvals.reader.others_approve(listed, READS)

    def _is_repeated(
        self,
        effect: Callable[[Trial], list[Exchange]],
        is_by_others: Callable[[str, int], bool],
    ) -> bool:
        """Whether several trials have an effect on another review each.

        It shows nothing where others have such effects too.
        """
        scheme = self.trial.scheme
        seen = [effect(other) for other in (self.trial, *self.trials.all_but(scheme))]
        with suppress(Inconclusive):  # no review is left
            while sum(map(bool, seen)) < REPEATED and len(seen) < MOST_TRIALS:
                seen.append(effect(self.trials.further(scheme)))
        found = [reads for reads in seen if reads]
        lower = {read.call.path["reviewId"].lower() for read in found[-1]}
        ids = [record["id"] for record in self.approvals.reader.listed()]
        listed = next((each for each in ids if each.lower() in lower), None)
        is_repeated = len(found) >= REPEATED and listed is not None
        return is_repeated and not is_by_others(str(listed), READS)
