"""The files of a report: which ones there are, which are written by default, and the proof that none of them holds a secret."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

import conformance
from conformance import contract
from conformance.redaction import finder, spellings
from conformance.report import ctrf, earl, gates, har, junit, markdown

Report = Mapping[str, Any]
Exchanges = Iterable[Mapping[str, Any]]

EXCHANGES = "exchanges.jsonl"
WRITTEN = ("report.json", EXCHANGES, "target.json")
"""What every run writes."""


@dataclass(frozen=True)
class Format:
    """One format: its file, and how it is rendered out of the report and the exchanges."""

    file: str
    render: Callable[[Report, Exchanges], bytes]


def _html(report: Report, exchanges: Exchanges) -> bytes:
    from conformance.report import html  # noqa: PLC0415  (templates take their time to load, and nothing but the page needs them)

    return html.render(report, exchanges).encode("utf-8", "backslashreplace")


def _without(render: Callable[[Report], bytes]) -> Callable[[Report, Exchanges], bytes]:
    return lambda report, _: render(report)


FORMATS = {
    "junit": Format("junit.xml", _without(junit.render)),
    "html": Format("report.html", _html),
    "har": Format("exchanges.har", har.render),
    "ctrf": Format("ctrf.json", _without(ctrf.render)),
    "earl": Format("earl.jsonld", _without(earl.render)),
    "markdown": Format("summary.md", _without(markdown.render)),
    "gitlab": Format("code-quality.json", _without(gates.code_quality)),
    "badge": Format("badge.json", _without(gates.badge)),
}
DEFAULT = ("junit", "html")


def chosen(stated: Sequence[str], environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The formats to write: those that were asked for, otherwise the default and what the CI at hand can show."""
    if stated:
        return tuple(dict.fromkeys(stated))
    shown = {"GITHUB_ACTIONS": "markdown", "GITLAB_CI": "gitlab"}
    return (*DEFAULT, *(name for variable, name in shown.items() if environ.get(variable) == "true"))


def write(directory: Path, report: Report, names: Sequence[str]) -> None:
    """Write the report and its other formats into a directory that already has the exchanges."""
    (directory / "report.json").write_bytes(orjson.dumps(report, option=orjson.OPT_INDENT_2))
    for name in names:
        (directory / FORMATS[name].file).write_bytes(FORMATS[name].render(report, _exchanges(directory)))


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
    yield from gates.annotations(report)


def leaks(directory: Path, names: Sequence[str], secrets: Iterable[str]) -> list[str]:
    """The artefacts that hold a secret, in whole or as one of its halves, in any of its spellings; they are removed.

    Files of others in the same directory, such as the profile with the secrets themselves, are not looked at.
    """
    sought = {spelling for secret in secrets for part in parts(secret) for spelling in spellings(part) if len(spelling) >= SHORTEST}
    search = finder(sorted(sought))
    files = [*WRITTEN, *(FORMATS[name].file for name in names)]
    found = []
    for path in (directory / name for name in files if (directory / name).is_file()):
        content = path.read_bytes()
        hits = {content[start:stop] for _, start, stop in search.find_matches_as_indexes(content)}
        if any(hit not in _own_words() for hit in hits):
            found.append(path.name)
            path.unlink()
    return found


@cache
def _own_words() -> bytes:
    """All that this package may say by itself: a secret that is one of its words cannot be told from it."""
    sources = (path.read_bytes() for path in Path(conformance.__file__).parent.rglob("*.py"))
    return b"\n".join([*sources, *(contract.text(name).encode() for name in ("requirements.yaml", "openapi.yaml"))])


SHORTEST = 8
"""Bytes below which a secret stands in many a text by chance."""

LONG = 24
"""Characters from which on half a secret is long enough to be nothing else."""


def parts(secret: str) -> tuple[str, ...]:
    """A secret, and where it is long its halves."""
    middle = len(secret) // 2
    return (secret, secret[:middle], secret[middle:]) if len(secret) >= LONG else (secret,)
