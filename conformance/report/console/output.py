"""All that commands write: a text of others begins no line, hides nothing, and acts on nothing."""

import json
import sys
import traceback
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TextIO

from conformance.report.console import line, screen
from conformance.report.text import WORKFLOW_COMMAND

CONTINUED = "    "
"""What stands in front of the further lines of a text, which nobody takes for ours then."""


def lines(texts: Iterable[str], stream: TextIO | None = None) -> None:
    r"""Write each text as one line: a line break or a control character in it is shown as `\n`.

    On a terminal, a text has as many rows as it takes, the further ones indented: else the terminal
    would go on in the first column, with a text of others.
    """
    edge = screen.edge(stream or sys.stdout)
    for text in texts:
        shown = line.shown(text)
        if edge is None or isinstance(text, line.Copied):
            own(f"{shown}\n", stream)
        else:
            own("".join(f"{row}\n" for row in _rows(shown, edge)), stream)


def document(value: Any, stream: TextIO | None = None) -> None:
    """Write a value as JSON, with escapes for all that is not ASCII or that acts on anything."""
    text = json.dumps(value, indent=2).replace("\x7f", r"\u007f")
    own(WORKFLOW_COMMAND.sub(r"\\u0023#", text) + "\n", stream)


def obeyed(commands: Iterable[str], stream: TextIO | None = None) -> None:
    """Write lines that a CI system obeys; `formats/ci` has escaped the texts in them."""
    own("".join(f"{command}\n" for command in commands), stream)


def failure(problem: BaseException) -> None:
    """Write the traceback of an internal error to standard error."""
    lines(_traced(problem), sys.stderr)


def own(text: str, stream: TextIO | None = None) -> None:
    """Write a text that this package alone has made, such as a script or a schema, as it is."""
    (stream or sys.stdout).write(text)


def continued(text: str) -> Iterator[str]:
    """The lines of a text that may be a stranger's; those behind the first one are marked."""
    first, *others = text.splitlines() or [""]
    yield first
    yield from (f"{CONTINUED}{other}" for other in others)


def _rows(text: str, width: int) -> Iterator[str]:
    # Another word may stand at the beginning of a row.
    return (line.plain(line.visible(spans)) for spans in line.rows([(text, "")], width))


def _traced(problem: BaseException) -> Iterator[str]:
    return chain.from_iterable(map(continued, traceback.format_exception(problem)))
