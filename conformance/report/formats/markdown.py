"""The report as a Markdown summary, short enough for a pull request or the page of a CI job."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.report.cases import Case, cases
from conformance.report.causes.attribution import Cause, attributed
from conformance.report.console.line import plain, short, visible

MARKS = {"conformant": "✅", "non-conformant": "❌", "inconclusive": "❔"}
MOST = 30
LONGEST = 300
_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#~!&@"})


def render(report: Mapping[str, Any]) -> bytes:
    """The file's content; whatever came from the target is escaped."""
    return "".join(f"{line}\n" for line in _lines(report)).encode("utf-8", "surrogatepass")


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    found = list(cases(report))
    yield f"## {MARKS[report['verdict']]} {report['verdict'].capitalize()}: {escaped(report['target']['base-url'])}"
    yield ""
    yield from _table(found)
    causes = attributed(report)
    yield from _caused(
        "Broken requirements", [cause for cause in causes if cause.entry["level"] == "must"]
    )
    yield from _section("Known failures", [case for case in found if case.known])
    yield from _caused("Warnings", [cause for cause in causes if cause.entry["level"] != "must"])
    yield from _section(
        "Errors of the checker", [case for case in found if case.verdict == "error"]
    )
    suite = report["suite"]
    yield f"{report['exchanges']['count']} exchanges, depth {suite['depth']}, seed {suite['seed']}, suite {suite['version']}"


def _table(found: list[Case]) -> Iterator[str]:
    verdicts = ("pass", "fail", "error", "inconclusive", "not-applicable")
    yield "| class | " + " | ".join(verdicts) + " |"
    yield "|---|" + "---:|" * len(verdicts)
    for name in dict.fromkeys(case.conformance_class for case in found):
        counts = [
            sum(case.verdict == verdict and case.conformance_class == name for case in found)
            for verdict in verdicts
        ]
        yield f"| {name} | " + " | ".join(map(str, counts)) + " |"
    yield ""


def _caused(title: str, causes: list[Cause]) -> Iterator[str]:
    """What is broken, each requirement under its cause."""
    if not causes:
        return
    yield f"### {title}"
    yield ""
    for cause in causes[:MOST]:
        yield f"- {_stated(cause.entry, cause.operations)} *{escaped(cause.findings[0]['message'])}*"
        yield from (
            f"  - also seen as {_stated(also.entry, also.operations)}" for also in cause.also
        )
    if len(causes) > MOST:
        left = [
            entry["id"]
            for cause in causes[MOST:]
            for entry in (cause.entry, *(also.entry for also in cause.also))
        ]
        yield f"- … and {len(set(left))} more: {', '.join(map(escaped, dict.fromkeys(left)))}"
    yield ""


def _stated(entry: Mapping[str, Any], operations: Sequence[str]) -> str:
    where = f" on {', '.join(map(escaped, operations))}" if operations else ""
    return f"**{escaped(entry['id'])}**{where}: {escaped(entry['statement'])}"


def _section(title: str, found: list[Case]) -> Iterator[str]:
    if not found:
        return
    yield f"### {title}"
    yield ""
    for case in found[:MOST]:
        yield f"- **{escaped(case.name)}**: {escaped(case.statement)} *{escaped(case.known or case.message)}*"
    if len(found) > MOST:
        yield f"- … and {len(found) - MOST} more"
    yield ""


def escaped(text: str) -> str:
    """One line of text that no Markdown reader takes for markup, a link or a mention."""
    return plain(visible([(short(text, LONGEST), "")])).translate(_SPECIAL)
