"""The budget of a run: what its options, its profile and its depth allow."""

import pytest

from conformance.http.budget import LONGEST_RESPONSE, Budget
from conformance.report.exchange_log import COPIES, MAX_LOG
from conformance.runner import worker
from conformance.runner.usage import usage_error
from conformance.target.target import Limits

SECONDS = {"smoke": 600.0, "quick": 600.0, "standard": 600.0, "deep": 3600.0}
"""The longest time of a run at each depth, unless an option or the profile states another."""

ROUNDS = 900.0
"""The time that the rounds of a deep run use, from its beginning on, unless one is stated."""

EXPECTED = {"smoke": 1_000, "quick": 5_000, "standard": 10_000, "deep": 200_000}
"""No fewer requests than a run makes: at a request rate of the profile they take their time."""

MEGABYTE = 1_000_000


def check(config: pytest.Config) -> None:
    """UsageError for an option that is not positive."""
    for name in ("max_time", "max_requests", "max_log"):
        value = config.getoption(f"conformance_{name}")
        if value is not None and not value > 0:
            option = name.replace("_", "-")
            raise usage_error(f"--{option} must be greater than 0, and is {value:g}")


def budget(config: pytest.Config, limits: Limits) -> Budget:
    """The budget of this process; workers share the requests of a run."""
    depth = config.getoption("conformance_depth")
    requests = config.getoption("conformance_max_requests") or limits.max_requests
    return Budget(
        longest=limits.max_response_bytes or LONGEST_RESPONSE,
        requests=max(1, requests // worker.count(config)) if requests else None,
        seconds=_stated(config, limits) or _default(depth, limits),
        owner="run",
    )


def for_rounds(config: pytest.Config, limits: Limits) -> float:
    """The seconds from the beginning of a run that its rounds may use."""
    return _stated(config, limits) or ROUNDS


def _stated(config: pytest.Config, limits: Limits) -> float | None:
    stated: float | None = config.getoption("conformance_max_time")
    return stated or limits.max_time


def _default(depth: str, limits: Limits) -> float:
    rate = limits.requests_per_second
    return SECONDS[depth] + (EXPECTED[depth] / rate if rate else 0.0)


def log_size(config: pytest.Config) -> int:
    """Bytes of the log of this process: several logs are merged into a further one."""
    stated = config.getoption("conformance_max_log")
    most: int = stated * MEGABYTE if stated else MAX_LOG
    processes = worker.count(config)
    return most if processes == 1 else most // (COPIES * processes)
