"""A badge: the verdict, how much was checked, the depth and the date; it links to the page."""

import json
from html import escape

from conformance.contract.verdict import Verdict
from conformance.report.document import is_checked
from conformance.report.document_types import Report
from conformance.report.text import visible

COLOURS = {"conformant": "brightgreen", "non-conformant": "red", "inconclusive": "yellow"}
FILLS = {"conformant": "#1c6339", "non-conformant": "#a8201a", "inconclusive": "#7a5200"}
LABEL = "API conformance"
PAGE = "report.html"
CHARACTER = 6.6
"""Pixels of a character, about."""

UNCHECKED = (Verdict.INCONCLUSIVE, Verdict.ERROR)


def endpoint(report: Report) -> bytes:
    """The response for an endpoint badge of shields.io."""
    document = {
        "schemaVersion": 1,
        "label": LABEL,
        "message": message(report),
        "color": COLOURS[report["verdict"]],
    }
    return json.dumps(document, ensure_ascii=False).encode()


def svg(report: Report) -> bytes:
    """The badge as a picture, which links to the page beside it."""
    return picture(message(report), FILLS[report["verdict"]], PAGE)


def picture(text: str, fill: str, page: str) -> bytes:
    """A badge with a text and a colour, which links to a page."""
    left, right = (round(len(each) * CHARACTER) + 16 for each in (LABEL, text))
    shown = escape(text)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" \
aria-label="{LABEL}: {shown}">
<title>{LABEL}: {shown}</title>
<a href="{page}" target="_top">
<rect width="{left}" height="20" fill="#3d3f3b"/>
<rect x="{left}" width="{right}" height="20" fill="{fill}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{left / 2}" y="14" textLength="{left - 14}">{LABEL}</text>
<text x="{left + right / 2}" y="14" textLength="{right - 14}">{shown}</text>
</g></a></svg>
""".encode()


def message(report: Report) -> str:
    """The verdict, the share of the requirements that were checked, the depth and the date."""
    wanted = [entry for entry in report["requirements"] if is_checked(entry)]
    relevant = [entry for entry in wanted if entry["verdict"] != Verdict.NOT_APPLICABLE]
    checked = sum(entry["verdict"] not in UNCHECKED for entry in relevant)
    share = f"{100 * checked // len(relevant)} % checked" if relevant else "nothing checked"
    date = visible(report["started"][:10])
    return f"{report['verdict']} · {share} · {report['suite']['depth']} · {date}"
