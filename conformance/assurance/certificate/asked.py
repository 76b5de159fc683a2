"""What the run of a certificate was asked for, as values that this suite knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.contract import requirements, revisions
from conformance.runner.depth import DEPTHS
from conformance.runner.shard import Shard

LARGEST_SEED = 2**63
MOST_SHARDS = 1_000_000


class Unknown(ValueError):
    """A request that this suite cannot perform; str() has the key and the value."""


@dataclass(frozen=True)
class Asked:
    """The options of a run; no text of a file is among them that this suite does not know."""

    depth: str
    seed: int
    classes: tuple[str, ...]
    required: tuple[str, ...]
    revision: str | None
    shard: Shard | None
    rounds: int

    @property
    def options(self) -> dict[str, Any]:
        """The values of the options of pytest, by their destination."""
        return {
            "conformance_depth": self.depth,
            "conformance_seed": self.seed,
            "conformance_class": list(self.classes),
            "conformance_require": list(self.required),
            "conformance_revision": self.revision,
            "conformance_shard": self.shard,
        }


def read(run: Mapping[str, Any], exchanges: int) -> Asked:
    """What run.json asks for, of a run with so many exchanges. Raises Unknown."""
    suite = run["suite"]
    known = (*requirements.CLASSES, *requirements.load())
    return Asked(
        depth=_one("depth", suite.get("depth"), tuple(DEPTHS)),
        seed=_number("seed", suite.get("seed"), -LARGEST_SEED, LARGEST_SEED),
        classes=_some("classes", suite.get("classes"), requirements.CLASSES),
        required=_some("required", run["required"], known),
        revision=_one("revision", suite["revision"], revisions.names())
        if "revision" in suite
        else None,
        shard=_shard(suite["shard"]) if "shard" in suite else None,
        # Each round has an exchange at least.
        rounds=_number("rounds", suite.get("rounds", 0), 0, exchanges),
    )


def _one(key: str, stated: object, known: Sequence[str]) -> str:
    if not isinstance(stated, str) or stated not in known:
        raise Unknown(f"run.json asks for the {key} {stated!r:.60}, which this suite does not know")
    return stated


def _some(key: str, stated: object, known: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(stated, list):
        raise Unknown(f"run.json has no list of {key}")
    return tuple(_one(key, each, known) for each in stated)


def _number(key: str, stated: object, least: int, most: int) -> int:
    if type(stated) is not int or not least <= stated <= most:
        raise Unknown(f"run.json asks for the {key} {stated!r:.60}: no number of this suite")
    return stated


def _shard(stated: object) -> Shard:
    if not isinstance(stated, dict):
        raise Unknown("run.json has a shard without its number")
    count = _number("shards", stated.get("of"), 1, MOST_SHARDS)
    return Shard(_number("shard", stated.get("number"), 1, count), count)
