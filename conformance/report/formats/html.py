"""The report as one HTML file that needs nothing else: no network, no script of others, no style of others.

Whatever a target has sent may stand in it. Every text goes through `visible` and then through autoescaping, and a
content security policy lets nothing run but the script of this package, and nothing be loaded.
"""

import base64
import hashlib
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from itertools import chain
from typing import Any
from urllib.parse import quote, urlsplit

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from conformance.report import profile_hints
from conformance.report.causes.location import Spot
from conformance.report.document import is_checked
from conformance.report.page import survey
from conformance.report.page.entry import KINDS, Entry, entries
from conformance.report.page.pane import Pane, pane
from conformance.report.page.survey import Survey
from conformance.report.page.text import command, short, visible

Document = Mapping[str, Any]

FOLDER = "conformance.report.page"
MOST_AT_A_GLANCE = 5
MOST_VALUES = 12
LONGEST_VALUE = 160
HEADLINES = {
    "conformant": "Conformant",
    "non-conformant": "Non-conformant",
    "inconclusive": "Inconclusive",
}
COLOURS = {"conformant": "1c6339", "non-conformant": "a8201a", "inconclusive": "7a5200"}
COLUMNS = ("broken", "warning", "open", "kept")
RARE = ("error", "absent")


@dataclass(frozen=True)
class Inline:
    """A style or a script that stands in the page, and its digest for the content security policy."""

    text: Markup
    digest: str


def render(report: Document, exchanges: Iterable[Document]) -> str:
    """The page for the document of report.json and the documents of exchanges.jsonl."""
    shown = entries(report)
    groups = {kind: [entry for entry in shown if entry.kind == kind] for kind in KINDS}
    operations = list(dict.fromkeys(operation for entry in shown for operation in entry.operations))
    seen = survey.of(exchanges, report["target"]["base-url"], operations)
    return _template().render(
        report=report,
        kinds=KINDS,
        groups=groups,
        survey=seen,
        samples=_samples(seen),
        observed=list(_observed(report, groups["observed"])),
        style=_inline("page.css"),
        script=_inline("page.js"),
        again=_again(report),
        is_in_process=_is_in_process(report),
        plot_width=survey.WIDTH,
        **_first_screen(report, groups),
        **_undecided(report),
        **_options(groups, operations),
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "address": _address,
        "duration": survey.duration,
        "moment": _moment,
        "value": _value,
    }
    return environment.get_template("page.html.jinja")


def _text(name: str) -> str:
    return (resources.files(FOLDER) / name).read_text(encoding="utf-8")


@cache
def _inline(name: str) -> Inline:
    text = _text(name)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Inline(Markup(text), f"sha256-{digest}")  # a file of this package


