"""The report as lines for a terminal: what is broken first, then what could not be judged, then what was observed.

Whatever a target has sent may stand in these lines, so no character of them that cannot be seen is left as it is.
"""

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Span = tuple[str, str]
"""A piece of a line and its part in it: bad, warn, good, strong, dim, or nothing in particular ("")."""

VERDICTS = {
    "conformant": ("good", "CONFORMANT: every requirement that was to be judged is kept"),
    "non-conformant": ("bad", "NON-CONFORMANT: the target breaks the contract"),
    "inconclusive": ("warn", "INCONCLUSIVE: nothing is broken, but not everything could be judged"),
}
WORDS = {"must": ("bad", "BROKEN"), "should": ("warn", "WARNING")}
PARTIAL = {
    "conformant": ("warn", "INTERRUPTED: what was judged until then is kept"),
    "non-conformant": ("bad", "INTERRUPTED, and NON-CONFORMANT already: the target breaks the contract"),
    "inconclusive": ("warn", "INTERRUPTED: nothing was broken until then"),
}
WIDTH = 110
LONGEST_BODY = 600
LONGEST_COMMAND = 2_000
LONGEST_MESSAGE = 300
LONGEST_VALUE = 60
MOST_TOLD = 20
MOST_REASONS = 8
MOST_OBSERVED = 3
MOST_VALUES = 4


def lines(report: dict[str, Any]) -> Iterator[str]:
    """The whole report, one line at a time, without colours."""
    return map(plain, spans(report))


def plain(line: Sequence[Span]) -> str:
    """A line without its parts."""
    return "".join(text for text, _ in line)


def spans(report: dict[str, Any]) -> Iterator[list[Span]]:
    """The whole report, one line at a time, in parts."""
    for part in (_broken(report), _undecided(report), _observed(report)):
        for line in part:
            yield visible(line)
    yield from map(visible, _end(report))


