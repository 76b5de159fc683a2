"""The command of a profile that makes its reviews approvable again, before a run approves them."""

import sys
from collections.abc import Sequence

import pytest

from conformance.contract.exit_codes import USAGE_ERROR
from conformance.report.console import output
from conformance.report.console.line import shown
from conformance.runner.items import stage_of
from conformance.runner.scheduling import Stage
from conformance.runner.stated_target import target_of
from conformance.target import command

UNDER_WAY = "note: runs the command fixtures.reset, and waits until it has ended"
SECONDS = 600
"""A database may be restored meanwhile."""


def perform(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Run the command once, before the first check of a run that may approve reviews.

    What a run approved counts for the one that resumes it, and shards have no common beginning:
    neither runs it. A command that fails ends the run, with a usage error.

    Without `items`, which the controller of workers does not know, any check may be performed.
    """
    target = target_of(config)
    if target is None or not target.fixtures.reset or not target.consent.approve_reviews:
        return
    is_part = config.getoption("conformance_shard") or config.getoption("conformance_resume")
    if is_part or not _may_approve(items):
        return
    output.lines([UNDER_WAY], sys.stderr)
    sys.stderr.flush()
    try:
        command.printed(target.fixtures.reset, SECONDS)
    except command.CommandError as problem:
        reason = f"the command fixtures.reset {problem}: nothing was checked"
        pytest.exit(shown(reason), returncode=USAGE_ERROR)


def _may_approve(items: Sequence[pytest.Item]) -> bool:
    """Whether a check approves reviews."""
    checks = [each for each in items if each.get_closest_marker("requirement")]
    stages = [stage_of(each) for each in checks if isinstance(each, pytest.Function)]
    return not checks or max(stages, default=Stage.READS) >= Stage.APPROVES
