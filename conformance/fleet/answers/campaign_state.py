"""A campaign as a whole: the last attempt on each target, and what changed since before."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from conformance.contract.verdict import Verdict
from conformance.fleet.answers import changes, overview, standing
from conformance.fleet.answers.changes import COUNTED, Changes, Pair
from conformance.fleet.answers.overview import Counts
from conformance.fleet.memory import reading
from conformance.fleet.memory.reading import Campaign, Run, Stated, VerdictOf


@dataclass(frozen=True)
class CampaignState:
    """A campaign; `changed` has the targets with changes since their last complete run before.

    `failed` has the failures of each target, by requirement and operation.
    """

    campaign: Campaign
    runs: Sequence[Run]
    counts: Mapping[int, Counts]
    changed: Mapping[str, Changes]
    failed: Mapping[str, Mapping[Pair, VerdictOf]]
    stated: Mapping[str, Stated]

    @property
    def outcomes(self) -> dict[str, int]:
        """How many targets have each outcome; those without one are under way."""
        return dict(Counter(run.outcome or run.state for run in self.runs))

    def failing(self, requirement: str) -> dict[str, list[str]]:
        """The targets that fail a requirement, with the operations; none: as a whole."""
        return {
            target: [operation for id, operation in pairs if id == requirement and operation]
            for target, pairs in self.failed.items()
            if any(id == requirement for id, _ in pairs)
        }


def of(connection: Connection, campaign: Campaign) -> CampaignState:
    """A campaign with the last attempt of each of its targets."""
    runs = reading.latest(reading.runs(connection, campaign.id))
    stated = standing.statements(connection, runs)
    changed, failed = {}, {}
    for run in (each for each in runs if each.verdict is not None):
        since = standing.since_previous(connection, run)
        if since:
            changed[run.target] = since
        failed[run.target] = _failed(reading.verdicts(connection, run.id), stated)
    return CampaignState(
        campaign, runs, overview.class_counts(connection, runs), changed, failed, stated
    )


def _failed(verdicts: Sequence[VerdictOf], stated: Mapping[str, Stated]) -> dict[Pair, VerdictOf]:
    found = changes.by_pair(verdicts)
    return {
        pair: found[pair]
        for pair in sorted(changes.finest(found))
        if found[pair].verdict == Verdict.FAIL and stated[pair[0]].level in COUNTED
    }
