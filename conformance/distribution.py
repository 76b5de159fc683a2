"""How checks are spread over the workers of xdist: all that spend reviews go to one, so that no review is spent twice at once."""

import inspect
from functools import cache
from importlib import import_module
from pathlib import PurePath

from xdist.scheduler import LoadScopeScheduling

from conformance.checkout import PACKAGE, SUITE

SPENDERS = "approvals"
"""The fixture that hands out reviews, and what all checks that have it are to xdist."""
SPENDING = "review_approve"


class Distribution(LoadScopeScheduling):  # type: ignore[misc]
    """Check by check; xdist's own groups are no help, since its mark at the end of a node's id is lost from pytest 9.2 on."""

    def _split_scope(self, nodeid: str) -> str:
        return SPENDERS if spends(nodeid) else nodeid


def spends(nodeid: str) -> bool:
    """Whether a check may approve a review: it is handed reviews, and does not run for another operation."""
    path, _, name = nodeid.partition("::")
    function, _, case = name.partition("[")
    given = _fixtures(PurePath(path).stem, function)
    return SPENDERS in given and ("operation" not in given or SPENDING in case.rstrip("]").split("-"))


@cache
def _fixtures(module: str, function: str) -> frozenset[str]:
    """What a check of the suite is given; nothing for a test of somebody else's.

    pytest leaves the module out where a run is of one file that is not below the root of the run.
    """
    for path in SUITE.glob(f"{module or 'test_*'}.py"):
        check = getattr(import_module(f"{PACKAGE}.{path.stem}"), function, None)
        if callable(check):
            return frozenset(inspect.signature(check).parameters)
    return frozenset()
