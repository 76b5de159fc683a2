"""The report as lines for a terminal: what is broken first, then what could not be judged, then what was observed."""

import json
from collections.abc import Iterator
from typing import Any

VERDICTS = {
    "conformant": "CONFORMANT: every requirement that was to be judged is kept",
    "non-conformant": "NON-CONFORMANT: the target breaks the contract",
    "inconclusive": "INCONCLUSIVE: nothing is broken, but not everything could be judged",
}
LONGEST_BODY = 600
MOST_SHOWN = 3
MOST_OBSERVED = 6


def lines(report: dict[str, Any]) -> Iterator[str]:
    """The whole report, one line at a time, without colours."""
    failed = [entry for entry in report["requirements"] if entry["verdict"] in ("fail", "error") and entry["level"] != "observe"]
    for entry in sorted(failed, key=lambda entry: (entry["level"] != "must", entry["verdict"] != "fail")):
        wrong = [found for found in entry["findings"] if found["verdict"] in ("fail", "error")]
        for found in wrong[:MOST_SHOWN]:
            yield from told(entry, found)
            yield ""
        if len(wrong) > MOST_SHOWN:
            yield f"  … and {len(wrong) - MOST_SHOWN} more findings on {entry['id']} in report.json"
            yield ""
    yield from _undecided(report)
    yield from _observed(report)
    yield from _end(report)


def told(entry: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """One finding: the requirement, what was sent, what came, and what was expected."""
    word = {"fail": "BROKEN" if entry["level"] == "must" else "WARNING", "error": "CHECKER ERROR"}.get(found["verdict"], found["verdict"])
    yield f"{word}  {entry['id']}" + (f"  on {found['operation']}" if found["operation"] else "")
    yield f"  promised   {entry['statement']}  ({entry['section']})"
    yield f"  found      {found['message']}" + (f"  ({found['occurrences']} times)" if found["occurrences"] > 1 else "")
    if found["expected"]:
        yield f"  expected   {found['expected']}"
    for exchange in found["exchanges"][-1:]:
        yield f"  sent       {exchange['curl']}"
        yield f"  came       {_came(exchange)}"


def _came(exchange: dict[str, Any]) -> str:
    response = exchange.get("response")
    if response is None:
        return f"no response: {exchange['failure']}"
    text = response["body"].get("text", "(binary)")
    text = text if len(text) <= LONGEST_BODY else f"{text[:LONGEST_BODY]}…"
    # What comes from a target may hold control characters that move the cursor.
    shown = text if text.isprintable() else json.dumps(text)[1:-1]
    return f"{response['status']} {shown}"


def _undecided(report: dict[str, Any]) -> Iterator[str]:
    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in report["requirements"]:
        if entry["verdict"] != "inconclusive" or entry["level"] == "observe" or entry["id"].startswith("untested/"):
            continue
        found = next((found for found in entry["findings"] if found["verdict"] == "inconclusive"), None)
        needs, message = (", ".join(found["needs"]), found["message"]) if found else ("", "not run")
        reasons.setdefault((needs, message), []).append(entry["id"])
    if reasons:
        yield "NOT JUDGED, and what would settle it"
    for (needs, message), ids in reasons.items():
        yield f"  {needs or 'data in the target'}: {message}"
        yield f"      {', '.join(ids)}"
    if reasons:
        yield ""


def _observed(report: dict[str, Any]) -> Iterator[str]:
    if report["observations"]:
        yield "OBSERVED, where the specification is silent"
    for entry in report["observations"]:
        values = entry["values"]
        shown = ", ".join(json.dumps(value, ensure_ascii=False) for value in values[:MOST_OBSERVED])
        more = f" … {len(values)} in all" if len(values) > MOST_OBSERVED else ""
        yield f"  {entry['id'].removeprefix('observe/')}  {entry['subject']}: {shown}{more}"
    if report["observations"]:
        yield ""


def _end(report: dict[str, Any]) -> Iterator[str]:
    yield VERDICTS[report["verdict"]] + (" (interrupted)" if report["interrupted"] else "")
    for level, counted in report["counts"].items():
        yield f"  {level:7}" + "  ".join(f"{number} {name}" for name, number in counted.items() if number or name in ("pass", "fail"))
    exchanges = report["exchanges"]
    sent = ", ".join(f"{number} {method}" for method, number in exchanges["methods"].items())
    yield f"  {exchanges['count']} exchanges ({sent}) with {report['target']['base-url']} in {report['duration']:.1f} s"
    yield f"  seed {report['suite']['seed']}, depth {report['suite']['depth']}"
