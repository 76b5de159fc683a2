"""The order of the checks of a run: the first depth of each, and those first that find most.

A run begins with the checks of depth smoke, approvals included, so that a short run is the
beginning of a long one; the others follow in this order as well. It is made of what each check
costs on the reference, and which mutants it finds (`tests/support/generate_order.py`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import pytest

from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.runner import selection
from conformance.runner.context import Context
from conformance.runner.items import name_of
from conformance.runner.stash import PERFORM

SHIPPED = Path(__file__).with_name("order.json")
"""The names of the checks of each depth but the last ones, and of those that widen."""

SMOKE, QUICK = "smoke", "quick"
WIDENING = "widening"
"""Checks at depth smoke whose requests depend on the depth: a wider run performs them again."""


@cache
def shipped() -> Mapping[str, Sequence[str]]:
    """The names of checks by depth, those first that find most with the fewest requests."""
    known: dict[str, list[str]] = json.loads(SHIPPED.read_bytes())
    return known


def select(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave out what the depth of a run does not include.

    A wider run of the whole suite begins with checks at depth smoke that are performed again. What
    --only or --last-failed names is checked at every depth.
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
    if depth != SMOKE and not _is_distributed(config) and checks.keys() >= set(shipped()[SMOKE]):
        items += [_narrow(checks[name]) for name in shipped()[WIDENING]]


def _included(depth: str, names: Iterable[str]) -> Iterable[str]:
    """The checks of a run; those that the order does not know belong to every one but the first."""
    known = shipped()
    if depth == SMOKE:
        return known[SMOKE]
    if depth == QUICK:
        return [*set(known[SMOKE]) - set(known[WIDENING]), *known[QUICK]]
    return names


def _is_distributed(config: pytest.Config) -> bool:
    """Whether workers of xdist perform the checks, in no order of ours."""
    return hasattr(config, "workerinput") or bool(config.getoption("numprocesses", None))


def _narrow(item: pytest.Item) -> pytest.Item:
    """The same check at depth smoke."""
    assert isinstance(item, pytest.Function)
    case = item.name.removeprefix(item.originalname).strip("[]")
    cases = "-".join(filter(None, (case, SMOKE)))
    narrow: pytest.Item = pytest.Function.from_parent(
        item.parent,
        name=f"{item.originalname}[{cases}]",
        callspec=getattr(item, "callspec", None),
        fixtureinfo=item._fixtureinfo,
        originalname=item.originalname,
    )
    return narrow


def is_narrow(item: pytest.Item) -> bool:
    """Whether a check is performed at depth smoke, and once more later."""
    return item.name.endswith((f"-{SMOKE}]", f"[{SMOKE}]"))


def is_first(item: pytest.Item) -> bool:
    """Whether a run begins with a check."""
    name, known = name_of(item), shipped()
    return is_narrow(item) or (name in known[SMOKE] and name not in known[WIDENING])


def check_of(item: pytest.Item) -> str:
    """The name of the check of an item, at whichever depth it performs it."""
    return name_of(item).replace(f"[{SMOKE}]", "").replace(f"-{SMOKE}]", "]")


def rank(item: pytest.Item) -> int:
    """The place of a check in the order; what the order does not know comes last."""
    return _ranks().get(check_of(item), len(_ranks()))


@cache
def _ranks() -> Mapping[str, int]:
    known = shipped()
    return {name: place for place, name in reversed([*enumerate([*known[SMOKE], *known[QUICK]])])}


def perform(item: pytest.Function, context: Context) -> None:
    """Perform the check of an item.

    What is too little to see anything at depth smoke is no gap: the check is performed once more.
    """
    check = partial(item.config.stash[PERFORM], item, context)
    if not is_narrow(item):
        check()
        return
    try:
        check()
    except Inconclusive as reason:
        raise NotApplicable(f"too little at depth smoke: {reason}") from reason
