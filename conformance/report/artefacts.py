"""The files of a report: their formats, how they are written, and that none contains a secret."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import orjson

import conformance
from conformance.contract import api, files
from conformance.http.redaction import finder, spellings
from conformance.report.document_types import ExchangeEntry, Report
from conformance.report.formats import allure, ci, ctrf, earl, har, junit, markdown

Exchanges = Iterable[ExchangeEntry]

EXCHANGES = "exchanges.jsonl"
WRITTEN = ("report.json", EXCHANGES, "target.json")
"""The files that every run writes."""

Rendered = bytes | Iterable[tuple[str, bytes]]
"""The content of a file, or names and contents of the files in a directory."""


@dataclass(frozen=True)
class Format:
    """One format: its file or directory, and its renderer."""

    file: str
    render: Callable[[Report, Exchanges], Rendered]


def _html(report: Report, exchanges: Exchanges) -> bytes:
    # Only the page needs templates, and they take long to import.
    from conformance.report.formats import html  # noqa: PLC0415

    return html.render(report, exchanges).encode("utf-8", "backslashreplace")


def _without(render: Callable[[Report], Rendered]) -> Callable[[Report, Exchanges], Rendered]:
    return lambda report, _: render(report)


FORMATS = {
    "junit": Format("junit.xml", _without(junit.render)),
    "html": Format("report.html", _html),
    "allure": Format("allure-results", _without(allure.render)),
    "har": Format("exchanges.har", har.render),
    "ctrf": Format("ctrf.json", _without(ctrf.render)),
    "earl": Format("earl.jsonld", _without(earl.render)),
    "markdown": Format("summary.md", _without(markdown.render)),
    "gitlab": Format("code-quality.json", _without(ci.code_quality)),
    "badge": Format("badge.json", _without(ci.badge)),
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
    replace(directory / "report.json", orjson.dumps(report, option=orjson.OPT_INDENT_2))
    for name in names:
        path = directory / FORMATS[name].file
        rendered = FORMATS[name].render(report, _exchanges(directory))
        if isinstance(rendered, bytes):
            replace(path, rendered)
        else:
            _fill(path, rendered)


def _fill(directory: Path, rendered: Iterable[tuple[str, bytes]]) -> None:
    """Write the files of a directory, and delete those of an earlier run."""
    directory.mkdir(exist_ok=True)
    earlier = {path for path in directory.iterdir() if path.is_file()}
    for name, content in rendered:
        replace(directory / name, content)
        earlier.discard(directory / name)
    for path in earlier:
        path.unlink()


def replace(path: Path, content: bytes) -> None:
    """Write a file atomically: if the run is killed, either the old or the new content is there."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(content)
    fresh.replace(path)


def _exchanges(directory: Path) -> Iterator[ExchangeEntry]:
    with (directory / EXCHANGES).open("rb") as lines:
        yield from map(orjson.loads, lines)


def publish(report: Report, environ: Mapping[str, str] = os.environ) -> Iterator[str]:
    """On GitHub Actions, append the summary of the job, and return the annotations to print."""
    if environ.get("GITHUB_ACTIONS") != "true":
        return
    summary = environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("ab") as page:
            page.write(markdown.render(report))
    yield from ci.annotations(report)


def leaks(directory: Path, names: Sequence[str], secrets: Iterable[str]) -> list[str]:
    """The artefacts with a secret, or a half of one, in any encoding; they are deleted.

    Other files in the directory, such as the profile with the secrets, are ignored.
    """
    search = finder(sorted(_sought(secrets)))
    found = []
    for path in _written(directory, [*WRITTEN, *(FORMATS[name].file for name in names)]):
        content = path.read_bytes()
        hits = {content[start:stop] for _, start, stop in search.find_matches_as_indexes(content)}
        if any(hit not in _own_words() for hit in hits):
            found.append(path.relative_to(directory).as_posix())
            path.unlink()
    return found


def _sought(secrets: Iterable[str]) -> set[bytes]:
    """The encodings of secrets and of their halves that are too long to occur by chance."""
    sought: set[bytes] = set()
    for secret in secrets:
        for part in parts(secret):
            sought.update(spellings(part))
    return {spelling for spelling in sought if len(spelling) >= SHORTEST}


def _written(directory: Path, names: Sequence[str]) -> Iterator[Path]:
    for path in (directory / name for name in names):
        if path.is_dir():
            yield from sorted(path.iterdir())
        elif path.is_file():
            yield path


@cache
def _own_words() -> bytes:
    """All texts of this package: a secret that is one of its words is indistinguishable from it."""
    sources = (path.read_bytes() for path in Path(conformance.__file__).parent.rglob("*.py"))
    callers = (f"lacking.{permission}".encode() for permission in api.load().permissions)
    contract = (files.text(name).encode() for name in ("requirements.yaml", "openapi.yaml"))
    return b"\n".join([*sources, *callers, *contract])


SHORTEST = 8
"""Bytes of the shortest secret that does not occur by chance."""

LONG = 24
"""Characters of the shortest secret of which a half does not occur by chance."""


def parts(secret: str) -> tuple[str, ...]:
    """A secret, and its halves if it is long."""
    middle = len(secret) // 2
    return (secret, secret[:middle], secret[middle:]) if len(secret) >= LONG else (secret,)
