"""A measurement as one HTML file that needs nothing else; it may quote any text of a target."""

from collections.abc import Mapping
from importlib import resources
from typing import Any

from conformance.load import wording
from conformance.load.claims import Outcome
from conformance.load.document import PERCENTILES
from conformance.report.page import template

TITLES = {
    Outcome.MEASURED: "Response times",
    Outcome.HOLDS: "Served in time",
    Outcome.SLOWER: "Slower than claimed",
    Outcome.INCOMPLETE: "Not measured at this rate",
}
KINDS = {
    Outcome.MEASURED: "measured",
    Outcome.HOLDS: "conformant",
    Outcome.SLOWER: "non-conformant",
    Outcome.INCOMPLETE: "inconclusive",
}
TAGS = {Outcome.HOLDS: "passed", Outcome.SLOWER: "failed", Outcome.INCOMPLETE: "unchecked"}


def render(load: Mapping[str, Any]) -> str:
    """The page of a document."""
    text = resources.files("conformance.load").joinpath("page.html.jinja").read_text("utf-8")
    page = template.environment(lambda _name: text).get_template("page")
    outcome = Outcome(load["outcome"])
    return page.render(
        load=load,
        style=template.inline("page.css"),
        title=TITLES[outcome],
        kind=KINDS[outcome],
        sentence=wording.sentence(load),
        percentiles=[f"p{percent}" for percent in PERCENTILES],
        tags={each.value: tag for each, tag in TAGS.items()},
        failed={name: wording.failures(each) for name, each in load["operations"].items()},
        time=wording.time,
    )
