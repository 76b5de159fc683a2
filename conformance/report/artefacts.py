"""The files of a report: their formats, how they are written, and the last scan for secrets."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from conformance.http import secrecy
from conformance.http.redaction import Redactor
from conformance.report import exchange_log, history
from conformance.report.document_types import ExchangeEntry, Report
from conformance.report.formats import allure, badge, ci, ctrf, earl, har, junit, markdown, sarif
from conformance.report.journal import JOURNAL, SHARD, UNFINISHED
from conformance.report.ledger import LEDGER_FILE
from conformance.report.places import Places
from conformance.storage import fresh_file, json_text, regular_file
from conformance.storage.folder import inner

Exchanges = Iterable[ExchangeEntry]

REPORT = "report.json"
WRITTEN = (REPORT, exchange_log.EXCHANGES, "target.json", "run.json", SHARD)
"""The files that every run writes, and that of a shard."""

LONGEST_SCAN = 20.0
"""Seconds in which the last scan decodes escapes in long texts; each was searched before."""

LINES = frozenset({".jsonl", ".har"})
"""Files of which a line is a JSON value, perhaps with a comma: they may be too large to parse."""

JSON_SUFFIXES = frozenset({".json", ".jsonld"})

Rendered = bytes | har.Pieces | Iterable[tuple[str, bytes]]
"""The content of a file, whole or piece by piece, or the names and contents of a directory's."""


@dataclass(frozen=True)
class Format:
    """One format: its file or directory, and its renderer."""

    file: str
    render: Callable[[Report, Exchanges, Path], Rendered]


def _html(report: Report, exchanges: Exchanges, directory: Path) -> bytes:
    # Only the page needs templates, and they take long to import.
    from conformance.report.formats import html  # noqa: PLC0415

    steps = history.steps(directory, report)
    return html.render(report, exchanges, steps).encode("utf-8", "backslashreplace")


def _har(report: Report, exchanges: Exchanges, _directory: Path) -> Rendered:
    return har.Pieces(report, exchanges)


def _without(render: Callable[[Report], Rendered]) -> Callable[[Report, Exchanges, Path], Rendered]:
    return lambda report, _exchanges, _directory: render(report)


FORMATS = {
    "junit": Format("junit.xml", _without(junit.render)),
    "html": Format("report.html", _html),
    "allure": Format("allure-results", _without(allure.render)),
    "har": Format("exchanges.har", _har),
    "ctrf": Format("ctrf.json", _without(ctrf.render)),
    "earl": Format("earl.jsonld", _without(earl.render)),
    "sarif": Format("results.sarif", _without(sarif.render)),
    "markdown": Format("summary.md", _without(markdown.render)),
    "gitlab": Format("code-quality.json", _without(ci.code_quality)),
    "badge": Format("badge.json", _without(badge.endpoint)),
    "badge-svg": Format("badge.svg", _without(badge.svg)),
}
DEFAULT = ("junit", "html")


