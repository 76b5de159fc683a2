"""`conformance compare`: what changed from one report to another; exit code 1 where something broke."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from conformance.commands.outcome import CONFORMANT, NON_CONFORMANT, UsageError
from conformance.report.comparison import Comparison, compare
from conformance.report.console.line import plain, visible

TITLES = {
    "broke": "BROKE",
    "mended": "MENDED",
    "otherwise": "JUDGED OTHERWISE",
    "observed": "BEHAVES OTHERWISE where the specification is silent",
    "slower": "SLOWER",
}


def run(arguments: argparse.Namespace) -> int:
    """Compare two reports."""
    found = compare(_report(arguments.before), _report(arguments.after))
    text = json.dumps(found.document(), indent=2) if arguments.json else _told(found)
    sys.stdout.write(f"{text}\n")
    return NON_CONFORMANT if found.broke else CONFORMANT


def _report(path: Path) -> dict[str, Any]:
    file = path / "report.json" if path.is_dir() else path
    try:
        report = json.loads(file.read_bytes())
        if not {"requirements", "observations", "latencies"} <= set(report):
            raise UsageError(f"{file}: is no report of this suite")
    except OSError as problem:
        raise UsageError(f"{file}: {problem.strerror}") from None
    except (ValueError, TypeError):
        raise UsageError(f"{file}: is no JSON object") from None
    return dict(report)


def _told(found: Comparison) -> str:
    lines: list[str] = []
    for name, entries in found.document().items():
        if entries:
            lines += [
                TITLES[name],
                *(f"  {plain(visible([(entry, '')]))}" for entry in entries),
                "",
            ]
    return "\n".join(lines).rstrip() or "Nothing changed."
