"""Which exchange of a finding is shown first: the request that broke the requirement."""

import re
from typing import Any

import pytest
from sample_reports import a_defect, a_report, an_entry, an_exchange

from conformance.report.cases import cases
from conformance.report.causes import exhibits
from conformance.report.console import terminal
from conformance.report.formats import html

POST, READ, AGAIN = "fact::trial#1", "fact::trial#2", "fact::trial#3"


def exchange(id: str, operation: str = "review_get", **properties: Any) -> Any:
    """An exchange with an id, and a command that names it."""
    return an_exchange(
        operation=operation, id=id, purpose=f"purpose of {id}", curl=f"curl {id}", **properties
    )


def finding(defect: Any, *exchanges: Any, **properties: Any) -> Any:
    """A failure with this evidence."""
    return {
        "verdict": "fail",
        "operation": "review_approve",
        "message": "the review is approved",
        "expected": "",
        "needs": [],
        "items": ["approval::test_it"],
        "occurrences": 1,
        "exchanges": list(exchanges),
        **({"defect": defect} if defect else {}),
        **properties,
    }


def place(id: str, part: str = "body", name: str = "/data/id") -> Any:
    """A place in an exchange."""
    return {"part": part, "name": name, "exchange": id}


THREE = (exchange(POST, "review_approve"), exchange(READ), exchange(AGAIN))
EFFECT = (THREE[0], THREE[2])
SHOWN = re.compile(r'aria-label="Exchange ([^"]+)"')


@pytest.mark.parametrize(
    ("found", "decisive", "others"),
    [
        # An effect is shown by a read; what has caused it is the write before.
        (finding(a_defect("effect", where=[place(READ)]), *THREE[:2]), [POST, READ], []),
        (finding(a_defect("effect", where=[place(AGAIN)]), *THREE), [POST, AGAIN], [READ]),
        (finding(a_defect("effect", where=[place(READ)]), *THREE[1:]), [READ], [AGAIN]),
        # What was accepted is located at its status, whatever was read afterwards.
        (
            finding(a_defect("accepted", where=[place(POST, "status", "")]), *THREE[:2]),
            [POST],
            [READ],
        ),
        (finding(a_defect("difference", where=[place(READ), place(AGAIN)]), *THREE),
         [AGAIN, READ], [POST]),
        # A place without an exchange is in the last one.
        (finding(a_defect("value", "/data/id"), *THREE), [AGAIN], [READ, POST]),
        (finding(a_defect("omitted"), *THREE), [AGAIN], [READ, POST]),
        # A rule shows the same in each.
        (
            finding(
                a_defect("value", where=[place(each) for each in (POST, READ, AGAIN)]),
                *THREE,
                responses={"wrong": 3, "checked": 4},
            ),
            [POST],
            [AGAIN, READ],
        ),
        (finding(None, *THREE), [AGAIN], [READ, POST]),
        (finding(None), [], []),
    ],
)  # fmt: skip
def test_the_offending_request_comes_first(
    found: Any, decisive: list[str], others: list[str]
) -> None:
    """Then the exchanges that show the defect, and then what led to them, the latest first."""
    shown = exhibits.of(found)
    assert [each["id"] for each in shown.decisive] == decisive
    assert [each["id"] for each in shown.others] == others


@pytest.fixture(name="stale")
def _stale() -> Any:
    """A report of an approval that was rejected, and approved its review all the same."""
    last = finding(a_defect("effect", where=[place(AGAIN)]), THREE[1], *EFFECT)
    operations = {"review_approve": "fail"}
    entry = an_entry("approval/stale-revision", "fail", findings=[last], operations=operations)
    return a_report(entry)


def test_the_page_opens_the_offending_request(stale: Any) -> None:
    """And the read that shows the effect; the read before them is folded."""
    page = html.render(stale, ())
    article = page.partition('<article class="entry failed"')[2].partition("</article>")[0]
    opened, _, folded = article.partition('<details class="more">')

    assert SHOWN.findall(opened) == [POST, AGAIN]
    assert folded.startswith("<summary>1 more exchange of this finding</summary>")
    assert SHOWN.findall(folded) == [READ]


def test_the_terminal_and_the_cases_begin_with_the_offending_request(stale: Any) -> None:
    """The commands stand in this order."""
    lines = [line.strip() for line in terminal.lines(stale)]
    (case,) = (each for each in cases(stale) if each.requirement == "approval/stale-revision")
    expected = [f"curl {id}" for id in (POST, AGAIN, READ)]

    assert [line for line in lines if line.startswith("curl fact")] == expected
    assert [line for line in case.text.splitlines() if line.startswith("curl fact")] == expected
