"""Fifty served targets, and everything killed in turn: `pytest tests/fleet/whole_fleet.py`.

It takes longer than all other tests of the fleet, so `pytest tests` leaves this file out by its
name.
"""

from pathlib import Path

import fleet_campaigns
from postgres_cluster import Cluster

NUMBER = 50


def test_fifty_targets_survive_kills(tmp_path: Path, cluster: Cluster) -> None:
    """As in `test_kills.py`."""
    fleet_campaigns.check(tmp_path, cluster, NUMBER)
