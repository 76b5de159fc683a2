"""The badges of a fleet and of its targets, as pictures and as data for shields.io."""

import json
from collections.abc import Iterator, Sequence

from conformance.fleet.answers.standing import Standing
from conformance.fleet.site import addresses
from conformance.report.formats import badge

UNKNOWN = "inconclusive"


def of_target(stands: Standing) -> Iterator[tuple[str, bytes]]:
    """The badge of a target: its verdict, and when it was checked."""
    latest = stands.latest
    verdict = latest.verdict if latest and latest.verdict else UNKNOWN
    checked = addresses.day(latest.ended) if latest else "never checked"
    yield from _files(f"{verdict} · {checked}", verdict)


def of_fleet(standings: Sequence[Standing]) -> Iterator[tuple[str, bytes]]:
    """The badge of the fleet: how many targets conform."""
    verdicts = [stands.latest.verdict for stands in standings if stands.latest]
    conformant = verdicts.count("conformant")
    verdict = UNKNOWN
    if "non-conformant" in verdicts:
        verdict = "non-conformant"
    elif standings and conformant == len(standings):
        verdict = "conformant"
    yield from _files(f"{conformant} of {len(standings)} targets conform", verdict)


def _files(text: str, verdict: str) -> Iterator[tuple[str, bytes]]:
    document = {
        "schemaVersion": 1,
        "label": badge.LABEL,
        "message": text,
        "color": badge.COLOURS[verdict],
    }
    yield "badge.json", json.dumps(document, ensure_ascii=False).encode()
    yield "badge.svg", badge.picture(text, badge.FILLS[verdict], "index.html")
