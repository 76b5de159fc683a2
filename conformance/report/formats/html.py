"""The report as one HTML file that needs nothing else: no network, no script and style of others.

It may quote any text of a target. Every text goes through `visible` and then autoescaping, and a
content security policy lets only the script of this package run, and nothing be loaded.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.contract import documentation
from conformance.report import shards, unchecked
from conformance.report.causes.location import NOTHING
from conformance.report.document_types import ExchangeEntry, ObservationEntry, Report
from conformance.report.history import Step
from conformance.report.page import coverage, summary, survey, template
from conformance.report.page.pane import Pane, pane
from conformance.report.page.requirement import WORDS, ShownRequirement, requirements
from conformance.report.page.survey import Survey
from conformance.report.page.timeline import Times

MOST_VALUES = 12
Row = tuple[str, list[str], int]
"""A subject, the first of its values, and the number of further values."""


def render(report: Report, exchanges: Iterable[ExchangeEntry], steps: Sequence[Step] = ()) -> str:
    """The page for the content of report.json and exchanges.jsonl, and for earlier runs."""
    shown = requirements(report)
    groups: dict[str, list[ShownRequirement]] = {name: [] for name in WORDS}
    for each in shown:
        groups[each.outcome].append(each)
    operations = list(dict.fromkeys(name for each in shown for name in each.operations))
    base_url, times = report["target"]["base-url"], Times()
    called = coverage.Calls(base_url)
    seen = survey.of(called.watched(times.watched(exchanges)), base_url, operations)
    return template.page().render(
        report=report,
        words=WORDS,
        groups=groups,
        survey=seen,
        samples=_samples(seen),
        maps=coverage.maps(report, operations),
        ways=called.ways(operations),
        operations=operations,
        timeline=times.timeline(),
        history=steps,
        observed=list(_observed(report, groups["observed"])),
        unchecked=unchecked.of(report),
        shards=shards.described(report["suite"]),
        style=template.inline("page.css"),
        script=template.inline("page.js"),
        plot_width=survey.WIDTH,
        documentation=documentation.link,
        **summary.values(report, groups),
        **_options(groups, operations),
    )


def _options(
    groups: Mapping[str, list[ShownRequirement]], operations: Sequence[str]
) -> dict[str, Any]:
    """The choices of the filters: value and text."""
    classes = dict.fromkeys(each.conformance_class for group in groups.values() for each in group)
    return {
        "class_options": [(name, name) for name in classes],
        "outcome_options": [(name, word) for name, word in WORDS.items() if groups[name]],
        "operation_options": [(name, name) for name in operations],
    }


def _samples(seen: Survey) -> dict[str, dict[str, Pane]]:
    """One exchange for each operation and status."""
    samples: dict[str, dict[str, Pane]] = {}
    for operation, cells in seen.cells.items():
        sampled = ((cell.status, cell.sample) for cell in cells)
        samples[operation] = {
            status: pane(sample, NOTHING) for status, sample in sampled if sample is not None
        }
    return samples


def _observed(
    report: Report, stated: Sequence[ShownRequirement]
) -> Iterator[tuple[ShownRequirement, list[Row]]]:
    untested = {entry["id"] for entry in report["requirements"] if "untested" in entry}
    for each in stated:
        rows = [_row(seen) for seen in report["observations"] if seen["id"] == each.id]
        if rows or each.id not in untested:
            yield each, rows


def _row(seen: ObservationEntry) -> Row:
    values = list(map(template.value, seen["values"][:MOST_VALUES]))
    return seen["subject"], values, len(seen["values"][MOST_VALUES:])
