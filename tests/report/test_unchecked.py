"""What is needed to check the rest of a run, and the lines of a profile for it."""

import re
import tomllib
import uuid
from pathlib import Path
from typing import Any

import pytest
from sample_reports import BASE, a_finding, a_report, an_entry

from conformance.contract import api
from conformance.contract.requirements import CLASSES
from conformance.report import cases, profile_hints, unchecked, unexercised
from conformance.report.console import terminal
from conformance.report.formats import html, markdown
from conformance.target import profile, trust
from conformance.target.target import Consent
from conformance.target.toml_schema import places

KEYS = (
    *(
        "credentials.primary.bearer",
        "credentials.expired",
        "credentials.lacking",
        "credentials.outsider",
        "fixtures.foreign",
    ),
    *(
        "fixtures.ungranted.video",
        "fixtures.unapprovable-reviews",
        "limits.requests-per-second",
        "tools.url",
        "description.url",
    ),
    *(
        "consent.approve-reviews",
        "consent.exhaust-rate-limit",
        "consent.oversized-bodies",
        "consent.fuzz-writes",
    ),
    *("parameters.video_list.company", "fixtures.provision.approvable-review"),
)

SUITE: Any = {"classes": CLASSES, "depth": "standard"}


def test_the_suggested_lines_are_a_valid_profile(tmp_path: Path) -> None:
    """All lines together are TOML that the profile's reader accepts, once the variables are set."""
    lines = list(
        profile_hints.toml(setting for key in KEYS for setting in profile_hints.settings(key))
    )
    file = tmp_path / "target.toml"
    file.write_text("\n".join([f'base-url = "{BASE}"', *lines]), encoding="utf-8")
    names = re.findall(r"\$\{(\w+)\}", file.read_text(encoding="utf-8"))
    environ = {
        name: f"https://example.com/{name}" if name.endswith("URL") else str(uuid.uuid4())
        for name in names
    }

    target = profile.load(file, environ=environ, allow=trust.anything)

    assert sorted(tomllib.loads("\n".join(lines))) == [
        "consent",
        "credentials",
        "description",
        "fixtures",
        "limits",
        "parameters",
        "tools",
    ]
    assert target.consent == Consent(
        approve_reviews=True, exhaust_rate_limit=True, oversized_bodies=True, fuzz_writes=True
    )


def test_the_suggested_lines_fit_a_terminal() -> None:
    """A line that is wrapped is no TOML any more; the terminal indents it by six columns."""
    settings = [setting for key in KEYS for setting in profile_hints.settings(key)]

    assert [setting.line for setting in settings if len(setting.line) > 74] == []


PROFILE = """
base-url = "http://target.test/v1"
[fixtures]
[credentials.lacking."reviews:read"]
api-key = "read"
[consent]
approve-reviews = false
"""


def test_a_snippet_repeats_no_table_of_the_profile() -> None:
    """A second header is invalid TOML: a comment says where the lines belong."""
    stated = places(tomllib.loads(PROFILE), PROFILE)
    settings = profile_hints.settings("consent.approve-reviews", stated)

    assert list(profile_hints.toml(settings, stated)) == [
        "# in [fixtures] of the profile:",
        'approvable-reviews = ["${LOCALIZATION_APPROVABLE_REVIEW}"] # each is spent',
        "",
        "# in [consent] of the profile, in place of what is there:",
        "approve-reviews = true # spends the approvable reviews",
    ]


@pytest.mark.parametrize(
    "reviews",
    ['approvable-reviews = ["a"]', '[fixtures.provision]\napprovable-review = ["./make-review"]'],
)
def test_a_snippet_shows_only_what_is_missing(reviews: str) -> None:
    """Consent alone, where the reviews are there; and no permission that is lacking already."""
    text = PROFILE.replace("[fixtures]", f"[fixtures]\n{reviews}")
    stated = places(tomllib.loads(text), text)
    (consent,) = profile_hints.settings("consent.approve-reviews", stated)
    lacking = {each.table for each in profile_hints.settings("credentials.lacking", stated)}

    assert consent.table == "consent"
    assert len(lacking) == len(api.load().permissions) - 1
    assert 'credentials.lacking."reviews:read"' not in lacking


