"""One exchange for a terminal: the request as a command, and what matters of the response."""

import re
from collections.abc import Iterator
from http import HTTPStatus

from conformance.report import listing
from conformance.report.causes.location import Marks
from conformance.report.console.line import LABEL, LAID_OUT, Span, columns, divided, label
from conformance.report.document_types import ExchangeEntry, ResponseEntry
from conformance.report.listing import Extent, Line
from conformance.report.recorded_body import read
from conformance.report.text import short, visible

LONGEST_COMMAND = 2_000
LONGEST_TEXT = 300
LONGEST_STRING = 48
"""Characters of a string in a body at least, so that ids are shown whole."""

MARGIN = " " * LABEL
ARROW = "  ← "
ARGUMENT = re.compile(r"""(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+""")


def spans(
    exchange: ExchangeEntry, marks: Marks, width: int, *, brief: bool = False
) -> Iterator[list[Span]]:
    """The lines of an exchange; less of the body is shown of a `brief` one."""
    yield [label("request"), (_about(exchange), "")]
    for text in command(exchange["curl"], width - LABEL):
        yield [(MARGIN, LAID_OUT), (text, "strong")]
    response = exchange.get("response")
    if response is None:
        failure = short(exchange.get("failure") or "", LONGEST_TEXT)
        yield [label("response"), (f"no response: {failure}", "bad")]
        return
    yield [label("response"), *_status(response, marks)]
    if marks.header is not None:
        yield from _broken(f"{_header(response, marks.header)}{ARROW}here", "bad", width)
    extent = _extent(width - LABEL, brief=brief or marks.is_outside_body)
    for line in listing.lines(read(response), marks.places, whole=marks.body, extent=extent):
        yield from _broken(*_styled(line), width)


def _broken(text: str, style: str, width: int) -> Iterator[list[Span]]:
    """A line of the target's, broken below its margin: a terminal would go on at its edge."""
    indent = " " * (len(text) - len(text.lstrip()) + 4)
    first = max(width - LABEL, 1)
    step = max(first - len(indent), 1)
    body, arrow, note = text.rpartition(ARROW)
    mark = f"{arrow}{note}"
    if style != "bad" or columns(mark) > step:
        body, mark = text, ""
    *parts, last = divided(body, first, indent)
    # A mark is not broken.
    has_room = columns(last) + columns(mark) <= first
    for part in (*parts, *([last + mark] if has_room else [last, indent + mark.lstrip()])):
        yield [(MARGIN, LAID_OUT), (part, style)]


def command(text: str, width: int) -> list[str]:
    """A shell command in lines that a shell reads as one; its arguments are not broken."""
    if len(text) > LONGEST_COMMAND:
        return list(divided(f"{text[:LONGEST_COMMAND]}… (complete in report.json)", width))
    if not text.isprintable():
        note = "  (with escaped characters; as it was sent in report.json)"
        return list(divided(f"{visible(text)}{note}", width))
    lines = [""]
    for argument in _grouped(ARGUMENT.findall(text)):
        if lines[-1] and len(lines[-1]) + len(argument) + len("  \\") > width:
            lines[-1] += " \\"
            lines.append(f"  {argument}")
        else:
            lines[-1] = f"{lines[-1]} {argument}" if lines[-1] else argument
    return lines


def _grouped(arguments: list[str]) -> Iterator[str]:
    """The arguments, each option together with its value."""
    waiting = ""
    for argument in arguments:
        if argument in {"-H", "-X", "--data-raw", "--data-binary"}:
            waiting = f"{argument} "
        else:
            yield waiting + argument
            waiting = ""
    if waiting:
        yield waiting.rstrip()


def _about(exchange: ExchangeEntry) -> str:
    credential, scheme = exchange["credential"], exchange["scheme"]
    caller = f"{credential} by {scheme}"
    as_caller = f"as {caller}" if credential else "without a credential"
    purpose = exchange["purpose"]  # an attempt may be called by whoever makes it
    about = as_caller if purpose == caller else f"{purpose}, {as_caller}"
    return f"{about} · {exchange['id']}"


def _status(response: ResponseEntry, marks: Marks) -> list[Span]:
    status = response["status"]
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
    text = f"{status} {phrase}".rstrip()
    return [(f"{text}{ARROW}here", "bad")] if marks.status else [(text, "")]


def _header(response: ResponseEntry, name: str) -> str:
    values = [value for key, value in response["headers"] if key == name]
    return f"{name}: {short(', '.join(values), LONGEST_TEXT) if values else '(absent)'}"


def _extent(width: int, *, brief: bool) -> Extent:
    """How much of a body a terminal shows."""
    string = max(LONGEST_STRING, width // 2)
    if brief:
        return Extent(20, 6, 1, 200, string, width, neighbours=1, deepest=3)
    return Extent(32, 8, 1, 600, string, width, neighbours=2, deepest=5)


def _styled(line: Line) -> Span:
    text = "  " * line.depth + line.text
    if line.note is not None:
        return f"{text}{ARROW}{line.note}", "bad"
    return text, "dim" if line.cut else ""
