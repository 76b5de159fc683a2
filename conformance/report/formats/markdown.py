"""The report as a Markdown summary, short enough for a pull request or a CI job."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from conformance.contract.quantity import quantity
from conformance.contract.verdict import Level, Verdict
from conformance.report import circumstances, coverage, needs, shards, unchecked
from conformance.report.cases import Case, cases
from conformance.report.causes.attribution import Cause, attributed
from conformance.report.document_types import Report, RequirementEntry
from conformance.report.known_failures import is_all_known
from conformance.report.text import short, visible

MARKS = {"conformant": "✅", "non-conformant": "❌", "inconclusive": "❔"}
KNOWN = "☑️"
COLUMNS = ("pass", "fail", "error", "inconclusive", "not-applicable")
MOST = 30
LONGEST = 300
_SPECIAL = str.maketrans(
    {**{character: f"\\{character}" for character in "\\`*_[]<>|#~!&@"}, "$": "&dollar;"}
)
"""Markup, and the dollars of formulas, which a backslash does not keep from being some."""
_ADDRESS = re.compile(r"://|\bwww\.", re.IGNORECASE)
"""What GitHub makes a link of without any markup."""
_UNLINKED = str.maketrans({":": "&colon;", ".": "&period;"})
_REFERENCE = re.compile(r"(?<=[@#])(?=\w)|(?<=\bGH)(?=-\d)", re.IGNORECASE)
"""Where GitHub sees a mention or an issue in the finished text: no escape is left there."""
_APART = "&ZeroWidthSpace;"


def render(report: Report) -> bytes:
    """The file's content; every text of the report is escaped."""
    return "".join(f"{line}\n" for line in _lines(report)).encode("utf-8", "surrogatepass")


def _lines(report: Report) -> Iterator[str]:
    found = list(cases(report))
    causes = attributed(report)
    target = escaped(report["target"]["base-url"])
    mark, verdict = MARKS[report["verdict"]], report["verdict"].capitalize()
    if is_all_known(report):
        mark, verdict = KNOWN, f"{verdict}, as is known"
    yield f"## {mark} {verdict}: {target}"
    yield ""
    yield from _table(found)
    musts = [cause for cause in causes if cause.entry["level"] == Level.MUST]
    yield from _causes("Failed requirements", musts)
    yield from _known(found)
    yield from _outdated(report)
    shoulds = [cause for cause in causes if cause.entry["level"] != Level.MUST]
    yield from _causes("Warnings", shoulds)
    yield from _section("Internal errors", [case for case in found if _is_error(case)])
    yield from _unchecked(report)
    for sentence in circumstances.sentences(report):
        yield from (escaped(sentence), "")
    yield f"Coverage: {coverage.sentence(report)}"
    yield ""
    suite = report["suite"]
    exchanges = quantity(report["exchanges"]["count"], "exchange")
    words = [exchanges, f"depth {suite['depth']}", f"seed {suite['seed']}"]
    words += [f"suite {suite['version']}", shards.described(suite)]
    yield escaped(", ".join(filter(None, words)))


def _known(found: Sequence[Case]) -> Iterator[str]:
    """The known failures, those that are flaky apart."""
    known = [case for case in found if case.known]
    yield from _section("Known failures", [case for case in known if not case.flaky])
    yield from _section("Flaky failures", [case for case in known if case.flaky])


def _outdated(report: Report) -> Iterator[str]:
    """The entries of the known failures that fail the job, since they no longer apply."""
    stale = report["known-failures"]["stale"] if "known-failures" in report else []
    if not stale:
        return
    yield "### Outdated known failures"
    yield ""
    for entry in stale:
        where = f" on {escaped(entry['operation'])}" if entry["operation"] else ""
        yield f"- **{escaped(entry['requirement'])}**{where}: {escaped(entry['problem'])}"
    yield ""


def _is_error(case: Case) -> bool:
    return case.verdict == Verdict.ERROR


def _table(found: Sequence[Case]) -> Iterator[str]:
    """The number of cases by class and verdict."""
    yield f"| class | {' | '.join(COLUMNS)} |"
    yield "|---|" + "---:|" * len(COLUMNS)
    counted: dict[str, Counter[str]] = {}
    for case in found:
        counted.setdefault(case.conformance_class, Counter())[case.verdict] += 1
    for name, verdicts in counted.items():
        numbers = (str(verdicts[verdict]) for verdict in COLUMNS)
        yield f"| {escaped(name)} | {' | '.join(numbers)} |"
    yield ""


def _causes(title: str, causes: Sequence[Cause]) -> Iterator[str]:
    """The failed requirements, each under its cause."""
    if not causes:
        return
    yield f"### {title}"
    yield ""
    for cause in causes[:MOST]:
        message = escaped(cause.findings[0]["message"])
        yield f"- {_statement(cause.entry, cause.operations)} *{message}*"
        if cause.reason:
            yield f"  - reason: {escaped(cause.reason)}"
        for also in cause.also:
            yield f"  - same cause: {_statement(also.entry, also.operations)}"
    rest = dict.fromkeys(entry["id"] for cause in causes[MOST:] for entry in cause.entries)
    if rest:
        yield f"- … and {len(rest)} more: {', '.join(map(escaped, rest))}"
    yield ""


def _statement(entry: RequirementEntry, operations: Sequence[str]) -> str:
    where = f" on {', '.join(map(escaped, operations))}" if operations else ""
    return f"**{escaped(entry['id'])}**{where}: {escaped(entry['statement'])}"


def _section(title: str, found: Sequence[Case]) -> Iterator[str]:
    if not found:
        return
    yield f"### {title}"
    yield ""
    for case in found[:MOST]:
        reason = escaped(case.reason or case.message)
        yield f"- **{escaped(case.name)}**: {escaped(case.statement)} *{reason}*"
    if len(found) > MOST:
        yield f"- … and {len(found) - MOST} more"
    yield ""


def _unchecked(report: Report) -> Iterator[str]:
    """What is needed to check the other requirements."""
    rest = unchecked.of(report)
    if not rest["needs"]:
        return
    yield "### Not checked"
    yield ""
    for reason in rest.get("rejections", []):
        yield f"- **{escaped(reason['message'])}**: {escaped(reason['remedy'])}"
    for need in rest["needs"]:
        number = quantity(len(need["requirements"]), "requirement")
        ids = ", ".join(escaped(each["requirement"]) for each in need["requirements"])
        yield f"- needs **{escaped(needs.label(need))}**: {number} ({ids})"
    yield ""


def escaped(text: str) -> str:
    """One line of text without markup, links and mentions; an address is no link either."""
    line = visible(short(text, LONGEST)).strip().translate(_SPECIAL)
    return _REFERENCE.sub(_APART, _ADDRESS.sub(lambda found: found[0].translate(_UNLINKED), line))
