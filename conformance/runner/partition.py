"""Which checks belong to which shard of a run: the same in every process with the same options."""

import hashlib
import json
from collections.abc import Iterable, Mapping

import pytest

from conformance.report.document_types import ShardEntry
from conformance.runner import durations, order
from conformance.runner.items import name_of, operation_of
from conformance.runner.scheduling import SPENDERS, paginates, spends
from conformance.runner.shard import Shard
from conformance.runner.stash import DURATIONS
from conformance.runner.usage import usage_error

SELECTING = ("keyword", "markexpr", "deselect")
"""The options of pytest that leave out checks."""


def chosen(config: pytest.Config) -> Shard | None:
    """The shard that the options name; None: the whole run. Raises UsageError."""
    shard: Shard | None = config.getoption("conformance_shard")
    if shard is None and config.getoption("conformance_durations_from"):
        raise usage_error("--durations-from balances shards: add --shard k/n")
    return shard


def entry(config: pytest.Config) -> ShardEntry | None:
    """The shard as the report names it; `plan` is one digest for all shards of a run."""
    shard = chosen(config)
    if shard is None:
        return None
    selected = [str(config.getoption(name, None)) for name in SELECTING]
    known = json.dumps([sorted(_known(config).items()), selected])
    digest = hashlib.sha256(known.encode()).hexdigest()
    return {"number": shard.number, "of": shard.count, "plan": digest}


def keep(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave out the checks of other shards; what is no check runs in every shard."""
    shard = chosen(config)
    if shard is None:
        return
    checks = [item for item in items if item.get_closest_marker("requirement")]
    scopes = [_scope(item) for item in checks]
    numbers = assigned(_loads(checks, scopes, _known(config)), shard.count)
    left_out = {
        item for item, scope in zip(checks, scopes, strict=True) if numbers[scope] != shard.number
    }
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def assigned(loads: Mapping[str, float], count: int) -> dict[str, int]:
    """The shard, from 1 on, of each scope: the longest first, to the shard with the least."""
    taken = [0.0] * count
    numbers = {}
    for scope in sorted(loads, key=lambda name: (-loads[name], name)):
        number = min(range(count), key=taken.__getitem__)
        taken[number] += loads[scope]
        numbers[scope] = number + 1
    return numbers


def durations_given(config: pytest.Config) -> Mapping[str, float] | None:
    """The durations of --durations-from; None without it. Raises UsageError."""
    if DURATIONS not in config.stash:
        path = config.getoption("conformance_durations_from")
        try:
            config.stash[DURATIONS] = None if path is None else durations.recorded(path)
        except durations.DurationsError as problem:
            raise usage_error(f"--durations-from {problem}") from None
    return config.stash[DURATIONS]


def _known(config: pytest.Config) -> Mapping[str, float]:
    given = durations_given(config)
    return durations.shipped() if given is None else given


def _scope(item: pytest.Item) -> str:
    """What must not be divided: the checks that approve reviews, and those of one list."""
    if spends(item.nodeid):
        return SPENDERS
    operation = operation_of(item)
    if operation is not None and paginates(item.nodeid):
        return durations.of_pagination(operation)
    return order.check_of(item)


def _loads(
    checks: Iterable[pytest.Item], scopes: Iterable[str], known: Mapping[str, float]
) -> dict[str, float]:
    """The expected duration of each scope."""
    loads: dict[str, float] = {}
    for item, scope in zip(checks, scopes, strict=True):
        duration = durations.of_check(name_of(item), known)
        loads[scope] = loads.get(scope, known.get(scope, 0.0)) + duration
    return loads
