"""A whole run of the suite by pytest, with its reports, on an altered reference."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from conformance import examination, invocation
from conformance.selftest import altered
from conformance.selftest.altered import Edit

Document = dict[str, Any]


def report(edits: Sequence[Edit], directory: Path, classes: Sequence[str] = ()) -> Document:
    """The report of `conformance run --depth quick` on the reference with these edits."""
    options = [*invocation.options(directory, "quick", 1, classes), "--report=badge"]
    package = altered.load(edits)
    invocation.execute(options, [examination.Substitute(lambda: examination.in_process(package))])
    found: Document = orjson.loads((directory / "report.json").read_bytes())
    return found
