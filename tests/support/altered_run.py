"""A complete run of the suite on an altered reference."""

from collections.abc import Sequence
from pathlib import Path

import orjson

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.report.document_types import Report
from conformance.runner import examination, pytest_run


def report(
    edits: Sequence[Edit], directory: Path, classes: Sequence[str] = (), *further: str
) -> Report:
    """The report of `conformance run` on the reference with these edits, and `further` options."""
    options = [*pytest_run.options(directory, "standard", 1, classes), "--report=badge", *further]
    package = altered.load(edits)
    pytest_run.execute(options, [examination.Substitute(lambda: examination.in_process(package))])
    result: Report = orjson.loads((directory / "report.json").read_bytes())
    return result
