"""Pictures of the terminal, drawn by rich from the reports of real runs in reports/sample."""

import io
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance.commands.progress import STYLES
from conformance.report.console import terminal
from conformance.report.console.screen import Screen

SAMPLES = Path(__file__).parents[2] / "reports" / "sample"
WIDTH = 88
MOST_LINES = 46
SHOWN = {"mutant": "a failure", "reference": "a run without a failure"}


def files() -> dict[str, str]:
    """The drawing of each sample, by its place on the site."""
    return {f"pictures/{name}.svg": drawn(name, title) for name, title in SHOWN.items()}


def drawn(name: str, title: str) -> str:
    """The first lines of a report on a terminal."""
    report: Any = json.loads((SAMPLES / name / "report.json").read_bytes())
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for line in islice(_lines(report), MOST_LINES):
        console.print(line, soft_wrap=True)
    return console.export_svg(title=f"conformance run: {title}", unique_id=name)


def _lines(report: Any) -> Iterator[Text]:
    for spans in terminal.spans(report, Screen(WIDTH)):
        yield Text.assemble(*((text, STYLES[style]) for text, style in spans))
