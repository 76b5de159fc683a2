"""The decorator that registers a check for a requirement."""

import pytest


def requirement(
    id: str, *, alone: bool = False, reads: bool = False, observes: str | None = None
) -> pytest.MarkDecorator:
    """The check is for this requirement.

    With the fixtures `operation` and `scheme`, it runs for each that requirements.yaml names, with
    `reads` for no operation that writes. With `alone`, no other check runs meanwhile. `observes` is
    the requirement of level observe that it reports on as well.
    """
    return pytest.mark.requirement(id, alone=alone, reads=reads, observes=observes)
