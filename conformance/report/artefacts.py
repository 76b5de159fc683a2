"""The files of a report: which ones there are, which are written by default, and the proof that none of them holds a secret."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

import conformance
from conformance.contract import api, files
from conformance.http.redaction import finder, spellings
from conformance.report.formats import allure, ci, ctrf, earl, har, junit, markdown

Report = Mapping[str, Any]
Exchanges = Iterable[Mapping[str, Any]]

EXCHANGES = "exchanges.jsonl"
WRITTEN = ("report.json", EXCHANGES, "target.json")
"""What every run writes."""


Rendered = bytes | Iterable[tuple[str, bytes]]
"""The content of a file; or of a directory, as the names of its files and their contents."""


@dataclass(frozen=True)
class Format:
    """One format: its file or directory, and how it is rendered out of the report and the exchanges."""

    file: str
    render: Callable[[Report, Exchanges], Rendered]


def _html(report: Report, exchanges: Exchanges) -> bytes:
    from conformance.report.formats import html  # noqa: PLC0415  (templates take their time to load, and nothing but the page needs them)

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
    """The formats to write: those that were asked for, otherwise the default and what the CI at hand can show."""
    if stated:
        return tuple(dict.fromkeys(stated))
    shown = {"GITHUB_ACTIONS": "markdown", "GITLAB_CI": "gitlab"}
    return (
        *DEFAULT,
        *(name for variable, name in shown.items() if environ.get(variable) == "true"),
    )


def write(directory: Path, report: Report, names: Sequence[str]) -> None:
    """Write the report and its other formats into a directory that already has the exchanges."""
    replace(directory / "report.json", orjson.dumps(report, option=orjson.OPT_INDENT_2))
    for name in names:
        path = directory / FORMATS[name].file
        rendered = FORMATS[name].render(report, _exchanges(directory))
        if isinstance(rendered, bytes):
            replace(path, rendered)
        else:
            _fill(path, rendered)


def _fill(directory: Path, rendered: Iterable[tuple[str, bytes]]) -> None:
    """Write the files of a directory, and take away what an earlier run left there; readers take all of them for one run."""
    directory.mkdir(exist_ok=True)
    earlier = {path for path in directory.iterdir() if path.is_file()}
    for name, content in rendered:
        replace(directory / name, content)
        earlier.discard(directory / name)
    for path in earlier:
        path.unlink()


def replace(path: Path, content: bytes) -> None:
    """Write a file at once: whenever a run is killed, what stands there is whole, of now or of before."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(content)
    fresh.replace(path)


def _exchanges(directory: Path) -> Iterator[Mapping[str, Any]]:
    with (directory / EXCHANGES).open("rb") as lines:
        yield from map(orjson.loads, lines)


def publish(report: Report, environ: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Show the run where GitHub Actions shows it: append the summary, and yield the annotations to be printed."""
    if environ.get("GITHUB_ACTIONS") != "true":
        return
    summary = environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("ab") as page:
            page.write(markdown.render(report))
    yield from ci.annotations(report)


def leaks(directory: Path, names: Sequence[str], secrets: Iterable[str]) -> list[str]:
    """The artefacts that hold a secret, in whole or as one of its halves, in any of its spellings; they are removed.

    Files of others in the same directory, such as the profile with the secrets themselves, are not looked at.
    """
    sought = {
        spelling
        for secret in secrets
        for part in parts(secret)
        for spelling in spellings(part)
        if len(spelling) >= SHORTEST
    }
    search = finder(sorted(sought))
    found = []
    for path in _written(directory, [*WRITTEN, *(FORMATS[name].file for name in names)]):
        content = path.read_bytes()
        hits = {content[start:stop] for _, start, stop in search.find_matches_as_indexes(content)}
        if any(hit not in _own_words() for hit in hits):
            found.append(path.relative_to(directory).as_posix())
            path.unlink()
    return found


def _written(directory: Path, names: Sequence[str]) -> Iterator[Path]:
    for path in (directory / name for name in names):
        yield from sorted(path.iterdir()) if path.is_dir() else [path] if path.is_file() else []


@cache
def _own_words() -> bytes:
    """All that this package may say by itself: a secret that is one of its words cannot be told from it."""
    sources = (path.read_bytes() for path in Path(conformance.__file__).parent.rglob("*.py"))
    callers = (f"lacking.{permission}".encode() for permission in api.load().permissions)
    return b"\n".join(
        [
            *sources,
            *callers,
            *(files.text(name).encode() for name in ("requirements.yaml", "openapi.yaml")),
        ]
    )


SHORTEST = 8
"""Bytes below which a secret stands in many a text by chance."""

LONG = 24
"""Characters from which on half a secret is long enough to be nothing else."""


def parts(secret: str) -> tuple[str, ...]:
    """A secret, and where it is long its halves."""
    middle = len(secret) // 2
    return (secret, secret[:middle], secret[middle:]) if len(secret) >= LONG else (secret,)
