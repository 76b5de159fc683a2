"""The report as lines for a terminal: what is broken first, then what could not be judged, then what was observed."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.report.causes.attribution import Also, Cause, attributed
from conformance.report.console import unchecked
from conformance.report.console.line import Span, plain, short, visible

VERDICTS = {
    "conformant": ("good", "CONFORMANT: every requirement that was to be judged is kept"),
    "non-conformant": ("bad", "NON-CONFORMANT: the target breaks the contract"),
    "inconclusive": ("warn", "INCONCLUSIVE: nothing is broken, but not everything could be judged"),
}
WORDS = {"must": ("bad", "BROKEN"), "should": ("warn", "WARNING")}
PARTIAL = {
    "conformant": ("warn", "INTERRUPTED: what was judged until then is kept"),
    "non-conformant": (
        "bad",
        "INTERRUPTED, and NON-CONFORMANT already: the target breaks the contract",
    ),
    "inconclusive": ("warn", "INTERRUPTED: nothing was broken until then"),
}
MOST_STEPS = 3
"""Exchanges that are shown of a finding: its last, and what led to it."""
LONGEST_BODY = 600
LONGEST_BEFORE = 200
LONGEST_COMMAND = 2_000
LONGEST_MESSAGE = 300
LONGEST_VALUE = 60
MOST_TOLD = 20
MOST_OBSERVED = 3
MOST_VALUES = 4
LONG = 60.0
"""Seconds after which a run that mostly waits is told what would make it shorter."""


def lines(report: dict[str, Any]) -> Iterator[str]:
    """The whole report, one line at a time, without colours."""
    return map(plain, spans(report))


def spans(report: dict[str, Any]) -> Iterator[list[Span]]:
    """The whole report, one line at a time, in parts."""
    for part in (_broken(report), unchecked.spans(report), _observed(report)):
        for line in part:
            yield visible(line)
    yield from map(visible, _end(report))


def told(entry: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """One finding: the requirement, what was promised, what was sent, what came, and what was expected."""
    return (plain(visible(line)) for line in _told(entry, [found]))


# --- what is broken ------------------------------------------------------------------------------------------------------


def _broken(report: dict[str, Any]) -> Iterator[list[Span]]:
    entries = [entry for entry in report["requirements"] if entry["level"] != "observe"]
    errors = [
        Cause(entry, (), tuple(_wrong(entry))) for entry in entries if entry["verdict"] == "error"
    ]
    news = [*attributed(report), *errors]
    for cause in news[:MOST_TOLD]:
        yield from _told(cause.entry, cause.findings)
        yield from map(_also, cause.also)
        yield []
    for entry in (
        entry
        for cause in news[MOST_TOLD:]
        for entry in (cause.entry, *(also.entry for also in cause.also))
    ):
        yield [
            _word(entry, entry["verdict"]),
            (f"  {entry['id']}", "strong"),
            (f"  {entry['statement']}", ""),
        ]
    known = [
        (entry["id"], found)
        for entry in entries
        if entry["verdict"] == "fail"
        for found in _wrong(entry)
        if "known" in found
    ]
    for id, found in known:
        yield [
            ("KNOWN", "warn"),
            (f"  {id}", "strong"),
            (f"{_on(found)}: {short(found['known'], LONGEST_MESSAGE)}", ""),
        ]
    if news[MOST_TOLD:] or known:
        yield []


def _wrong(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [found for found in entry["findings"] if found["verdict"] == entry["verdict"]]


def _also(also: Also) -> list[Span]:
    """A requirement that fails for the same reason, with what it promises."""
    where = f" on {', '.join(also.operations)}" if also.operations else ""
    word, part = _word(also.entry, "fail")
    return [
        ("  also seen  ", "dim"),
        (f"{word} ", part),
        (also.entry["id"], "strong"),
        (f"{where}: {also.entry['statement']}", ""),
    ]


def _on(found: Mapping[str, Any]) -> str:
    return f"  on {found['operation']}" if found["operation"] else ""


def _told(entry: Mapping[str, Any], findings: Sequence[Mapping[str, Any]]) -> Iterator[list[Span]]:
    """The first finding whole; of the others where they were made and what they say."""
    found, *others = findings
    yield [_word(entry, found["verdict"]), (f"  {entry['id']}", "strong"), (_on(found), "")]
    yield [("  promised   ", "dim"), (entry["statement"], ""), (f"  ({entry['section']})", "dim")]
    yield [("  found      ", "dim"), (_message(found), "")]
    if found["expected"]:
        yield [("  expected   ", "dim"), (short(found["expected"], LONGEST_MESSAGE), "")]
    steps = found["exchanges"][-MOST_STEPS:]
    for exchange in steps:
        yield from _exchanged(exchange, LONGEST_BODY if exchange is steps[-1] else LONGEST_BEFORE)
    if others:
        yield [("  also       ", "dim"), (_elsewhere(found, others), "")]


def _exchanged(exchange: Mapping[str, Any], longest: int) -> Iterator[list[Span]]:
    yield [("  sent       ", "dim"), (_sent(exchange["curl"]), "")]
    yield [("  came       ", "dim"), (_came(exchange, longest), "")]


def _word(entry: Mapping[str, Any], verdict: str) -> Span:
    part, word = {"fail": WORDS[entry["level"]], "error": ("bad", "CHECKER ERROR")}.get(
        verdict, ("warn", verdict.upper())
    )
    return word, part


def _message(found: Mapping[str, Any]) -> str:
    times = f"  ({found['occurrences']} times)" if found["occurrences"] > 1 else ""
    return short(found["message"], LONGEST_MESSAGE) + times


def _elsewhere(first: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    places = dict.fromkeys(
        found["operation"]
        for found in others
        if found["operation"] not in (None, first["operation"])
    )
    where = f"on {', '.join(places)}" if places else "in other ways"
    return f"{where} (report.json tells each)"


def _sent(command: str) -> str:
    if len(command) > LONGEST_COMMAND:
        return f"{command[:LONGEST_COMMAND]}… (whole in report.json)"
    return (
        command
        if command.isprintable()
        else f"{command}  (with characters spelled out; as it was sent in report.json)"
    )


def _came(exchange: Mapping[str, Any], longest: int) -> str:
    response = exchange.get("response")
    if response is None:
        return f"no response: {short(exchange['failure'], LONGEST_MESSAGE)}"
    return (
        f"{response['status']} {short(_compact(response['body'].get('text', '(binary)')), longest)}"
    )


def _compact(text: str) -> str:
    """A text in one line: the line breaks of its layout are taken away, everything else stays as it came."""
    return re.sub(r"\s*\n\s*", " ", text)


# --- what was observed, and the end --------------------------------------------------------------------------------------


def _observed(report: dict[str, Any]) -> Iterator[list[Span]]:
    seen = report["observations"]
    if not seen:
        return
    yield [("OBSERVED", "strong"), (", where the specification is silent", "")]
    for id in dict.fromkeys(entry["id"] for entry in seen):
        entries = [entry for entry in seen if entry["id"] == id]
        for entry in entries[:MOST_OBSERVED]:
            yield [
                (f"  {id.removeprefix('observe/'):18}{entry['subject']}: ", ""),
                (_values(entry["values"]), "dim"),
            ]
        if len(entries) > MOST_OBSERVED:
            yield [(f"  {'':18}… and {len(entries) - MOST_OBSERVED} more in report.json", "")]
    yield []


def _values(values: Sequence[Any]) -> str:
    shown = ", ".join(
        short(json.dumps(value, ensure_ascii=False), LONGEST_VALUE)
        for value in values[:MOST_VALUES]
    )
    return f"{shown} … {len(values)} in all" if len(values) > MOST_VALUES else shown


def _end(report: dict[str, Any]) -> Iterator[list[Span]]:
    part, sentence = (PARTIAL if report["interrupted"] else VERDICTS)[report["verdict"]]
    yield [(sentence, part)]
    for level, counted in report["counts"].items():
        yield [
            (
                f"  {level:7}"
                + ", ".join(
                    f"{number} {name}"
                    for name, number in counted.items()
                    if number or name == "fail"
                ),
                "",
            )
        ]
    yield from _behind(report)
    yield from _gate(report)
    exchanges = report["exchanges"]
    sent = ", ".join(f"{number} {method}" for method, number in exchanges["methods"].items())
    sent = f" ({sent})" if sent else ""
    yield [
        (
            f"  {exchanges['count']} exchanges{sent} with {report['target']['base-url']} in {report['duration']:.1f} s",
            "",
        )
    ]
    yield [(f"  depth {report['suite']['depth']}, seed {report['suite']['seed']}", "")]
    if _waits_for_answers(report):
        yield [
            (
                "  most of that time went by waiting for answers: -n 4 shares the checks out to four processes",
                "dim",
            )
        ]


def _waits_for_answers(report: dict[str, Any]) -> bool:
    """Whether a long run in one process waited for answers, rather than for a pace or a rate limit."""
    waited = sum(each["count"] * each["median"] for each in report.get("latencies", {}).values())
    return bool(
        report["suite"].get("workers") == 1
        and report["duration"] > LONG
        and waited > report["duration"] / 2
    )


def _behind(report: dict[str, Any]) -> Iterator[list[Span]]:
    """How many causes there are, where they are fewer than what is broken."""
    found = attributed(report)
    broken = {
        entry["id"]
        for cause in found
        for entry in (cause.entry, *(also.entry for also in cause.also))
    }
    if len(found) < len(broken):
        yield [
            (
                f"  {len(found)} cause{'' if len(found) == 1 else 's'} behind {len(broken)} failed requirements",
                "",
            )
        ]


def _gate(report: dict[str, Any]) -> Iterator[list[Span]]:
    """What the file of known failures makes of the verdict, where there is one."""
    if gate := report.get("known-failures"):
        passes = not gate["unknown"] and not gate["stale"]
        yield [
            ("  nothing is broken that is not known", "good")
            if passes
            else ("  not let pass by the known failures", "bad")
        ]
        for entry in gate["stale"]:
            where = f" on {entry['operation']}" if entry["operation"] else ""
            yield [
                ("  out of date  ", "warn"),
                (f"{entry['requirement']}{where}: {entry['problem']}", ""),
            ]
