"""Registration: the decorator that ties a check to the requirement that it judges."""

import pytest


def requirement(id: str) -> pytest.MarkDecorator:
    """The check judges this requirement; fixtures `operation` and `scheme` run it once for each that the catalogue names."""
    return pytest.mark.requirement(id)
