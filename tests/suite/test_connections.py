"""Checks with concurrent requests, on targets that allow few of them."""

import pytest
from altered_target import Profile, stage

from conformance.contract.verdict import Inconclusive
from conformance.suite import test_approval_races as races


def test_a_race_needs_two_connections() -> None:
    """With one connection, the check is inconclusive and names the profile key."""
    with stage() as one:
        one.session.connections = 1
        with pytest.raises(Inconclusive) as raised:
            one.perform(races.test_many_approvals_at_once_leave_one_state)
    assert raised.value.needs == ("limits.connections",)


def test_a_race_in_waves_still_passes() -> None:
    """The requests are sent in waves of three; the last wave has two."""

    def few(profile: Profile) -> None:
        profile.setdefault("limits", {})["connections"] = 3

    with stage(few) as one:
        one.perform(races.test_one_approval_many_times_at_once_is_made_once)
        assert one.session.connections == 3
