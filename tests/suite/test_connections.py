"""Checks that send at once, on targets that allow few requests at once."""

import pytest
from altered_target import Profile, stage

from conformance.contract.verdict import Inconclusive
from conformance.suite import test_approval_races as races


def test_a_race_needs_two_connections() -> None:
    """With one request at a time there is no race, and the check names the profile key."""
    with stage() as one:
        one.session.connections = 1
        with pytest.raises(Inconclusive) as raised:
            one.perform(races.test_many_approvals_at_once_leave_one_state)
    assert raised.value.needs == ("limits.connections",)


def test_a_race_in_waves_still_passes() -> None:
    """Three requests at once, up to the last wave of two."""

    def few(profile: Profile) -> None:
        profile.setdefault("limits", {})["connections"] = 3

    with stage(few) as one:
        one.session.client.connections = one.session.target.limits.connections
        one.perform(races.test_one_approval_many_times_at_once_is_made_once)
        assert one.session.client.connections == 3
