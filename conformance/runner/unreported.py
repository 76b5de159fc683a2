"""The plugin of a run whose checks need no report of pytest's: nothing shows or reads one.

What pytest does around each check, setup and teardown of its fixtures above all, takes longer than
many a check.
"""

import pytest

from conformance.runner.stash import ENGINE


def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Take the result of a check as the engine has it; what has none is left to pytest.

    Those that may end a run, or pass over a check, come first.
    """
    if ENGINE not in item.config.stash:
        return None
    from conformance.runner import performing  # noqa: PLC0415

    return performing.take(item) or None
