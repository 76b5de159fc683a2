"""The report of an earlier run, and what it was asked for, read from its files."""

import os
from pathlib import Path
from typing import Any

from conformance.contract import published
from conformance.report.document_types import Report
from conformance.storage import regular_file

FILE = "report.json"


class PreviousError(ValueError):
    """A file is not one of a run; str() has the file, the place in it, and the reason."""


def load(path: Path) -> Report:
    """The report in a file, or in the folder of a run. Raises PreviousError."""
    is_folder = os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises some errors
    file = path / FILE if is_folder else path
    # A file that is named may be a link, but not one in a folder, which may be anybody's.
    report: Report = _read(file, published.REPORT, "a report of this suite", follow=not is_folder)
    return report


def target_of(folder: Path) -> dict[str, Any]:
    """The target of a run as target.json has it. Raises PreviousError."""
    found: dict[str, Any] = _read(folder / "target.json", published.SNAPSHOT, "a target of a run")
    return found


def asked_of(folder: Path) -> dict[str, Any]:
    """What a run was asked for, as run.json has it. Raises PreviousError."""
    found: dict[str, Any] = _read(folder / "run.json", published.RUN, "the options of a run")
    return found


def _read(file: Path, schema: str, kind: str, *, follow: bool = False) -> Any:
    try:
        return published.read(regular_file.read(file, follow=follow), schema)
    except OSError as problem:
        raise PreviousError(f"{file}: {problem.strerror}") from None
    except published.Malformed as problem:
        raise PreviousError(f"{file}: not {kind}: {problem}") from None
