"""The order of the checks of a run: the first depth of each, and those first that find most.

A run begins with the checks of depth smoke, approvals included, and goes on with those of depth
quick, so that a short run is the beginning of a long one; the others follow. It is made of what
each check costs on the reference, and which mutants it finds (`tests/support/generate_order.py`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.runner import selection
from conformance.runner.context import Context
from conformance.runner.items import name_of
from conformance.runner.stash import PERFORM

SHIPPED = Path(__file__).with_name("order.json")
"""The names of the checks of each depth, and of those of them that widen."""

SMOKE, QUICK, WIDE = "smoke", "quick", "standard"
DEPTHS = (SMOKE, QUICK)
"""The depths that a wider run begins with, the narrowest one first."""
WIDENING = "widening"
"""The checks of each depth whose requests depend on it: a wider run performs them again."""


@cache
def shipped() -> Mapping[str, Any]:
    """The shipped order."""
    known: Mapping[str, Any] = json.loads(SHIPPED.read_bytes())
    return known


def checks_of(depth: str) -> Sequence[str]:
    """The names of the checks of a depth, those first that find most by their requests."""
    names: Sequence[str] = shipped()[depth]
    return names


def widening(depth: str) -> Sequence[str]:
    """The names of those whose requests depend on the depth."""
    names: Sequence[str] = shipped()[WIDENING][depth]
    return names


def select(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave out what the depth of a run does not include.

    A wider run of the whole suite begins with checks at the depths before it that are performed
    again. What --only or --last-failed names is checked at every depth.
    """
    if selection.of(config) is not None:
        return
    depth = config.getoption("conformance_depth")
    checks = {name_of(item): item for item in items if item.get_closest_marker("requirement")}
    included = set(_included(depth, checks))
    left_out = [item for name, item in checks.items() if name not in included]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    narrower = _narrower(depth)
    is_whole = all(checks.keys() >= set(checks_of(each)) for each in narrower)
    if is_whole and not _is_distributed(config):
        items += [_narrow(checks[name], each) for each in narrower for name in widening(each)]


def _narrower(depth: str) -> Sequence[str]:
    """The depths that a run begins with before its own."""
    return DEPTHS[: DEPTHS.index(depth)] if depth in DEPTHS else DEPTHS


def _included(depth: str, names: Iterable[str]) -> Iterable[str]:
    """The checks of a run; those that the order does not know belong to deeper ones."""
    if depth == SMOKE:
        return checks_of(SMOKE)
    if depth == QUICK:
        return [*set(checks_of(SMOKE)).difference(widening(SMOKE)), *checks_of(QUICK)]
    return names


def _is_distributed(config: pytest.Config) -> bool:
    """Whether workers of xdist perform the checks, in no order of ours."""
    return hasattr(config, "workerinput") or bool(config.getoption("numprocesses", None))


def _narrow(item: pytest.Item, depth: str) -> pytest.Item:
    """The same check at a narrower depth."""
    assert isinstance(item, pytest.Function)
    case = item.name.removeprefix(item.originalname).strip("[]")
    cases = "-".join(filter(None, (case, depth)))
    narrow: pytest.Item = pytest.Function.from_parent(
        item.parent,
        name=f"{item.originalname}[{cases}]",
        callspec=getattr(item, "callspec", None),
        fixtureinfo=item._fixtureinfo,
        originalname=item.originalname,
    )
    return narrow


def is_narrow(item: pytest.Item) -> bool:
    """Whether a check is performed at a narrower depth, and once more later."""
    return _narrowed_to(item) is not None


def _narrowed_to(item: pytest.Item) -> str | None:
    return next((each for each in DEPTHS if item.name.endswith((f"-{each}]", f"[{each}]"))), None)


def rounds(config: pytest.Config) -> Sequence[str]:
    """The rounds of a run by their depths; the last one is that of the run."""
    depth: str = config.getoption("conformance_depth")
    return (*_narrower(depth), depth)


def round_of(item: pytest.Item) -> str:
    """The round in which a check is performed."""
    depth: str = item.config.getoption("conformance_depth")
    return _narrowed_to(item) or _depths(depth).get(name_of(item), depth)


@cache
def _depths(depth: str) -> Mapping[str, str]:
    """The first depth at which each check is performed as in the whole of a run of this depth."""
    narrowed = {each: frozenset(widening(each)) for each in _narrower(depth)}
    return {
        name: each
        for each in reversed(DEPTHS)
        for name in checks_of(each)
        if name not in narrowed.get(each, ())
    }


def check_of(item: pytest.Item) -> str:
    """The name of the check of an item, at whichever depth it performs it."""
    name = name_of(item)
    narrowed = _narrowed_to(item)
    if narrowed is None:
        return name
    return name.replace(f"[{narrowed}]", "").replace(f"-{narrowed}]", "]")


def rank(item: pytest.Item) -> int:
    """The place of a check in the order; what the order does not know comes last."""
    return _ranks().get(check_of(item), len(_ranks()))


@cache
def _ranks() -> Mapping[str, int]:
    known = [name for depth in (*DEPTHS, WIDE) for name in checks_of(depth)]
    return {name: place for place, name in reversed([*enumerate(known)])}


def perform(item: pytest.Function, context: Context) -> None:
    """Perform the check of an item.

    What is too little to see anything at a narrower depth is no gap, and what little shows is no
    observation: it is performed once more.
    """
    check = partial(item.config.stash[PERFORM], item, context)
    if not is_narrow(item):
        check()
        return
    try:
        check()
    except Inconclusive as reason:
        raise NotApplicable(f"too little at depth {_narrowed_to(item)}: {reason}") from reason
    finally:
        context.observations.clear()