def _shown(value: Any) -> Any:
    """What the template shows of any value: texts without anything hidden in them."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _address(id: str) -> str:
    return quote(id, safe="/", errors="replace")


def _moment(text: str) -> str:
    try:
        return f"{datetime.fromisoformat(text):%d %B %Y, %H:%M %Z}"
    except ValueError:
        return text


def _value(value: Any) -> str:
    return short(
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), LONGEST_VALUE
    )


# --- the first screen ----------------------------------------------------------------------------------------------------


def _first_screen(report: Document, groups: Mapping[str, list[Entry]]) -> dict[str, Any]:
    broken = [
        entry
        for kind in ("broken", "error", "warning")
        for entry in groups[kind]
        if not entry.behind
    ]
    judged = [entry for kind in (*COLUMNS, *RARE) for entry in groups[kind]]
    columns = [*COLUMNS, *(kind for kind in RARE if groups[kind])]
    names = dict.fromkeys(entry["class"] for entry in report["requirements"])
    counts = {name: {kind: _count(judged, name, kind) for kind in columns} for name in names}
    return {
        "headline": HEADLINES[report["verdict"]],
        "colour": COLOURS[report["verdict"]],
        "sentence": _sentence(report, groups),
        "warnings": list(_warnings(report, groups)),
        "columns": columns,
        "classes": {name: counted for name, counted in counts.items() if any(counted.values())},
        "totals": {kind: len(groups[kind]) for kind in columns},
        "glance": broken[:MOST_AT_A_GLANCE],
        "more_broken": len(broken[MOST_AT_A_GLANCE:]),
    }


def _count(entries: Sequence[Entry], name: str, kind: str) -> int:
    return sum(entry.conformance_class == name and entry.kind == kind for entry in entries)


def _sentence(report: Document, groups: Mapping[str, list[Entry]]) -> str:
    if report["verdict"] == "non-conformant":
        classes = dict.fromkeys(entry.conformance_class for entry in groups["broken"])
        number = len(groups["broken"])
        return f"The target breaks the contract: {_number(number)} {'is' if number == 1 else 'are'} broken, in {_listed(list(classes))}."
    if report["verdict"] == "conformant":
        return "The target keeps the contract: every requirement that was to be judged is kept."
    return f"Nothing is broken, but {_number(len(groups['open']))} could not be judged."


def _warnings(report: Document, groups: Mapping[str, list[Entry]]) -> Iterator[str]:
    if report["interrupted"]:
        yield "The run was interrupted: this is what was known by then."
    if groups["error"]:
        yield f"The checker itself failed on {_number(len(groups['error']))}."
    if report["verdict"] == "non-conformant" and groups["open"]:
        yield f"{_number(len(groups['open'])).capitalize()} could not be judged."
    if stale := report.get("known-failures", {}).get("stale"):
        names = _listed(sorted({entry["requirement"] for entry in stale}))
        yield f"The known failures are out of date: {names}."


def _number(number: int) -> str:
    return f"{number} requirement{'' if number == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _is_in_process(report: Document) -> bool:
    # A name under .invalid belongs to nobody (RFC 6761).
    return (urlsplit(report["target"]["base-url"]).hostname or "").endswith(".invalid")


def _again(report: Document) -> str:
    """The command that repeats the run."""
    target, suite = report["target"], report["suite"]
    words = ["conformance", "run"]
    if not _is_in_process(report):
        words += ["--base-url", target["base-url"]]
        words += ["--target", target["profile"]] if target["profile"] else []
    return command(shlex.join([*words, "--depth", suite["depth"], "--seed", str(suite["seed"])]))


# --- the rest ------------------------------------------------------------------------------------------------------------


def _undecided(report: Document) -> dict[str, Any]:
    undecided = [entry for entry in report["requirements"] if _is_undecided(entry)]
    wants = profile_hints.wants(report, undecided)
    stated = chain.from_iterable(profile_hints.settings(want.key) for want in wants)
    return {"wants": wants, "profile_lines": list(profile_hints.toml(stated))}


def _is_undecided(entry: Document) -> bool:
    return entry["verdict"] == "inconclusive" and is_checked(entry)


def _options(groups: Mapping[str, list[Entry]], operations: Sequence[str]) -> dict[str, Any]:
    classes = dict.fromkeys(entry.conformance_class for group in groups.values() for entry in group)
    return {
        "class_options": [(name, name) for name in classes],
        "kind_options": [(kind, word) for kind, word in KINDS.items() if groups[kind]],
        "operation_options": [(name, name) for name in operations],
    }


def _samples(seen: Survey) -> dict[str, dict[str, Pane]]:
    return {
        operation: {
            cell.status: pane(cell.sample, Spot()) for cell in cells if cell.sample is not None
        }
        for operation, cells in seen.cells.items()
    }


def _observed(
    report: Document, stated: Sequence[Entry]
) -> Iterator[tuple[Entry, list[tuple[str, list[str], int]]]]:
    untested = {entry["id"] for entry in report["requirements"] if "untested" in entry}
    for entry in stated:
        rows = [seen for seen in report["observations"] if seen["id"] == entry.id]
        if rows or entry.id not in untested:
            yield entry, [_row(seen) for seen in rows]


def _row(seen: Document) -> tuple[str, list[str], int]:
    values = seen["values"]
    return (
        seen["subject"],
        [_value(value) for value in values[:MOST_VALUES]],
        len(values[MOST_VALUES:]),
    )