def told(entry: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """One finding: the requirement, what was promised, what was sent, what came, and what was expected."""
    return (plain(visible(line)) for line in _told(entry, [found]))


def visible(line: Iterable[Span]) -> list[Span]:
    """A line in which control characters, invisible ones and those that turn the direction of writing are spelled out."""
    return [(text if text.isprintable() else "".join(map(_spelled, text)), part) for text, part in line]


def _spelled(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


# --- what is broken ------------------------------------------------------------------------------------------------------


def _broken(report: dict[str, Any]) -> Iterator[list[Span]]:
    entries = [entry for entry in report["requirements"] if entry["verdict"] in ("fail", "error") and entry["level"] != "observe"]
    entries.sort(key=lambda entry: (entry["verdict"] != "fail", entry["level"] != "must"))
    for entry in entries[:MOST_TOLD]:
        yield from _told(entry, [found for found in entry["findings"] if found["verdict"] == entry["verdict"]])
        yield []
    for entry in entries[MOST_TOLD:]:
        yield [_word(entry, entry["verdict"]), (f"  {entry['id']}", "strong"), (f"  {entry['statement']}", "")]
    if entries[MOST_TOLD:]:
        yield []


def _told(entry: dict[str, Any], findings: list[dict[str, Any]]) -> Iterator[list[Span]]:
    """The first finding whole; of the others where they were made and what they say."""
    found, *others = findings
    where = f"  on {found['operation']}" if found["operation"] else ""
    yield [_word(entry, found["verdict"]), (f"  {entry['id']}", "strong"), (where, "")]
    yield [("  promised   ", "dim"), (entry["statement"], ""), (f"  ({entry['section']})", "dim")]
    yield [("  found      ", "dim"), (_message(found), "")]
    if found["expected"]:
        yield [("  expected   ", "dim"), (_short(found["expected"], LONGEST_MESSAGE), "")]
    for exchange in found["exchanges"][-1:]:
        yield [("  sent       ", "dim"), (_sent(exchange["curl"]), "")]
        yield [("  came       ", "dim"), (_came(exchange), "")]
    if others:
        yield [("  also       ", "dim"), (_elsewhere(found, others), "")]


def _word(entry: dict[str, Any], verdict: str) -> Span:
    part, word = {"fail": WORDS[entry["level"]], "error": ("bad", "CHECKER ERROR")}.get(verdict, ("warn", verdict.upper()))
    return word, part


def _message(found: dict[str, Any]) -> str:
    times = f"  ({found['occurrences']} times)" if found["occurrences"] > 1 else ""
    return _short(found["message"], LONGEST_MESSAGE) + times


def _elsewhere(first: dict[str, Any], others: list[dict[str, Any]]) -> str:
    places = dict.fromkeys(found["operation"] for found in others if found["operation"] not in (None, first["operation"]))
    where = f"on {', '.join(places)}" if places else "in other ways"
    return f"{where} (report.json tells each)"


def _sent(command: str) -> str:
    if len(command) > LONGEST_COMMAND:
        return f"{command[:LONGEST_COMMAND]}… (whole in report.json)"
    return command if command.isprintable() else f"{command}  (with characters spelled out; as it was sent in report.json)"


def _came(exchange: dict[str, Any]) -> str:
    response = exchange.get("response")
    if response is None:
        return f"no response: {_short(exchange['failure'], LONGEST_MESSAGE)}"
    return f"{response['status']} {_short(_compact(response['body'].get('text', '(binary)')), LONGEST_BODY)}"


def _compact(text: str) -> str:
    """JSON in one line, without the blanks of its layout."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return text


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


# --- what could not be judged --------------------------------------------------------------------------------------------


def _undecided(report: dict[str, Any]) -> Iterator[list[Span]]:
    entries = [entry for entry in report["requirements"] if _is_undecided(entry)]
    if not entries:
        return
    yield [("NOT JUDGED", "warn"), (f"  {_number(entries)}; what would settle them, and how many each:", "")]
    for key, names in sorted(_missing(entries, interrupted=report["interrupted"]).items(), key=lambda pair: -len(pair[1])):
        first, *rest = _wrapped(_gathered(names))
        yield [(f"  {key:28}", "strong"), (f"{len(names):4}  ", ""), (first.strip(), "dim")]
        yield from ([(line, "dim")] for line in rest)
    yield from _obstacles(entries)
    yield []


def _missing(entries: Sequence[dict[str, Any]], *, interrupted: bool) -> dict[str, list[str]]:
    """What is missing, and what waits for it: under each key of the profile the requirements that need it."""
    missing: dict[str, list[str]] = {}
    unseen = []
    for entry in entries:
        keys = dict.fromkeys(_table(key) for found in _open(entry) for key in found["needs"])
        for key in keys:
            missing.setdefault(key, []).append(_name(entry))
        unseen += [] if keys else [entry["id"]]
    # Without a caller nothing is answered, so that nothing shows what every answer has to keep.
    key = "a run to its end" if interrupted else "credentials.primary" if "credentials.primary" in missing else "data in the target"
    if unseen:
        missing.setdefault(key, []).extend(unseen)
    return missing


def _obstacles(entries: Sequence[dict[str, Any]]) -> Iterator[list[Span]]:
    """What the target did that was in the way."""
    reasons: dict[str, list[str]] = {}
    for entry in entries:
        for message in dict.fromkeys(found["message"] for found in _open(entry) if found["exchanges"]):
            reasons.setdefault(message, []).append(entry["id"])
    if reasons:
        yield [("  In the way was:", "")]
    ordered = sorted(reasons.items(), key=lambda pair: -len(pair[1]))
    for message, names in ordered[:MOST_REASONS]:
        yield [(f"  {len(names):4}  ", ""), (_short(message, LONGEST_MESSAGE), "strong")]
        yield from ([(line, "dim")] for line in _wrapped(_gathered(names), "        "))
    if rest := ordered[MOST_REASONS:]:
        yield [(f"  … and {len(rest)} other reasons in report.json", "")]


def _open(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return [found for found in entry["findings"] if found["verdict"] == "inconclusive"]


def _is_undecided(entry: dict[str, Any]) -> bool:
    return entry["verdict"] == "inconclusive" and entry["level"] != "observe" and not entry["id"].startswith("untested/")


def _table(key: str) -> str:
    """The part of a key that says enough: which of the permissions or fixtures is missing stands in report.json."""
    return ".".join(key.split(".")[:2]) if key.startswith(("credentials.", "fixtures.")) else key


def _name(entry: dict[str, Any]) -> str:
    open_ones = sum(verdict == "inconclusive" for verdict in entry["operations"].values())
    total = len(entry["operations"])
    return f"{entry['id']} (on {open_ones} of {total})" if 0 < open_ones < total else str(entry["id"])


def _gathered(names: Sequence[str]) -> str:
    """Ids with what they have in common written once: `read/success, identity; page/items`."""
    areas: dict[str, list[str]] = {}
    for name in names:
        area, _, point = name.partition("/")
        areas.setdefault(area, []).append(point)
    return "; ".join(f"{area}/{', '.join(points)}" for area, points in areas.items())


def _wrapped(text: str, indent: str = " " * 36) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _number(entries: Sequence[Any]) -> str:
    return f"{len(entries)} requirement{'' if len(entries) == 1 else 's'}"


# --- what was observed, and the end --------------------------------------------------------------------------------------


def _observed(report: dict[str, Any]) -> Iterator[list[Span]]:
    seen = report["observations"]
    if not seen:
        return
    yield [("OBSERVED", "strong"), (", where the specification is silent", "")]
    for id in dict.fromkeys(entry["id"] for entry in seen):
        entries = [entry for entry in seen if entry["id"] == id]
        for entry in entries[:MOST_OBSERVED]:
            yield [(f"  {id.removeprefix('observe/'):18}{entry['subject']}: ", ""), (_values(entry["values"]), "dim")]
        if len(entries) > MOST_OBSERVED:
            yield [(f"  {'':18}… and {len(entries) - MOST_OBSERVED} more in report.json", "")]
    yield []


def _values(values: Sequence[Any]) -> str:
    shown = ", ".join(_short(json.dumps(value, ensure_ascii=False), LONGEST_VALUE) for value in values[:MOST_VALUES])
    return f"{shown} … {len(values)} in all" if len(values) > MOST_VALUES else shown


def _end(report: dict[str, Any]) -> Iterator[list[Span]]:
    part, sentence = (PARTIAL if report["interrupted"] else VERDICTS)[report["verdict"]]
    yield [(sentence, part)]
    for level, counted in report["counts"].items():
        yield [(f"  {level:7}" + ", ".join(f"{number} {name}" for name, number in counted.items() if number or name == "fail"), "")]
    exchanges = report["exchanges"]
    sent = ", ".join(f"{number} {method}" for method, number in exchanges["methods"].items())
    sent = f" ({sent})" if sent else ""
    yield [(f"  {exchanges['count']} exchanges{sent} with {report['target']['base-url']} in {report['duration']:.1f} s", "")]
    yield [(f"  depth {report['suite']['depth']}, seed {report['suite']['seed']}", "")]
