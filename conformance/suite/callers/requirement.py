"""The decorator that registers a check for a requirement."""

import pytest

from conformance.runner.scheduling import Stage


def requirement(
    id: str,
    *,
    reads: bool = False,
    observes: str | None = None,
    stage: Stage | None = None,
) -> pytest.MarkDecorator:
    """The check is for this requirement.

    With the fixtures `operation` and `scheme`, it runs for each that requirements.yaml names, with
    `reads` for no operation that writes. `observes` is the requirement of level observe that it
    reports on as well. `stage` is that of the run, where it does not follow from the fixtures.
    """
    return pytest.mark.requirement(id, reads=reads, observes=observes, stage=stage)
