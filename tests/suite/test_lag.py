"""A deployment whose reads lag is judged by the lag that its profile states."""

from dataclasses import replace

import pytest
import subjects

from conformance.assurance.selftest import altered, checks
from conformance.contract.verdict import Verdict
from conformance.runner import examination

SLOW = "lists-lag-behind-for-seconds"
LAG = 20
"""Seconds that lists lag behind an approval, which the variant states as five."""


def failed(lag: float) -> set[str]:
    """The requirements that fail on lists that lag, with this lag in the profile."""
    edits = [
        replace(each, new=each.new.replace("now() - 5)", f"now() - {LAG})"))
        for each in subjects.BY_ID[SLOW].edits
    ]
    subject = examination.in_process(altered.load(edits))
    limits = replace(subject.target.limits, lag=lag)
    target = replace(subject.target, limits=limits)
    session = examination.opened(replace(subject, target=target), 1, "standard")
    chosen = [each for each in checks.collected() if each.requirement == "approval/state"]
    try:
        seen = checks.performed(session, chosen).all_seen
    finally:
        session.close()
    return {each.requirement for each in seen if each.verdict is Verdict.FAIL}


@pytest.mark.parametrize(("lag", "expected"), [(LAG, set()), (5, {"approval/state"})])
def test_reads_may_lag_as_long_as_the_profile_says(lag: float, expected: set[str]) -> None:
    """Twenty seconds are too long where nothing is stated."""
    assert failed(lag) == expected
