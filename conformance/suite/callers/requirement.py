"""The decorator that registers a check for a requirement."""

import pytest


def requirement(
    id: str,
    *,
    alone: bool = False,
    reads: bool = False,
    observes: str | None = None,
    looks_back: bool = False,
) -> pytest.MarkDecorator:
    """The check is for this requirement.

    With the fixtures `operation` and `scheme`, it runs for each that requirements.yaml names, with
    `reads` for no operation that writes. With `alone`, no other check runs meanwhile. `observes` is
    the requirement of level observe that it reports on as well. What `looks_back` judges what other
    checks have sent before: by itself it shows nothing.
    """
    return pytest.mark.requirement(
        id, alone=alone, reads=reads, observes=observes, looks_back=looks_back
    )
