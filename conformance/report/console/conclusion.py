"""The verdict of a run and its numbers, for a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence

from conformance.contract.quantity import quantity
from conformance.report import (
    circumstances,
    coverage,
    document,
    needed_budget,
    shards,
    subject,
    unchecked,
)
from conformance.report.causes.attribution import attributed
from conformance.report.console.line import Span
from conformance.report.document import NARROW, has_error
from conformance.report.document_types import (
    BudgetEntry,
    GapEntry,
    KnownFailuresEntry,
    Report,
    SuiteEntry,
)
from conformance.report.gathered import MAX_FAILURES
from conformance.report.known_failures import is_all_known
from conformance.report.text import short

WHOLE = "CONFORMANT: every requirement that was checked"
TARGET = "the target"
VERDICTS = {
    "conformant": (f"{WHOLE} passed", "good"),
    "non-conformant": ("NON-CONFORMANT: the target violates the contract", "bad"),
    "inconclusive": ("INCONCLUSIVE: nothing failed, but not everything could be checked", "warn"),
}
INTERRUPTED = {
    "conformant": ("INTERRUPTED: every requirement that was checked so far passed", "warn"),
    "non-conformant": (
        "INTERRUPTED, but NON-CONFORMANT already: the target violates the contract",
        "bad",
    ),
    "inconclusive": ("INTERRUPTED: nothing failed so far", "warn"),
}
KNOWN = (
    "NON-CONFORMANT, as is known: each failure is a known failure, and none fails this run",
    "warn",
)
STOPPED = ("STOPPED by --max-failures, NON-CONFORMANT: the target violates the contract", "bad")
NARROWED = ("NARROWED: nothing failed of what was asked for; the rest was not checked", "warn")
SHARD = {
    "conformant": ("nothing failed", "good"),
    "non-conformant": ("NON-CONFORMANT already: the target violates the contract", "bad"),
    "inconclusive": ("nothing failed", "good"),
}
"""What one of several shards says: `conformance merge` decides on the rest."""

EFFECTS = {
    "max-time": "ENDED by --max-time: what was left is inconclusive",
    "max-requests": "ENDED by --max-requests: what was left is inconclusive",
    "away": "ENDED, since the target no longer responded: --resume goes on once it does",
    MAX_FAILURES: "--resume goes on with what was left",
    "max-response-bytes": "too long to be checked (limits.max-response-bytes): {count}",
    "memory": "not checked for lack of memory: {count}",
    "max-log": "with the beginning only in exchanges.jsonl, or left out (--max-log): {count}",
    "evidence": "with the beginning only in the report: {count}",
}
"""What each budget of a run leaves out."""

MOST_REASONS = 3
LONGEST_REASON = 200


def spans(report: Report) -> Iterator[list[Span]]:
    """The verdict, the counts and how to repeat the run, line by line."""
    yield from _verdict(report)
    yield from _errors(report)
    for level, counted in report["counts"].items():
        yield [(f"  {level:7}{_counts(counted)}", "")]
    yield [(f"  coverage  {coverage.sentence(report)}", "")]
    yield from _causes(report)
    if "known-failures" in report:
        yield from _known_failures(report["known-failures"])
    if "gate" in report and not (report["interrupted"] or shards.is_part(report)):
        gaps = report["gate"]["gaps"]
        yield from _gaps([gap for gap in gaps if "known" not in gap])
    yield from _masked(report.get("masked", ()))
    yield from _budgets(report.get("budgets", ()))
    yield from _rounds(report)
    for sentence in circumstances.sentences(report):
        yield [(f"  {sentence}", "warn")]
    yield [(f"  target  {report['target']['base-url']}", "")]
    yield [(f"  {_traffic(report)}", "")]
    if needed := needed_budget.sentence(report):
        yield [(f"  {needed}", "")]
    yield [(f"  {settings(report['suite'])}", "")]
    if shards.is_part(report):
        yield [("  `conformance merge DIR…` makes one report of all shards", "")]


def _rounds(report: Report) -> Iterator[list[Span]]:
    """Which rounds of a run that was cut have come to their ends."""
    whole, depth = report.get("whole"), report["suite"]["depth"]
    if whole is not None and depth not in whole:
        named = " and ".join(whole)
        sentence = f"checked to the end: depth {named}" if whole else "no depth checked to the end"
        yield [(f"  {sentence}", "")]


def _verdict(report: Report) -> Iterator[list[Span]]:
    part = shards.described(report["suite"])
    if shards.is_part(report) and not report["interrupted"]:
        sentence, style = SHARD[report["verdict"]]
        yield [(f"{part.upper()}: {sentence}", style)]
        return
    yield [_sentence(report)]
    if only := report["suite"].get("only"):
        yield [(f"  only {short(', '.join(only), LONGEST_REASON)}", "warn")]
    if part:
        yield [(f"  {part}", "warn")]


def _sentence(report: Report) -> Span:
    """The verdict in a sentence, with its style."""
    if is_all_known(report):
        return KNOWN
    if any(each["budget"] == MAX_FAILURES for each in report.get("budgets", ())):
        return STOPPED
    if report["interrupted"]:
        sentence, style = INTERRUPTED[report["verdict"]]
        return sentence.replace(TARGET, subject.name(report)), style
    is_silent = report["verdict"] != "non-conformant" and not unchecked.of(report)["count"]
    is_narrowed = "only" in report["suite"] and is_silent
    sentence, style = NARROWED if is_narrowed else VERDICTS[report["verdict"]]
    sentence = sentence.replace(WHOLE, _at_depth(report["suite"]["depth"]))
    if report["verdict"] == "conformant":
        sentence += document.beside(report["counts"])
    return sentence.replace(TARGET, subject.name(report)), style


def _at_depth(depth: str) -> str:
    verdict = f"CONFORMANT at depth {depth}, which is no verdict on the whole: what it checks"
    return verdict if depth in NARROW else WHOLE


def _errors(report: Report) -> Iterator[list[Span]]:
    """That the checker itself has failed, which decides on the exit code."""
    number = sum(map(has_error, report["requirements"]))
    if number:
        noun = quantity(number, "requirement")
        yield [(f"  INTERNAL ERROR in the checks of {noun}: please report it", "bad")]


def settings(suite: SuiteEntry) -> str:
    """What a run has to be given so that it is repeated."""
    revision = f", revision {suite['revision']}" if "revision" in suite else ""
    more = f", {quantity(suite['rounds'], 'further round')}" if "rounds" in suite else ""
    depth = "" if "subject" in suite else f"depth {suite['depth']}, "
    return f"{depth}seed {suite['seed']}{revision}{more}"


def _counts(counted: dict[str, int]) -> str:
    shown = (
        f"{number} {verdict}" for verdict, number in counted.items() if number or verdict == "fail"
    )
    return ", ".join(shown)


def _traffic(report: Report) -> str:
    exchanges = report["exchanges"]
    methods = ", ".join(f"{number} {method}" for method, number in exchanges["methods"].items())
    count = quantity(exchanges["count"], "exchange") + (f" ({methods})" if methods else "")
    return f"{count} in {report['duration']:.1f} s"


def _masked(names: Sequence[str]) -> Iterator[list[Span]]:
    """The artefacts in which the final scan masked a secret."""
    if names:
        shown = short(", ".join(names), LONGEST_REASON)
        yield [(f"  WARNING: a secret was masked in {shown}", "warn")]


def _budgets(budgets: Sequence[BudgetEntry]) -> Iterator[list[Span]]:
    """What the budgets of the run have left out."""
    for each in budgets:
        effect = EFFECTS[each["budget"]].format(count=quantity(each["count"], "response"))
        yield [(f"  {effect}", "warn")]


def _causes(report: Report) -> Iterator[list[Span]]:
    """The number of causes, where it is smaller than that of failed requirements."""
    causes = attributed(report)
    failed = {entry["id"] for cause in causes for entry in cause.entries}
    if len(causes) < len(failed):
        number = quantity(len(causes), "cause")
        yield [(f"  {number} of {quantity(len(failed), 'failed requirement')}", "")]


def _gaps(gaps: Sequence[GapEntry]) -> Iterator[list[Span]]:
    """What was required and could not be checked, with the most frequent reasons."""
    if not gaps:
        return
    reasons = Counter(gap["reason"] for gap in gaps)
    number = quantity(len(gaps), "required requirement")
    yield [(f"  INCOMPLETE: {number} could not be checked", "bad")]
    for reason, count in reasons.most_common(MOST_REASONS):
        yield [(f"  {count:4}  ", ""), (short(reason, LONGEST_REASON), "strong")]


def _known_failures(known: KnownFailuresEntry) -> Iterator[list[Span]]:
    accepted = known.get("accepted", [])
    if accepted:
        number = quantity(len({requirement for requirement, _ in accepted}), "requirement")
        yield [(f"  {number} not checked, as known gaps", "")]
    if known["unknown"] or known["stale"]:
        yield [("  the failures differ from the known failures", "bad")]
    for entry in known["stale"]:
        where = f" on {entry['operation']}" if entry["operation"] else ""
        text = f"{entry['requirement']}{where}: {entry['problem']}"
        yield [("  outdated entry  ", "warn"), (text, "")]
