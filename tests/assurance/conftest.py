"""The kill matrix, which runs beside all other tests; and a run with its certificate."""

import certified as certificates
import pytest
from certified import Certified
from kill_matrix import KillMatrix
from shared_folder import shared

from conformance.assurance.selftest import population
from conformance.assurance.selftest.reach import Reach, measured

FIXTURE = "kill_matrix"
MATRIX: pytest.StashKey[KillMatrix] = pytest.StashKey()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the tests that wait for the matrix to the end."""
    items.sort(key=_waits)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the matrix; a worker of xdist leaves that to the fixture, or each would run it all."""
    chosen = _chosen(session)
    is_worker = hasattr(session.config, "workerinput")
    is_run = not session.config.option.collectonly
    if chosen and is_run and not is_worker:
        session.config.stash[MATRIX] = KillMatrix(chosen)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave no process behind."""
    if MATRIX in config.stash:
        config.stash[MATRIX].close()


@pytest.fixture(scope="session")
def kill_matrix(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """The problems of each mutant and variant that this run has chosen, by its id."""
    stash = request.config.stash
    if MATRIX not in stash:
        stash[MATRIX] = KillMatrix(_chosen(request.session))
    return stash[MATRIX].problems()


def _chosen(session: pytest.Session) -> list[str]:
    functions = [item for item in session.items if isinstance(item, pytest.Function)]
    return [str(item.callspec.params["id"]) for item in functions if _waits(item)]


def _waits(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and FIXTURE in item.fixturenames


@pytest.fixture(scope="session")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    """One quick run, its certificate and its replay."""
    return certificates.read(shared(tmp_path_factory, "certified", certificates.make))


@pytest.fixture(scope="session")
def reach() -> Reach:
    """What each check reaches on the original reference; it cannot be pickled for other workers."""
    return measured(population.SEED, population.DEPTH)
