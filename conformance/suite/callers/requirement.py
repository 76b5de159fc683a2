"""The decorator that registers a check for a requirement."""

import pytest


def requirement(id: str, *, alone: bool = False) -> pytest.MarkDecorator:
    """The check is for this requirement.

    With the fixtures `operation` and `scheme`, it runs for each that requirements.yaml names. With
    `alone`, no other check runs meanwhile.
    """
    return pytest.mark.requirement(id, alone=alone)
