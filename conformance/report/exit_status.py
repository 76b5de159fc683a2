"""The exit code of a run, from its report."""

from conformance.contract.exit_codes import (
    CHECKER_ERROR,
    CONFORMANT,
    INCOMPLETE,
    INTERRUPTED,
    NON_CONFORMANT,
)
from conformance.contract.verdict import Conclusion
from conformance.http.budget import AWAY, REQUESTS, TIME
from conformance.report import known_gaps
from conformance.report.document import has_error
from conformance.report.document_types import Report

NO_TESTS_COLLECTED = 5
"""What pytest ends with where no check was selected."""

ENDED = (CONFORMANT, NON_CONFORMANT, NO_TESTS_COLLECTED)
"""The exit codes of pytest after which the report decides on that of the run."""

REPORTED = (*ENDED, INTERRUPTED)
"""Those after which an internal error in the report wins over everything else."""

ENDING = frozenset({TIME, REQUESTS, AWAY})
"""What ends a run before all of it was checked."""


def of(report: Report, status: int, *, complete: bool) -> int:
    """The exit code of a run that pytest ended with `status`.

    `complete` asks for a verdict about every must. An internal error wins over a violation, which
    it may have caused, and over an interruption.
    """
    if status in REPORTED and any(map(has_error, report["requirements"])):
        return CHECKER_ERROR
    if status not in ENDED:
        return status
    if _is_rejected(report):
        return NON_CONFORMANT
    if "shard" in report["suite"]:
        # What it did not check may belong to another shard: `merge` decides on that.
        return INCOMPLETE if is_cut_short(report) else CONFORMANT
    if complete and _is_undecided(report):
        return NON_CONFORMANT
    return INCOMPLETE if _has_gap(report) or is_cut_short(report) else CONFORMANT


def _is_rejected(report: Report) -> bool:
    """Whether failures count: all, or with a file of known failures those that differ from it."""
    if "known-failures" in report:
        known = report["known-failures"]
        return bool(known["unknown"] or known["stale"])
    return report["verdict"] == Conclusion.NON_CONFORMANT


def _is_undecided(report: Report) -> bool:
    is_open = report["verdict"] == Conclusion.INCONCLUSIVE
    return is_open and not known_gaps.are_all_accepted(report)


def _has_gap(report: Report) -> bool:
    """Whether something that the gate requires was not checked, and nobody accepted that."""
    return any("known" not in gap for gap in report["gate"]["gaps"])


def is_cut_short(report: Report) -> bool:
    """Whether something ended the run before its end."""
    return not ENDING.isdisjoint(each["budget"] for each in report.get("budgets", ()))
