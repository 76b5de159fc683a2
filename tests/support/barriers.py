"""What a test of confined edits needs of the system."""

import os
from collections.abc import Sequence

import pytest


def accept(missing: Sequence[str]) -> None:
    """These tests need every barrier; where a system has none, they are skipped, or fail."""
    if missing:
        if os.environ.get("CONFORMANCE_REQUIRE_SANDBOX"):
            pytest.fail(f"nothing here keeps a process from {missing}")
        pytest.skip(f"nothing here keeps a process from {', '.join(missing)}")
