"""The hooks by which a conftest.py gives a run what a file cannot: a fresh target, a made review.

They are hooks, and not fixtures, because checks are performed side by side and outside of any test
item, where pytest resolves no fixture. With workers, every process calls them.
"""

# pluggy calls these by their names and parameters; they have no body.

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


@pytest.hookspec(firstresult=True)
def pytest_conformance_target(config: pytest.Config) -> Path | Mapping[str, Any] | None:
    """The profile: a file, or tables shaped like one; --target wins over it.

    It is asked for once, before the first request.
    """


@pytest.hookspec
def pytest_conformance_credentials(config: pytest.Config) -> Mapping[str, Mapping[str, Any]] | None:
    """Credentials by the name of the caller, such as {"primary": {"bearer": "…"}}.

    They replace those callers of the profile.
    """


@pytest.hookspec
def pytest_conformance_ended(record: str) -> None:
    """A check has ended, or a fact that checks share was found; `record` is its result as JSON.

    It is called once for each, at once, in the process that writes the report; pytest repeats the
    outcomes of checks later, in the order of collection.
    """


@pytest.hookspec(firstresult=True)
def pytest_conformance_approvable_review(config: pytest.Config) -> str | None:
    """The id of one more review that the run may approve; None: there is no more.

    It is called when the reviews of the profile are used up. Approvals need the profile's consent.
    """
