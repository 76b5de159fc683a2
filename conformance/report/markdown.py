"""The report as a Markdown summary, short enough for a pull request or the page of a CI job."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.report.cases import Case, cases
from conformance.report.line import plain, short, visible

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
    yield from _section("Broken requirements", [case for case in found if case.is_broken])
    yield from _section("Known failures", [case for case in found if case.known])
    yield from _section("Warnings", [case for case in found if case.verdict == "fail" and case.level == "should"])
    yield from _section("Errors of the checker", [case for case in found if case.verdict == "error"])
    suite = report["suite"]
    yield f"{report['exchanges']['count']} exchanges, depth {suite['depth']}, seed {suite['seed']}, suite {suite['version']}"


def _table(found: list[Case]) -> Iterator[str]:
    verdicts = ("pass", "fail", "error", "inconclusive", "not-applicable")
    yield "| class | " + " | ".join(verdicts) + " |"
    yield "|---|" + "---:|" * len(verdicts)
    for name in dict.fromkeys(case.conformance_class for case in found):
        counts = [sum(case.verdict == verdict and case.conformance_class == name for case in found) for verdict in verdicts]
        yield f"| {name} | " + " | ".join(map(str, counts)) + " |"
    yield ""


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
