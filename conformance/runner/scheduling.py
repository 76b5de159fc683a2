"""When checks are performed, and how they are distributed over the workers of xdist.

With xdist, checks that approve reviews run in one worker, so that no review is approved twice.
Checks that paginate lists run in one worker as well, so that no list is read twice.
"""

import inspect
from collections.abc import Callable
from enum import IntEnum
from functools import cache
from importlib import import_module
from pathlib import PurePath

from xdist.scheduler import LoadScopeScheduling

from conformance.contract import api
from conformance.runner.collection import PACKAGE, SUITE

SPENDERS = "approvals"
"""The xdist scope of the checks that approve reviews."""
SPENDING = frozenset({"approvals", "trials", "preconditions", "access", "unusual_keys"})
"""The fixtures that approve reviews."""
ASKING = frozenset({"access"})
"""The fixtures that approve reviews in trials alone."""
PAGINATORS = "paginates"
"""The xdist scope of the checks that paginate lists."""
PAGINATED = ("authorization/lists", "pagination/")
"""The beginnings of the requirements whose checks paginate lists, with many page sizes."""


class Stage(IntEnum):
    """The stages of a run, one after the other.

    Checks that only read are performed side by side. What they have seen is compared at the end of
    the first reads, since it may say much. Then come those of access: beside reads they send
    approvals that have to be rejected. Those that approve reviews follow, each alone: an approval
    changes what others read; of them, those last that let time pass since what was sent before, so
    that it has passed. Then come those that need a target that nobody else calls, and at the end
    those that look back at the approvals of all others: the later they do, the more they see.
    """

    READS = 0
    COMPARES = 1
    ASKS = 2
    APPROVES = 3
    WAITS = 4
    ALONE = 5
    LOOKS_BACK = 6

    @property
    def is_concurrent(self) -> bool:
        """Whether the checks of this stage are performed side by side."""
        return self in (Stage.READS, Stage.ASKS)


def stage(
    check: Callable[..., object], operation: str | None, *, declared: Stage | None = None
) -> Stage:
    """The stage of a check that runs for an operation; None: for no single one.

    `declared` is the one that the check itself states.
    """
    if declared is not None:
        return declared
    given = inspect.signature(check).parameters
    if SPENDING.intersection(given) == ASKING:
        return Stage.ASKS
    is_approval = "operation" not in given or operation == api.load().approval.id
    spends = is_approval and not SPENDING.isdisjoint(given)
    return Stage.APPROVES if spends else Stage.READS


class Distribution(LoadScopeScheduling):  # type: ignore[misc]
    """One scope a check, and two for those above.

    The groups of xdist do not work: pytest 9.2 drops their mark at the end of a node id.
    """

    def _split_scope(self, nodeid: str) -> str:
        return SPENDERS if spends(nodeid) else PAGINATORS if paginates(nodeid) else nodeid


def spends(nodeid: str) -> bool:
    """Whether a check may approve a review: it has such a fixture, and no other operation."""
    check, case = _check(nodeid)
    given = inspect.signature(check).parameters if check else {}
    is_approval = api.load().approval.id in case.rstrip("]").split("-")
    return not SPENDING.isdisjoint(given) and ("operation" not in given or is_approval)


def paginates(nodeid: str) -> bool:
    """Whether a check paginates whole lists: its requirement says so."""
    check, _ = _check(nodeid)
    marks = getattr(check, "pytestmark", ())
    return any(mark.name == "requirement" and mark.args[0].startswith(PAGINATED) for mark in marks)


def is_of_suite(nodeid: str) -> bool:
    """Whether an item is one of our checks."""
    check, _ = _check(nodeid)
    return check is not None


@cache
def _check(nodeid: str) -> tuple[Callable[..., object] | None, str]:
    """The check of an item, and its parameters; no check for other tests.

    pytest omits the module in the ids of a run of one file that is not below the root directory.
    """
    path, _, name = nodeid.partition("::")
    function, _, case = name.partition("[")
    for file in SUITE.glob(f"{PurePath(path).stem or 'test_*'}.py"):
        check = getattr(import_module(f"{PACKAGE}.{file.stem}"), function, None)
        if callable(check):
            return check, case
    return None, case
