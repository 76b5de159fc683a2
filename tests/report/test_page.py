"""The HTML report: its content, and the escaping of texts of the target."""

import base64
import copy
import hashlib
import json
import re

import pytest
from page_elements import Elements, harmless
from sample_reports import (
    BASE,
    EVIL,
    EXCHANGES,
    ID,
    a_finding,
    a_report,
    an_entry,
    an_exchange,
    poisoned,
)

from conformance.report.formats import html


def test_the_first_screen_has_verdict_target_time_and_suite() -> None:
    """It precedes the first finding, and has version, depth and seed."""
    words = Elements(html.render(a_report(), EXCHANGES)).words.partition("Failed requirements")[0]

    wanted = (
        "Non-conformant",
        "1 requirement failed, in read",
        BASE,
        "21 November 2026, 00:10 UTC",
        "suite 0.1.0, depth standard, seed 1",
    )
    assert [each for each in wanted if each not in words] == []


@pytest.mark.parametrize(
    ("verdict", "interrupted", "sentence"),
    [
        ("conformant", False, "The target conforms to the contract"),
        ("inconclusive", False, "Nothing failed, but 2 requirements could not be checked."),
        ("inconclusive", True, "The run was interrupted"),
    ],
)
def test_every_verdict_has_a_sentence(verdict: str, interrupted: bool, sentence: str) -> None:
    """An interruption has a separate sentence."""
    page = html.render(
        a_report(an_entry("project/closed"), verdict=verdict, interrupted=interrupted), []
    )

    assert sentence in page


def test_each_requirement_has_a_permanent_link() -> None:
    """The id of every requirement is the id of one element, and ids are unique."""
    report = a_report()
    ids = Elements(html.render(report, EXCHANGES)).ids()

    assert [entry["id"] for entry in report["requirements"] if entry["id"] not in ids] == []
    assert sorted(set(ids)) == sorted(ids)


def test_a_failed_requirement_shows_the_response_and_the_command() -> None:
    """The location of the defect in the response is marked."""
    page = html.render(a_report(), EXCHANGES)

    assert '<mark>    &#34;budget&#34;: 12<span class="note"> ← not allowed</span></mark>' in page
    assert "curl -sS &#39;https://api.example.com/v1/projects&#39;" in page


def test_known_failures_are_shown_as_known() -> None:
    """They have their reason; stale entries are named."""
    known = {
        "unknown": [],
        "stale": [{"requirement": "read/counts", "operation": None, "problem": "passes"}],
    }
    entry = an_entry("project/closed", "fail", findings=[a_finding(known="Ticket 12")])
    words = Elements(html.render(a_report(entry, **{"known-failures": known}), EXCHANGES)).words

    assert "Ticket 12" in words
    assert "The known failures are out of date: read/counts." in words


def test_a_flaky_failure_says_how_often_it_fails() -> None:
    """Before its reason."""
    findings = [a_finding(known="Ticket 12", flaky="3 of 10")]
    entry = an_entry("project/closed", "fail", findings=findings)
    words = Elements(html.render(a_report(entry), EXCHANGES)).words

    assert "fails in 3 of 10: Ticket 12" in words


def test_an_empty_report_has_a_page() -> None:
    """The page has no plots and no table of statuses."""
    nothing = {
        "ledger": [],
        "exchanges": {"count": 0, "methods": {}, "file": "exchanges.jsonl"},
        "requirements": [],
    }
    ids = Elements(html.render(a_report(**nothing), [])).ids()

    assert [each for each in ("latency", "statuses", "ledger") if each in ids] == []


def test_the_whole_run_can_be_repeated() -> None:
    """The last command is that of the run, quoted for a shell."""
    report = a_report(target={"base-url": f"{BASE}/it's", "profile": "my target.toml"})

    words = Elements(html.render(report, [])).words

    assert (
        f"conformance run --base-url '{BASE}/it'\"'\"'s' --target 'my target.toml' "
        "--depth standard --seed 1" in words
    )


