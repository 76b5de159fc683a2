"""Workers, the scheduler, the coordinator and PostgreSQL are killed: the matrix stays the same."""

from pathlib import Path

import fleet_campaigns
from postgres_cluster import Cluster

NUMBER = 4


def test_a_campaign_survives_kills(tmp_path: Path, cluster: Cluster) -> None:
    """Nothing is lost, every verdict is that of an undisturbed campaign, nothing is spent twice."""
    fleet_campaigns.check(tmp_path, cluster, NUMBER)
