"""How checks are spread over the workers of xdist.

All that spend reviews go to one, so that no review is spent twice at once; and all that walk lists, so that none is walked twice.
"""

import inspect
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import PurePath

from xdist.scheduler import LoadScopeScheduling

from conformance.contract import api
from conformance.runner.collection import PACKAGE, SUITE

SPENDERS = "approvals"
"""The fixture that hands out reviews, and what all checks that have it are to xdist."""
WALKERS = "walks"
"""What all checks that walk lists are to xdist."""
WALKED = ("authorization/lists", "pagination/")
"""How the requirements begin whose checks walk lists in pages of many sizes."""


class Distribution(LoadScopeScheduling):  # type: ignore[misc]
    """Check by check; xdist's own groups are no help, since its mark at the end of a node's id is lost from pytest 9.2 on."""

    def _split_scope(self, nodeid: str) -> str:
        return SPENDERS if spends(nodeid) else WALKERS if walks(nodeid) else nodeid


def spends(nodeid: str) -> bool:
    """Whether a check may approve a review: it is handed reviews, and does not run for another operation."""
    check, case = _check(nodeid)
    given = inspect.signature(check).parameters if check else {}
    return SPENDERS in given and (
        "operation" not in given or api.load().approval.id in case.rstrip("]").split("-")
    )


def walks(nodeid: str) -> bool:
    """Whether a check reads whole lists, again and again: as its requirement tells."""
    check, _ = _check(nodeid)
    marks = getattr(check, "pytestmark", ())
    return any(mark.name == "requirement" and mark.args[0].startswith(WALKED) for mark in marks)


@cache
def _check(nodeid: str) -> tuple[Callable[..., object] | None, str]:
    """The check of the suite that an item runs, and the case of it; none for a test of somebody else's.

    pytest leaves the module out where a run is of one file that is not below the root of the run.
    """
    path, _, name = nodeid.partition("::")
    function, _, case = name.partition("[")
    for file in SUITE.glob(f"{PurePath(path).stem or 'test_*'}.py"):
        check = getattr(import_module(f"{PACKAGE}.{file.stem}"), function, None)
        if callable(check):
            return check, case
    return None, case
