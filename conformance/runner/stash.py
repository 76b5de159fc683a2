"""Where a pytest run keeps its session; cheap to import, since every pytest of an environment loads the plugin."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conformance.runner.session import Session

SESSION: pytest.StashKey["Session"] = pytest.StashKey()
"""The examination that this process takes part in."""
