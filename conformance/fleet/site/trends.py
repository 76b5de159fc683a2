"""What the charts of the site show over time."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from markupsafe import Markup
from sqlalchemy import Connection, func, select

from conformance.contract.verdict import Verdict
from conformance.fleet.answers import overview
from conformance.fleet.memory import reading, tables
from conformance.fleet.memory.reading import Campaign, Run
from conformance.fleet.site import addresses, chart
from conformance.fleet.site.chart import Bar, Line

OUTCOMES = {
    "conformant": "good",
    "incomplete": "part",
    "non-conformant": "bad",
}
"""The style of an outcome; the others are without a verdict."""

SHOWN = {"pass": "good", "inconclusive": "part", "error": "none", "fail": "bad"}
"""The style of a verdict, in the order of the parts of a bar."""


def campaigns(connection: Connection, found: Sequence[Campaign]) -> Markup:
    """How many targets had each outcome, by campaign."""
    shown = []
    for campaign in found[-chart.MOST_BARS :]:
        runs = reading.latest(reading.runs(connection, campaign.id))
        counted = Counter(OUTCOMES.get(run.outcome or "", "none") for run in runs)
        parts = {style: counted[style] for style in ("good", "part", "none", "bad")}
        shown.append(Bar(addresses.day(campaign.started), parts))
    return chart.bars("Targets by outcome, for each campaign", shown)


def verdicts(connection: Connection, runs: Sequence[Run]) -> Markup:
    """How many requirements had each verdict, by run of a target."""
    shown_runs = runs[-chart.MOST_BARS :]
    counts = overview.class_counts(connection, shown_runs)
    shown = []
    for run in shown_runs:
        total: Counter[str] = Counter()
        for counted in counts.get(run.id, {}).values():
            total.update(counted)
        parts = {style: total[verdict] for verdict, style in SHOWN.items()}
        shown.append(Bar(addresses.moment(run.started), parts))
    return chart.bars("Requirements by verdict, for each run", shown)


def requirement(connection: Connection, id: str, found: Sequence[Campaign]) -> Markup:
    """How many targets failed a requirement, by campaign."""
    recent = [each.id for each in found[-chart.MOST_BARS :]]
    verdict, run, campaign = tables.verdict.c, tables.run.c, tables.campaign.c
    query = (
        select(campaign.started, verdict.verdict, func.count(run.target.distinct()))
        .join(tables.run, run.id == verdict.run)
        .join(tables.campaign, campaign.id == run.campaign)
        .where(verdict.requirement == id, verdict.operation == "", campaign.id.in_(recent))
        .group_by(campaign.id, campaign.started, verdict.verdict)
        .order_by(campaign.started)
    )
    by_campaign: dict[float, dict[str, int]] = defaultdict(dict)
    for started, value, count in connection.execute(query):
        by_campaign[started][value] = count
    if not any(Verdict.FAIL in counted for counted in by_campaign.values()):
        return Markup()
    shown = [
        Bar(addresses.day(started), {style: counted.get(name, 0) for name, style in SHOWN.items()})
        for started, counted in by_campaign.items()
    ]
    return chart.bars("Targets by verdict, for each campaign", shown)


def latencies(connection: Connection, runs: Sequence[Run]) -> list[tuple[str, Markup]]:
    """The median and the 95th percentile of the response times, by operation."""
    found = []
    for operation, times in overview.latencies(connection, runs).items():
        labels = [addresses.day(each.started) for each in times]
        shown = [
            Line("p95", [each.p95 for each in times]),
            Line("median", [each.median for each in times]),
        ]
        title = f"{operation}: median and 95th percentile of its response times"
        found.append((operation, chart.lines(title, labels, shown)))
    return found
