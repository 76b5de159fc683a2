"""The report of an earlier run, read from its file."""

import json
from pathlib import Path

from conformance.report.document_types import Report

PARTS = {"requirements", "observations"}


class PreviousError(ValueError):
    """A file is not a report; str() has the file and the reason."""


def load(path: Path) -> Report:
    """The report in a file, or in the folder of a run. Raises PreviousError."""
    file = path / "report.json" if path.is_dir() else path
    try:
        report: Report = json.loads(file.read_bytes())
        if not set(report) >= PARTS:
            raise PreviousError(f"{file}: not a report of this suite")
    except OSError as problem:
        raise PreviousError(f"{file}: {problem.strerror}") from None
    except PreviousError:
        raise
    except (ValueError, TypeError):
        raise PreviousError(f"{file}: not a JSON object") from None
    return report
