"""Usage errors of a run, which pytest writes to standard error as they are."""

import pytest

from conformance.report.console.line import shown
from conformance.report.console.output import continued


def usage_error(message: str) -> pytest.UsageError:
    """Why a run cannot be performed as requested; texts of files are made visible in it."""
    return pytest.UsageError("\n".join(map(shown, continued(message))))
