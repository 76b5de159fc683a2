"""The decorator that registers a check for a requirement."""

import pytest


def requirement(id: str) -> pytest.MarkDecorator:
    """The check is for this requirement.

    With the fixtures `operation` and `scheme`, it runs for each that requirements.yaml names.
    """
    return pytest.mark.requirement(id)
