"""The key of the session in the stash of pytest.

Cheap to import: every pytest of an environment loads the plugin.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conformance.runner.session import Session

SESSION: pytest.StashKey["Session"] = pytest.StashKey()
"""The examination of this process."""
