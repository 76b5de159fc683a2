"""Fixtures of the fleet: memories in SQLite and PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import fleet_memory
import postgres_cluster
import pytest
from postgres_cluster import Cluster

from conformance.fleet.memory import database
from conformance.fleet.memory.database import Memory


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """PostgreSQL."""
    with postgres_cluster.running() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a memory that does not exist yet, in each of the two databases."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'fleet.db'}"
    cluster: Cluster = request.getfixturevalue("cluster")
    return cluster.database()


@pytest.fixture
def memory(url: str) -> Iterator[Memory]:
    """A new memory."""
    opened = database.open_memory(url)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def nights(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a memory with eight nights of three targets; nobody writes to it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('nights') / 'fleet.db'}"
    opened = database.open_memory(url)
    fleet_memory.nights(opened, 8)
    opened.close()
    return url
