"""The targets of a fleet, and which of them a command is about."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conformance.target.demands import Demands


@dataclass(frozen=True)
class FleetProfile:
    """The profile of a target: its text, the name of its file, and the folder of its commands.

    `variables` are the environment variables that it names. `spends`: it lets a run approve
    reviews. `demands` is what whoever starts the fleet has to allow.
    """

    text: str = field(repr=False)
    name: str
    folder: str
    variables: frozenset[str] = frozenset()
    spends: bool = False
    demands: Demands | None = None


@dataclass(frozen=True)
class Schedule:
    """Hints for the order: a higher `priority` is run earlier, and then what takes longer.

    Runs with the same `exclusive` do not overlap; by default that is the name of the target.
    """

    priority: int = 0
    duration: float | None = None  # seconds; None: as long as it took the last time
    exclusive: str | None = None


@dataclass(frozen=True)
class RunSettings:
    """How each run of a target is performed; None: as `conformance run` does by default."""

    depth: str = "standard"
    seed: int = 1
    classes: tuple[str, ...] = ()
    known_failures: str | None = None  # the text of the file
    max_time: float | None = None  # seconds
    max_requests: int | None = None
    max_memory: int | None = None  # megabytes
    environment: tuple[str, ...] = ()  # further variables that its commands need


@dataclass(frozen=True)
class FleetTarget:
    """One target; without a profile it is the bundled reference.

    `needs` are the resources that a worker must offer. `retries` is how often a run is repeated
    that the target was not there for, or that our own error ended.
    """

    name: str
    profile: FleetProfile | None
    labels: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    retries: int = 1
    settings: RunSettings = RunSettings()
    schedule: Schedule = Schedule()

    @property
    def spends(self) -> bool:
        """Whether a run may approve reviews that somebody would miss."""
        return self.profile is not None and self.profile.spends

    @property
    def demands(self) -> Demands | None:
        """What its run does beside requests, with the variables that its commands get."""
        stated = self.profile.demands if self.profile else None
        return stated and stated.with_environment(self.settings.environment)

    @property
    def exclusive(self) -> str:
        """What it shares with the targets that must not be checked at the same time."""
        return self.schedule.exclusive or self.name

    def environment(self, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The variables that its profile and its settings name, as far as they are set."""
        named = {*self.settings.environment, *(self.profile.variables if self.profile else ())}
        return {name: environ[name] for name in sorted(named) if name in environ}


@dataclass(frozen=True)
class Environment:
    """Where a version may be deployed to, and what has to be known of it before.

    `require` has conformance classes and requirements, () what the gate of the run requires;
    `max_age` is in days. `evidence` are the labels or names of the targets whose runs count, ()
    all. None: it does not matter.
    """

    name: str
    require: tuple[str, ...] = ()
    revision: str | None = None
    max_age: int | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fleet:
    """A fleet file."""

    name: str
    targets: tuple[FleetTarget, ...]
    environments: Mapping[str, Environment] = field(default_factory=dict, hash=False)

    def selected(self, labels: Sequence[str], shard: tuple[int, int]) -> tuple[FleetTarget, ...]:
        """The targets with one of these labels or names, all without labels; of shard k of n.

        Shards are the same on every machine, and differ by at most one target.
        """
        chosen = [each for each in self.targets if _is_chosen(each, labels)]
        number, of = shard
        return tuple(sorted(chosen, key=lambda each: each.name)[number - 1 :: of])


def _is_chosen(target: FleetTarget, labels: Sequence[str]) -> bool:
    return not labels or not {target.name, *target.labels}.isdisjoint(labels)