def chosen(stated: Sequence[str], environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The formats to write: those asked for, else the default and what the CI system shows."""
    if stated:
        return tuple(dict.fromkeys(stated))
    of_system = {"GITHUB_ACTIONS": "markdown", "GITLAB_CI": "gitlab"}
    shown = [name for variable, name in of_system.items() if environ.get(variable) == "true"]
    return (*DEFAULT, *shown)


def write(directory: Path, report: Report, names: Sequence[str]) -> None:
    """Write the report in several formats into a directory that already has the exchanges."""
    content = orjson.dumps(report, option=orjson.OPT_INDENT_2)
    fresh_file.write(directory / REPORT, json_text.inert(content))
    for name in names:
        path = directory / FORMATS[name].file
        rendered = FORMATS[name].render(report, exchange_log.read(directory), directory)
        if isinstance(rendered, bytes):
            fresh_file.write(path, _inert(path, rendered))
        elif isinstance(rendered, har.Pieces):
            with fresh_file.writing(path) as file:
                file.writelines(map(json_text.inert, rendered))
        else:
            _fill(path, rendered)


def _inert(path: Path, content: bytes) -> bytes:
    """The content of a file without what acts on a terminal, where it can be an escape of JSON."""
    is_json = path.suffix in JSON_SUFFIXES or path.suffix == ".sarif"
    return json_text.inert(content) if is_json else content


def _fill(directory: Path, rendered: Iterable[tuple[str, bytes]]) -> None:
    """Write the files of a directory, and delete those of an earlier run."""
    inner(directory.parent, directory.name)
    earlier = {path for path in directory.iterdir() if path.is_symlink() or path.is_file()}
    for name, content in rendered:
        fresh_file.write(directory / name, _inert(directory / name, content))
        earlier.discard(directory / name)
    for path in earlier:
        path.unlink()


def check(directory: Path, names: Iterable[str]) -> None:
    """Raise OSError where a link, or something else that is not a file, is in the way of a run."""
    files = {*WRITTEN, JOURNAL, UNFINISHED, LEDGER_FILE, *(FORMATS[name].file for name in names)}
    for path in (*(directory / file for file in sorted(files)), *exchange_log.parts(directory)):
        if not path.is_dir() or path.is_symlink():
            fresh_file.check(path)


_APPENDED = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)


def publish(
    report: Report, places: Places = ci.NOWHERE, environ: Mapping[str, str] = os.environ
) -> Iterator[str]:
    """On GitHub Actions, append the summary of the job, and return the annotations to print.

    `places` are those in the files of the user that annotations point to. A summary that cannot be
    written is a warning: the report is there, and the verdict is that of the target.
    """
    if environ.get("GITHUB_ACTIONS") != "true":
        return
    summary = environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        text = markdown.render(report).decode("utf-8", "surrogatepass")
        try:
            # A pipe that nobody reads is an error, and no wait without an end.
            with os.fdopen(os.open(summary, _APPENDED, 0o666), "ab") as page:
                page.write(secrecy.redacted(text).encode("utf-8", "surrogatepass"))
        except OSError as problem:
            reason = problem.strerror or str(problem)
            yield ci.warning("no summary", f"{summary} cannot be written: {reason}")
    yield from ci.annotations(report, places)


def mask(
    directory: Path, names: Sequence[str], secrets: Iterable[str], variables: Iterable[str] = ()
) -> list[str]:
    """Mask what is left of secrets in the artefacts, in place; the files that had any.

    `variables` are those that stand there for secrets.

    A spelling of fewer than `secrecy.SHORTEST` bytes, and a word of this package, are left alone.
    Other files in the directory, such as the profile with the secrets, are ignored.
    """
    sought = dict.fromkeys(sorted(secrets), secrecy.MASK)
    end = time.monotonic() + LONGEST_SCAN
    redactor = Redactor(
        sought,
        secrecy.SHORTEST,
        lambda: secrecy.is_hurried() or time.monotonic() > end,
        variables,
    )
    masked = []
    for path in _written(
        directory, [*WRITTEN, UNFINISHED, *(FORMATS[name].file for name in names)]
    ):
        if _mask_lines(path, redactor) if path.suffix in LINES else _mask_whole(path, redactor):
            masked.append(path.relative_to(directory).as_posix())
    return masked


def _mask_lines(path: Path, redactor: Redactor) -> bool:
    """Mask a file that may be too large for the memory; whether something was masked."""
    with regular_file.opened(path) as lines:
        if all(_clean_line(line, redactor) == line for line in lines):
            return False
        lines.seek(0)
        with fresh_file.writing(path) as masked:
            masked.writelines(_clean_line(line, redactor) for line in lines)
    return True


def _clean_line(line: bytes, redactor: Redactor) -> bytes:
    content = line.rstrip(b",\r\n")
    try:
        return _clean_json(content, redactor) + line[len(content) :]
    except orjson.JSONDecodeError:  # the first and the last line of an archive
        return redactor.bytes(line)


def _mask_whole(path: Path, redactor: Redactor) -> bool:
    with regular_file.opened(path) as file:
        content = file.read()
    clean = _clean(path, content, redactor)
    if clean != content:
        fresh_file.write(path, clean)
    return clean != content


def _clean(path: Path, content: bytes, redactor: Redactor) -> bytes:
    if path.suffix in JSON_SUFFIXES:
        return _clean_json(content, redactor)
    return redactor.bytes(content)


def _clean_json(content: bytes, redactor: Redactor) -> bytes:
    """The JSON text with its texts masked: a variable in its bytes might end an escape."""
    value = orjson.loads(content)
    texts = "\n".join(_texts(value)).encode()
    if redactor.bytes(texts) == texts:  # much faster than one text after the other
        return content
    clean = redactor.value(value)
    if clean == value:
        return content
    is_indented = b"\n" in content.rstrip()
    end = orjson.OPT_APPEND_NEWLINE if content.endswith(b"\n") else 0
    text = orjson.dumps(clean, option=(orjson.OPT_INDENT_2 if is_indented else 0) | end)
    return json_text.inert(text)


def _texts(value: object) -> Iterator[str]:
    """Every name, text and number in a JSON value."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            yield from each
            left += each.values()
        elif isinstance(each, list):
            left += each
        elif each is not None:
            yield str(each)


def _written(directory: Path, names: Sequence[str]) -> Iterator[Path]:
    for path in (directory / name for name in names):
        if path.is_dir():
            yield from sorted(path.iterdir())
        elif path.is_file():
            yield path