def test_a_target_in_the_process_of_the_run_has_no_address() -> None:
    """The command has no address, and the page shows how to serve the reference."""
    target = {"base-url": "http://reference.invalid/v1", "profile": "in this process"}
    quiet = an_entry("untested/events", "inconclusive", level="observe", untested="Not visible.")

    words = Elements(html.render(a_report(quiet, target=target, started="some day"), [])).words

    assert "conformance run --depth standard --seed 1" in words
    assert "conformance serve" in words
    assert "untested/events" not in words


def test_a_target_without_a_profile_is_repeated_by_its_address() -> None:
    """The command names no profile."""
    words = Elements(html.render(a_report(target={"base-url": BASE, "profile": None}), [])).words

    assert f"conformance run --base-url {BASE} --depth standard --seed 1" in words


@pytest.mark.parametrize(
    ("credential", "scheme", "label"),
    [
        (None, None, "without a credential"),
        ("primary", None, "as primary"),
        ("primary", "bearer", "as primary by bearer"),
    ],
)
def test_an_exchange_names_its_caller(
    credential: str | None, scheme: str | None, label: str
) -> None:
    """It names the caller and the scheme, or the absence of a credential."""
    page = html.render(a_report(), [an_exchange(credential=credential, scheme=scheme)])

    assert f" · {label} · " in page


def test_a_page_of_a_long_failing_run_stays_small() -> None:
    """5,000 exchanges and 1,080 findings take less than 2 MB, and every finding is named."""
    body = {
        "text": json.dumps(
            {
                "data": {"items": [{"id": ID, "name": "x" * 300, "budget": n} for n in range(100)]},
                "requestId": "r",
            }
        )
    }
    response = {"status": 200, "headers": [["content-type", "application/json"]] * 12, "body": body}
    entries = []
    for number in range(90):
        evidence = [{**an_exchange(n, response=response), "curl": "curl x"} for n in range(3)]
        findings = [
            a_finding(message=f"finding {number}.{each}", exchanges=evidence) for each in range(12)
        ]
        entries.append(an_entry(f"area/{number}", "fail", findings=findings))
    exchanges = [
        an_exchange(n, f"operation_{n % 10}", 200 + n % 12, response=response) for n in range(5000)
    ]

    page = html.render(a_report(*entries), exchanges)

    assert len(page.encode()) < 2_000_000
    assert set(re.findall(r"finding \d+\.\d+", page)) == {
        f"finding {number}.{each}" for number in range(90) for each in range(12)
    }


# --- texts of the target --------------------------------------------------------------------------


def test_hostile_texts_are_escaped() -> None:
    """Markup, scripts, control and bidirectional characters have no effect anywhere."""
    report, exchanges = a_report(), copy.deepcopy(EXCHANGES)
    for entry in report["requirements"]:
        entry["findings"] = poisoned(entry["findings"])
    report |= {
        "observations": poisoned(report["observations"]),
        "ledger": poisoned(report["ledger"]),
    }
    report["observations"][0]["values"] += [{EVIL: [EVIL]}]
    report["target"]["profile"] = EVIL

    page = html.render(report, poisoned(exchanges))

    harmless(page)
    assert "\\u202e" in page
    assert "{{ 7 * 7 }}" in page


def test_only_the_style_and_the_script_of_the_page_are_allowed() -> None:
    """The content security policy allows only their digests and an icon."""
    elements = Elements(html.render(a_report(), EXCHANGES))
    policy = next(
        attributes["content"] or ""
        for tag, attributes in elements.found
        if "http-equiv" in attributes
    )

    digests = [
        base64.b64encode(hashlib.sha256("".join(elements.raw[tag]).encode()).digest()).decode()
        for tag in ("style", "script")
    ]
    assert policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digests[0]}'; "
        f"script-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
