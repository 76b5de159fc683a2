"""The report of an earlier run, read from its file."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs

from conformance.contract import files
from conformance.report.document_types import Report
from conformance.report.text import visible

PARTS = {
    "requirements": list,
    "observations": list,
    "target": dict,
    "suite": dict,
    "ledger": list,
}
"""Some properties of every report, with their types; a report has one requirement at least."""

RELIED_ON = ("requirements", "suite", "target", "started", "ledger")
"""The properties that have to have the form of a report where its requests are used."""


class PreviousError(ValueError):
    """A file is not a report; str() has the file and the reason."""


def load(path: Path) -> Report:
    """The report in a file, or in the folder of a run. Raises PreviousError."""
    file = path / "report.json" if path.is_dir() else path
    try:
        report: Report = json.loads(file.read_bytes())
        if not _is_report(report):
            raise PreviousError(f"{file}: not a report of this suite")
    except OSError as problem:
        raise PreviousError(f"{file}: {problem.strerror}") from None
    except PreviousError:
        raise
    except (ValueError, RecursionError):
        raise PreviousError(f"{file}: not a JSON object") from None
    return report


def validated(path: Path) -> Report:
    """The same, where the requirements and what belongs to them have the form of a report."""
    report = load(path)
    schema = files.document("report.schema.json")
    properties = {name: schema["properties"][name] for name in RELIED_ON}
    relied_on = {**schema, "required": [*RELIED_ON], "properties": properties}
    try:
        jsonschema_rs.validate(relied_on, report)
    except ValueError as problem:  # also for what no JSON can be, such as a lone surrogate
        place = "/".join(map(str, getattr(problem, "instance_path", ()))) or "it"
        reason = f"{visible(place)[:80]} is malformed"
        raise PreviousError(f"{path}: not a report of this suite: {reason}") from None
    return report


def _is_report(document: Any) -> bool:
    has_parts = isinstance(document, dict) and all(
        isinstance(document.get(name), type) for name, type in PARTS.items()
    )
    if not has_parts:
        return False
    entries = document["requirements"]
    return bool(entries) and all(isinstance(entry, dict) and "id" in entry for entry in entries)