def test_a_report_shows_what_is_missing_in_its_profile(tmp_path: Path) -> None:
    """The report knows the profile of its run, and the keys that stand in it."""
    file = tmp_path / "target.toml"
    file.write_text(PROFILE.replace("[fixtures]", "[fixtures.foreign]"), encoding="utf-8")
    target = profile.load(file, environ={}, allow=trust.anything)
    entry = waiting("x/y", ("consent.approve-reviews",))
    (need,) = unchecked.remainder([entry], SUITE, target.stated, interrupted=False)["needs"]

    assert need["lines"][0] == "[fixtures]"
    assert need["lines"][3] == "# in [consent] of the profile, in place of what is there:"


@pytest.mark.parametrize(
    "key", ["data in the target", "credentials.None", "fixtures.foreign.planet", "parameters.x.y"]
)
def test_an_unknown_key_has_no_lines(key: str) -> None:
    """A condition on the target is not a key of a profile."""
    assert profile_hints.settings(key) == ()


def needs_of(*entries: Any, interrupted: bool = False, classes: tuple[str, ...] = CLASSES) -> Any:
    """What a run with these requirements needs, and what blocked it."""
    suite: Any = {**SUITE, "classes": classes}
    return unchecked.remainder(entries, suite, interrupted=interrupted)


def without_items(operation: str = "project_get") -> Any:
    """A requirement that no exchange exercised."""
    finding = a_finding("inconclusive", items=[], needs=["credentials.expired"], exchanges=[])
    operations = {operation: "inconclusive"}
    return an_entry("x/y", "inconclusive", operations=operations, findings=[finding])


@pytest.mark.parametrize(
    ("interrupted", "classes", "key"),
    [
        (True, CLASSES, "a run to its end"),
        (False, ("read",), "a run of all classes"),
        (False, CLASSES, "credentials.expired"),
    ],
)
def test_the_needs_of_unexercised_requirements_depend_on_the_run(
    interrupted: bool, classes: tuple[str, ...], key: str
) -> None:
    """The profile may already have what the remaining checks need."""
    summary = needs_of(without_items(), interrupted=interrupted, classes=classes)
    assert [need["key"] for need in summary["needs"]] == [key]


@pytest.mark.parametrize(
    ("operation", "others", "key"),
    [
        ("project_get", [], unchecked.OCCASION),
        ("project_get", ["credentials.primary"], "credentials.primary"),
        ("review_approve", ["consent.approve-reviews"], "consent.approve-reviews"),
        ("review_approve", [], unchecked.OCCASION),
        ("project_get", ["consent.approve-reviews"], unchecked.OCCASION),
    ],
)
def test_a_rule_without_a_response_has_the_needs_of_other_checks(
    operation: str, others: list[str], key: str
) -> None:
    """The need is a caller, consent, or a response."""
    rule = an_entry(
        "response/status",
        "inconclusive",
        operations={operation: "inconclusive"},
        findings=[a_finding("inconclusive", needs=[])],
    )
    other_entries = [
        an_entry("x/y", "inconclusive", findings=[a_finding("inconclusive", needs=[each])])
        for each in others
    ]
    summary = needs_of(rule, *other_entries)
    (need,) = (need for need in summary["needs"] if need["key"] == key)
    assert need["requirements"][0 if not other_entries else -1]["requirement"] == "response/status"


def test_needs_and_blockers_are_ordered_by_their_requirements() -> None:
    """They are ordered by their number of requirements; permissions are one need."""
    lacking = [f"credentials.lacking.{name}" for name in ("account:read", "projects:read")]
    one = a_finding("inconclusive", message="404", needs=["data in the target"])
    two = a_finding("inconclusive", message="403", needs=lacking)
    summary = needs_of(
        an_entry("x/1", "inconclusive", findings=[one]),
        an_entry("x/2", "inconclusive", findings=[two]),
        an_entry("x/3", "inconclusive", findings=[two]),
        an_entry("x/4", "pass"),
    )

    assert summary["count"] == 3
    assert [(each["key"], len(each["requirements"])) for each in summary["needs"]] == [
        ("credentials.lacking", 2),
        ("data in the target", 1),
    ]
    assert [(each["message"], len(each["requirements"])) for each in summary["blocked-by"]] == [
        ("403", 2),
        ("404", 1),
    ]
    assert summary["needs"][0]["requirements"][0] == {
        "requirement": "x/2",
        "operations": ["project_get"],
    }
    assert 'credentials.lacking."account:read"' in "\n".join(summary["lines"])


