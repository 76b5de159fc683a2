"""Workers, the scheduler, the coordinator and PostgreSQL are killed: the matrix stays the same.

`pytest tests/fleet/whole_fleet.py`: it takes longer than all other tests of the fleet, and its
processes need a quiet machine, so `pytest tests` leaves this file out by its name.
"""

from pathlib import Path

import fleet_campaigns
import pytest
from postgres_cluster import Cluster


@pytest.mark.parametrize("number", [4, 50])
def test_a_campaign_survives_kills(tmp_path: Path, cluster: Cluster, number: int) -> None:
    """Nothing is lost, every verdict is that of an undisturbed campaign, nothing is spent twice."""
    fleet_campaigns.check(tmp_path, cluster, number)
