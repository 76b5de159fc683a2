"""Writes the site of a fleet: a page for each campaign, target and requirement, and their data."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from markupsafe import Markup
from sqlalchemy import Connection

from conformance import __version__
from conformance.contract.requirements import CLASSES
from conformance.fleet.answers import campaign_state, standing
from conformance.fleet.answers.campaign_state import CampaignState
from conformance.fleet.answers.standing import Failure, Standing
from conformance.fleet.memory import reading
from conformance.fleet.memory.reading import Campaign, Stated
from conformance.fleet.site import addresses, badges, trends
from conformance.report.page import template
from conformance.storage import fresh_file, regular_file
from conformance.storage.folder import inner

FOLDER = "conformance.fleet.site"
STYLE = "style.css"
MOST_RUNS = 60
"""The runs in the table of a target."""


class Site:
    """The folder of a site, and how its pages are made."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._templates = template.environment(_text)
        self._templates.filters |= {
            "moment": addresses.moment,
            "day": addresses.day,
            "cell": cell,
            "milliseconds": lambda seconds: f"{1000 * seconds:,.1f}",
        }
        self._templates.globals |= {"address": addresses, "classes": CLASSES}

    def page(self, folder: str, name: str, **values: Any) -> None:
        """Write the page of a folder."""
        root = os.path.relpath(".", folder or ".")
        text = self._templates.get_template(f"{name}.html.jinja").render(root=root, **values)
        self.write(f"{folder}/index.html" if folder else "index.html", text.encode())

    def data(self, path: str, value: Any) -> None:
        """Write values as JSON."""
        self.write(path, json.dumps(value, indent=1, ensure_ascii=False).encode())

    def write(self, path: str, content: bytes) -> None:
        """Write a file of the site."""
        *folders, name = path.split("/")
        fresh_file.write(inner(self._out, *folders) / name, content)

    def has(self, path: str, content: bytes) -> bool:
        """Whether a file is there with this content."""
        file = self._out / path
        return file.is_file() and regular_file.read(file) == content


def build(connection: Connection, out: Path) -> None:
    """Write the whole site; the pages of earlier campaigns, which do not change, once."""
    out.mkdir(parents=True, exist_ok=True)
    site = Site(out)
    # Joined: markup escapes what is added to it.
    style = "\n".join((template.inline("page.css").text, _text("fleet.css")))
    site.write(STYLE, style.encode())
    standings = _targets(connection, site)
    campaigns = reading.campaigns(connection)
    states = _campaigns(connection, site, campaigns)
    latest = states[-1] if states else None
    stated = standing.statements(
        connection, [each.latest for each in standings if each.latest is not None]
    )
    for entry in stated.values():
        trend = trends.requirement(connection, entry.id, campaigns)
        _requirement(site, entry, standings, trend)
    site.page(
        "",
        "index",
        latest=latest,
        campaigns=list(reversed(campaigns)),
        standings=standings,
        trend=trends.campaigns(connection, campaigns),
    )
    site.data("fleet.json", _fleet(latest, standings))
    for name, content in badges.of_fleet(standings):
        site.write(name, content)


def _targets(connection: Connection, site: Site) -> list[Standing]:
    found = []
    for name in reading.targets(connection):
        stands = standing.of(connection, name)
        latest = stands.latest
        changed = standing.since_previous(connection, latest) if latest else None
        folder = addresses.target(name)
        site.page(
            folder,
            "target",
            standing=stands,
            ended=list(reversed(reading.history(connection, name)[-MOST_RUNS:])),
            changed=changed,
            observations=reading.observations(connection, latest.id) if latest else (),
            trend=trends.verdicts(connection, stands.runs),
            times=trends.latencies(connection, stands.runs),
        )
        site.data(f"{folder}/target.json", _target(stands))
        for file, content in badges.of_target(stands):
            site.write(f"{folder}/{file}", content)
        found.append(stands)
    return found


def _campaigns(
    connection: Connection, site: Site, campaigns: Sequence[Campaign]
) -> list[CampaignState]:
    """The state of the last campaign; the pages of all."""
    states = []
    for campaign in campaigns:
        folder, is_last = addresses.campaign(campaign.name), campaign is campaigns[-1]
        seal = f"{__version__} {campaign.id} {campaign.ended}\n".encode()
        if campaign.ended and not is_last and site.has(f"{folder}/written.txt", seal):
            continue
        state = campaign_state.of(connection, campaign)
        site.page(folder, "campaign", state=state)
        site.data(f"{folder}/campaign.json", _campaign(state))
        site.write(f"{folder}/written.txt", seal)
        states = [state]
    return states


def _requirement(site: Site, stated: Stated, standings: Sequence[Standing], trend: Markup) -> None:
    """The page of a requirement: everybody who fails it."""
    failing = [
        (stands, failure)
        for stands in standings
        for failure in stands.failures
        if failure.requirement == stated.id
    ]
    folder = addresses.requirement(stated.id)
    site.page(folder, "requirement", stated=stated, failing=failing, trend=trend)
    document = {
        "requirement": asdict(stated),
        "failing": [{"target": stands.target, **_failure(failure)} for stands, failure in failing],
    }
    site.data(f"{folder}/requirement.json", document)


def cell(counted: Mapping[str, int]) -> tuple[str, str]:
    """The text and the style of a class: how many passed, of those that apply."""
    total = sum(number for name, number in counted.items() if name != "not-applicable")
    if not total:
        return "–", "none"
    style = "part"
    if counted.get("fail"):
        style = "bad"
    elif counted.get("pass", 0) == total:
        style = "good"
    return f"{counted.get('pass', 0)}/{total}", style


def _fleet(latest: CampaignState | None, standings: Sequence[Standing]) -> dict[str, Any]:
    return {
        "campaign": None if latest is None else latest.campaign.name,
        "outcomes": {} if latest is None else latest.outcomes,
        "targets": [_target(stands) for stands in standings],
    }


def _target(stands: Standing) -> dict[str, Any]:
    latest = stands.latest
    return {
        "target": stands.target,
        "outcome": stands.last and stands.last.outcome,
        "verdict": latest and latest.verdict,
        "checked": latest and latest.ended,
        "failing": [_failure(each) for each in stands.failures if each.since],
        "flapping": [_failure(each) for each in stands.failures if each.flapping],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    broken = failure.since
    return {
        "requirement": failure.requirement,
        "operation": failure.operation,
        "level": failure.level,
        "since": broken and broken.point.started,
        "withNewSuite": bool(broken and broken.is_new_suite),
        "flapping": failure.flapping and asdict(failure.flapping),
        "message": failure.message,
        "known": failure.known,
    }


def _campaign(state: CampaignState) -> dict[str, Any]:
    return {
        **asdict(state.campaign),
        "outcomes": state.outcomes,
        "targets": [
            {
                "target": run.target,
                "outcome": run.outcome,
                "reason": run.reason,
                "classes": state.counts.get(run.id, {}),
                "changes": state.changed[run.target].document()
                if run.target in state.changed
                else {},
                "failed": [list(pair) for pair in state.failed.get(run.target, ())],
            }
            for run in state.runs
        ],
    }


def _text(name: str) -> str:
    return (resources.files(FOLDER) / name).read_text(encoding="utf-8")