def test_all_renderers_show_the_same_needs() -> None:
    """The terminal, the page and the summary read them from the report."""
    report = a_report()
    report["unchecked"] = needs_of(without_items())
    report["unchecked"]["needs"][0]["key"] = "something special"

    assert "  something special  1 requirement" in list(terminal.lines(report))
    assert '<th scope="row">something special</th>' in html.render(report, [])
    assert "- needs **something special**: 1 requirement (x/y)" in markdown.render(report).decode()


def test_what_the_data_did_not_exercise_is_listed() -> None:
    """On the terminal with what would exercise it, and on the page in one sentence."""
    report = a_report()
    report["observations"] = [
        {"id": "observe/data", "subject": f"video_list: no {number}", "values": ["records"]}
        for number in range(6)
    ]
    shown = list(terminal.lines(report))
    start = shown.index("NOT EXERCISED, since the data that was read has none of it:")
    assert shown[start + 1 : start + 3] == ["  video_list: no 0", "  needs        records"]
    assert "  … and 2 more (--show-all lists them)" in shown
    assert "lacks 6 conditions that defects need to show: video_list: no 0; " in html.render(
        report, []
    )


def test_what_several_lists_lack_is_said_once() -> None:
    """The same data would exercise it on each of them."""
    report = a_report()
    report["observations"] = [
        {"id": "observe/data", "subject": f"{name}: no ties", "values": ["two records"]}
        for name in ("project_list", "video_list")
    ]
    assert list(unexercised.of(report)) == [("project_list, video_list: no ties", "two records")]


def waiting(id: str, *needs: tuple[str, ...]) -> Any:
    """A requirement of which each check asked for one of some keys."""
    findings = [
        a_finding("inconclusive", message=str(each), needs=list(each), exchanges=[])
        for each in needs
    ]
    return an_entry(id, "inconclusive", findings=findings)


FOREIGN, OUTSIDER = "fixtures.foreign", "credentials.outsider"


def test_what_one_check_asks_for_are_alternatives() -> None:
    """They are one need, and either of them suffices."""
    (need,) = needs_of(waiting("x/either", (f"{FOREIGN}.project", OUTSIDER)))["needs"]

    assert (need["key"], need["alternatives"], need["adds"]) == (FOREIGN, [OUTSIDER], 1)
    assert "# or" in need["lines"]
    assert "beside" not in need


def test_what_several_checks_ask_for_is_needed_together() -> None:
    """Each need names the other, and neither is enough by itself."""
    needs = needs_of(waiting("x/both", (FOREIGN,), ("tools.url",)))["needs"]

    assert [(each["key"], each["adds"], each["beside"]) for each in needs] == [
        (FOREIGN, 0, ["tools.url"]),
        ("tools.url", 0, [FOREIGN]),
    ]
    assert not any("alternatives" in each for each in needs)


def test_alternatives_of_what_is_needed_anyway_do_not_matter() -> None:
    """One check wants either, and another one wants this one."""
    (need,) = needs_of(waiting("x/one", (FOREIGN, OUTSIDER), (OUTSIDER,)))["needs"]
    assert (need["key"], need["adds"]) == (OUTSIDER, 1)


def test_keys_of_a_check_that_did_not_run_are_all_needed() -> None:
    """The catalogue lists all of them."""
    finding = a_finding("inconclusive", items=[], needs=[FOREIGN, OUTSIDER], exchanges=[])
    needs = needs_of(an_entry("x/y", "inconclusive", findings=[finding]))["needs"]
    assert [(each["key"], each["beside"]) for each in needs] == [
        (FOREIGN, [OUTSIDER]),
        (OUTSIDER, [FOREIGN]),
    ]


def test_every_rendering_says_either_or_and_together() -> None:
    """The terminal, the page, the summary and the cases."""
    document = a_report(
        waiting("x/either", (FOREIGN, OUTSIDER)), waiting("x/both", ("tools.url",), ("y",))
    )
    document["suite"]["classes"] = list(CLASSES)
    either, together = f"{FOREIGN} or {OUTSIDER}", "together with"
    shown = "\n".join(terminal.lines(document))
    texts = [each.text for each in cases.cases(document) if each.requirement == "x/either"]

    assert f"  {either}  1 requirement\n" in shown
    assert f"  tools.url  1 requirement, {together} y\n" in shown
    page = html.render(document, [])
    assert either in page
    assert f"{together} y" in page
    assert f"needs **{either.replace('_', chr(92) + '_')}**" in markdown.render(document).decode()
    assert any(f"needs: {either}" in text for text in texts)
